/*
 * trace_families.c - the families of traces, and what their noise and their levels do.
 *
 * Noise and level functions get their numbers in the order given above each, and keep what they
 * must in the trace; a state that is NaN has not begun.
 */
#include "tests/stopping/trace_generators.h"

#define MS 1e6
#define S 1e9

static void note_change(struct trace *trace, double at_ns)
{
    at_ns -= trace->hidden_ns;
    if (at_ns < 0)
        return;
    double *noted = isinf(trace->changed_ns) ? &trace->changed_ns : &trace->returned_ns;
    *noted = fmin(*noted, at_ns);
}

/* --- noise --- */

/* standard deviation */
double trace_normal_noise(struct trace *trace, const double *numbers)
{
    return 1 + numbers[0] * trace_normal(&trace->random);
}

/* sigma */
static double lognormal(struct trace *trace, const double *numbers)
{
    return trace_exp(numbers[0] * trace_normal(&trace->random));
}

/* standard deviation, share of Pareto's tail, its shape */
static double heavy_tail(struct trace *trace, const double *numbers)
{
    double factor = trace_normal_noise(trace, numbers);
    if (trace_uniform(&trace->random) < numbers[1])
        factor *= trace_exp(trace_exponential(&trace->random) / numbers[2]);
    return factor;
}

/* correlation of neighbours, standard deviation */
double trace_autoregressive(struct trace *trace, const double *numbers)
{
    double z = trace_normal(&trace->random), phi = numbers[0];
    trace->state = isnan(trace->state) ? z : phi * trace->state + sqrt(1 - phi * phi) * z;
    return 1 + numbers[1] * trace->state;
}

/* correlation, scale: innovations of Student's t with 3 degrees of freedom */
static double heavy_autoregressive(struct trace *trace, const double *numbers)
{
    double squares = 0, z = trace_normal(&trace->random);
    for (int i = 0; i < 3; i++) {
        double one = trace_normal(&trace->random);
        squares += one * one;
    }
    double last = isnan(trace->state) ? 0 : trace->state;
    trace->state = numbers[0] * last + z / sqrt(squares / 3);
    return 1 + numbers[1] * trace->state;
}

/* standard deviation, then weight and factor of the second mode and of the third */
static double modes(struct trace *trace, const double *numbers)
{
    double u = trace_uniform(&trace->random);
    double factor = u < numbers[1] ? numbers[2] : u < numbers[1] + numbers[3] ? numbers[4] : 1;
    return factor * trace_normal_noise(trace, numbers);
}

/* spread at the beginning and at the end of the drift, its duration: gamma of shape 2 about its
 * median, 1.678347 */
static double spreading_gamma(struct trace *trace, const double *numbers)
{
    double part = trace->elapsed_ns / numbers[2];
    double spread = numbers[0] + (numbers[1] - numbers[0]) * (part < 1 ? part : 1);
    double gamma = trace_exponential(&trace->random) + trace_exponential(&trace->random);
    return 1 + spread * (gamma - 1.6783469900166605);
}

/* standard deviation, factor, probabilities at each sample to go up and to come back */
static double switching(struct trace *trace, const double *numbers)
{
    double u = trace_uniform(&trace->random);
    if (isnan(trace->state)) {
        trace->state = u < numbers[2] / (numbers[2] + numbers[3]);
        trace->changed_ns = trace->returned_ns = INFINITY;
    } else if (u < (trace->state > 0 ? numbers[3] : numbers[2])) {
        trace->state = 1 - trace->state;
        note_change(trace, trace->elapsed_ns);
    }
    return trace_normal_noise(trace, numbers) * (trace->state > 0 ? numbers[1] : 1);
}

/* --- levels --- */

/* height at the beginning, duration */
double trace_ramp(struct trace *trace, const double *numbers)
{
    double left = 1 - trace->elapsed_ns / numbers[1];
    return left > 0 ? 1 + numbers[0] * left : 1;
}

/* height, until when */
static double step(struct trace *trace, const double *numbers)
{
    return trace->elapsed_ns < numbers[1] ? 1 + numbers[0] : 1;
}

/* height at the beginning, time constant */
static double settling(struct trace *trace, const double *numbers)
{
    double age = trace->elapsed_ns / numbers[1];
    return age < 40 ? 1 + numbers[0] * trace_exp(-age) : 1;
}

/* height of the upper regime, mean stay in the lower one and in the upper one */
double trace_regimes(struct trace *trace, const double *numbers)
{
    if (isnan(trace->level_state)) {
        double share = numbers[2] / (numbers[1] + numbers[2]);
        trace->level_state = trace_uniform(&trace->random) < share;
        trace->level_until_ns = numbers[trace->level_state > 0 ? 2 : 1] *
                                trace_exponential(&trace->random);
        trace->changed_ns = trace->returned_ns = INFINITY;
    }
    while (trace->elapsed_ns >= trace->level_until_ns) {
        note_change(trace, trace->level_until_ns);
        trace->level_state = 1 - trace->level_state;
        trace->level_until_ns += numbers[trace->level_state > 0 ? 2 : 1] *
                                 trace_exponential(&trace->random);
    }
    return 1 + numbers[0] * trace->level_state;
}

static double turns(struct trace *trace, double period_ns)
{
    if (isnan(trace->level_state))
        trace->level_state = trace_uniform(&trace->random);
    return trace->elapsed_ns / period_ns + trace->level_state;
}

/* amplitude, period */
static double periodic(struct trace *trace, const double *numbers)
{
    return 1 + numbers[0] * trace_sine_turns(turns(trace, numbers[1]));
}

/* height, period */
static double sawtooth(struct trace *trace, const double *numbers)
{
    double x = turns(trace, numbers[1]);
    return 1 + numbers[0] * (x - floor(x));
}

/* height from when the power limit acts, when it does, standard deviation and correlation time of
 * the wandering then (an Ornstein-Uhlenbeck process) */
static double power_limit(struct trace *trace, const double *numbers)
{
    if (trace->elapsed_ns < numbers[1])
        return 1;
    double z = trace_normal(&trace->random);
    if (isnan(trace->level_state)) {
        trace->level_state = z;
    } else {
        double keep = trace_exp(-(trace->elapsed_ns - trace->level_until_ns) / numbers[3]);
        trace->level_state = keep * trace->level_state + sqrt(1 - keep * keep) * z;
    }
    trace->level_until_ns = trace->elapsed_ns;
    double level = 1 + numbers[0] + numbers[2] * trace->level_state;
    return level > 1.001 ? level : 1.001;
}

/* distance of the levels, how many, the stay at each, after which any of them may follow */
static double ladder(struct trace *trace, const double *numbers)
{
    while (isnan(trace->level_state) || trace->elapsed_ns >= trace->level_until_ns) {
        trace->level_state = floor(numbers[1] * trace_uniform(&trace->random));
        trace->level_until_ns += numbers[2];
    }
    return 1 + numbers[0] * trace->level_state;
}

/* standard deviation and correlation time of the quickest of TRACE_PARTS Ornstein-Uhlenbeck
 * processes, and how much slower each further one is: their sum is much like 1/f noise */
static double pink(struct trace *trace, const double *numbers)
{
    double time_ns = numbers[1], sum = 0;
    for (int i = 0; i < TRACE_PARTS; i++, time_ns *= numbers[2]) {
        double keep = trace->n_parts > 0
                          ? trace_exp(-(trace->elapsed_ns - trace->level_until_ns) / time_ns)
                          : 0;
        trace->parts[i] = keep * trace->parts[i] +
                          sqrt(1 - keep * keep) * trace_normal(&trace->random);
        sum += trace->parts[i];
    }
    trace->n_parts = TRACE_PARTS;
    trace->level_until_ns = trace->elapsed_ns;
    return 1 + numbers[0] * sum;
}

/* --- families --- */

#define FAMILY(name_, class_, flags_, words_)                                                      \
    .name = name_, .class = TRACE_##class_, .flags = flags_, .words = words_
#define TICK(time, tick) .time_ns = time, .tick_ns = tick
#define NOISE(function, ...) .noise = function, .noise_parameters = {__VA_ARGS__}
#define NORMAL(sd) NOISE(trace_normal_noise, sd)
#define LEVEL(function, ...) .level = function, .level_parameters = {__VA_ARGS__}
enum {
    ONE = TRACE_UNIMODAL,
    DITHERED = TRACE_UNIMODAL | TRACE_DITHERED,
    HELD_OUT = TRACE_HELD_OUT,
    ONE_HELD_OUT = TRACE_HELD_OUT | TRACE_UNIMODAL
};

const struct trace_family trace_families[] = {
    {FAMILY("normal", STATIONARY, ONE, "normal, 1 %"), NORMAL(0.01), .median_factor = 1},
    {FAMILY("lognormal", STATIONARY, ONE, "lognormal, 5 %"), NOISE(lognormal, 0.05),
     .median_factor = 1},
    {FAMILY("heavy_tail", STATIONARY, ONE,
            "normal, 1 %; 2 % of the samples times a Pareto of shape 1.5"),
     NOISE(heavy_tail, 0.01, 0.02, 1.5)},
    {FAMILY("constant", STATIONARY, ONE, "always the same"), .median_factor = 1},
    {FAMILY("ar_95", CORRELATED, ONE, "autoregressive 0.95, 1 %"),
     NOISE(trace_autoregressive, 0.95, 0.01), .median_factor = 1},
    {FAMILY("ar_99", CORRELATED, ONE, "autoregressive 0.99, 2 %"),
     NOISE(trace_autoregressive, 0.99, 0.02), .median_factor = 1},
    {FAMILY("ramp", RAMP, ONE, "linear from +15 % to 0 in 60 ms"), NORMAL(0.01),
     LEVEL(trace_ramp, 0.15, 60 * MS), .settled_ns = 60 * MS, .median_factor = 1},
    /* settled to 0.5 %: what is left of the trend counts, too */
    {FAMILY("exponential_ramp", RAMP, ONE, "from +10 % down, time constant 30 ms"), NORMAL(0.01),
     LEVEL(settling, 0.1, 30 * MS), .settled_ns = 90 * MS, .median_factor = 1},
    {FAMILY("step", RAMP, ONE, "+10 % until 60 ms"), NORMAL(0.01), LEVEL(step, 0.1, 60 * MS),
     .settled_ns = 60 * MS, .median_factor = 1},
    {FAMILY("late_step", RAMP, ONE, "+10 % until 90 ms"), NORMAL(0.01), LEVEL(step, 0.1, 90 * MS),
     .settled_ns = 90 * MS, .median_factor = 1},
    {FAMILY("modes_50_50", MODES, TRACE_MULTIMODAL, "two modes of equal weight, 15 % apart"),
     NOISE(modes, 0.01, 0.5, 1.15), .median_factor = 1.075, .modes = {1, 1.15}},
    {FAMILY("rare_mode", MODES, 0, "3 % at +35 %"), NOISE(modes, 0.01, 0.03, 1.35),
     .modes = {1, 1.35}},
    {FAMILY("tick_1024ns", TICK, ONE, "5.27 us on a timer of 1.024 us"), TICK(5270, 1024),
     NORMAL(0.01), .median_factor = 1},
    {FAMILY("tick_500ns", TICK, ONE, "5.27 us on a timer of 0.5 us"), TICK(5270, 500), NORMAL(0.01),
     .median_factor = 1},
    {FAMILY("dithered_empty", TICK, DITHERED, "487 ns on a timer of 32 ns, dithered"),
     TICK(487, 32), .median_factor = 1},
    {FAMILY("dithered", TICK, DITHERED, "1.0135 us on a timer of 32 ns, dithered: two ticks"),
     TICK(1013.5, 32), .median_factor = 1},
    {FAMILY("dithered_rare", TICK, DITHERED,
            "2.0485 us on a timer of 32 ns, dithered: 1.6 % of the samples on the other tick"),
     TICK(2048.5, 32), .median_factor = 1},
    {FAMILY("dithered_noise", TICK, DITHERED,
            "1.4235 us, normal 1 %, on a timer of 32 ns, dithered: three ticks"),
     TICK(1423.5, 32), NORMAL(0.01), .median_factor = 1},
    {FAMILY("dithered_wide", TICK, DITHERED,
            "1.008 us, normal 4.4 %, on a timer of 32 ns, dithered: quartiles two ticks apart"),
     TICK(1008, 32), NORMAL(0.044), .median_factor = 1},
    {FAMILY("dithered_outliers", TICK, DITHERED,
            "1.0135 us, 1 % of the samples +50 %, on a timer of 32 ns, dithered"),
     TICK(1013.5, 32), NOISE(modes, 0.002, 0.01, 1.5), .median_factor = 1},
    {FAMILY("dithered_drift", RAMP, DITHERED,
            "2.25 us, linear from +3 % to 0 in 60 ms, on a timer of 32 ns, dithered"),
     TICK(2250, 32), NORMAL(0.002), LEVEL(trace_ramp, 0.03, 60 * MS), .settled_ns = 60 * MS,
     .median_factor = 1},
    {FAMILY("dithered_1024ns", TICK, DITHERED, "5.27 us on a timer of 1024 ns, dithered"),
     TICK(5270, 1024), NORMAL(0.005), .median_factor = 1},
    {FAMILY("locked", TICK, ONE, "1.0135 us on a timer of 32 ns whose phase stays for 300 ms"),
     TICK(1013.5, 32), .phase_dwell_ns = 300 * MS, NORMAL(0.001), .median_factor = 1},
    {FAMILY("locked_wide", TICK, ONE, "1.5 us, normal 4 %, on a timer of 32 ns whose phase stays"),
     TICK(1500, 32), .phase_dwell_ns = 1e9 * S, NORMAL(0.04), .median_factor = 1},
    {FAMILY("mono1s", RAMP, ONE, "from +6 % down, time constant 1 s"), NORMAL(0.003),
     LEVEL(settling, 0.06, 1 * S), .settled_ns = 5 * S, .median_factor = 1},
    {FAMILY("thermal", RAMP, ONE, "linear from -5 % to 0 in 3 s"), NORMAL(0.0015),
     LEVEL(trace_ramp, -0.05, 3 * S), .settled_ns = 3 * S, .median_factor = 1},
    {FAMILY("ladder", REGIME, 0, "5 levels 2 % apart, a change every 20 ms"), NORMAL(0.003),
     LEVEL(ladder, 0.02, 5, 20 * MS), .median_factor = 1.04, .modes = {1, 1.02, 1.04, 1.06, 1.08}},
    {FAMILY("pink", CORRELATED, ONE | TRACE_LONG_MEMORY,
            "four processes of 1, 10, 100 ms and 1 s, 0.4 % each: 1/f"),
     NORMAL(0.003), LEVEL(pink, 0.004, 1 * MS, 10), .median_factor = 1},
    {FAMILY("regimes", REGIME, 0, "two, 32 and 17 ms on average, 5 % apart"), NORMAL(0.01),
     LEVEL(trace_regimes, 0.05, 32 * MS, 17 * MS), .cycle_ns = 49 * MS, .modes = {1, 1.05}},
    {FAMILY("periodic", REGIME, 0, "+-2 % every 23 ms"), NORMAL(0.01),
     LEVEL(periodic, 0.02, 23 * MS)},
    {FAMILY("bursts", REGIME, 0, "+25 % for 4 ms every 64 ms, on average"), NORMAL(0.01),
     LEVEL(trace_regimes, 0.25, 60 * MS, 4 * MS), .modes = {1, 1.25}},
    /* the median is 1.0054 to 1.0056, as T and overheads differ */
    {FAMILY("long_regimes", REGIME, 0, "7 and 3 s on average, 3 % apart: longer than a visit"),
     NORMAL(0.01), LEVEL(trace_regimes, 0.03, 7 * S, 3 * S), .cycle_ns = 10 * S,
     .median_factor = 1.0055, .modes = {1, 1.03}},
    {FAMILY("spreading", STATIONARY, ONE_HELD_OUT,
            "gamma of shape 2 whose spread grows from 0.5 to 2 % in 1 s"),
     NOISE(spreading_gamma, 0.005, 0.02, 1 * S), .median_factor = 1},
    {FAMILY("heavy_ar", CORRELATED, ONE_HELD_OUT,
            "autoregressive 0.9, innovations of Student's t with 3 degrees"),
     NOISE(heavy_autoregressive, 0.9, 0.003), .median_factor = 1},
    {FAMILY("modes_80_20", MODES, HELD_OUT, "two modes 4 % apart, 80 and 20 %"),
     NOISE(modes, 0.005, 0.2, 1.04), .modes = {1, 1.04}},
    {FAMILY("three_modes", MODES, HELD_OUT, "40, 35 and 25 % at 0, +10 and +25 %"),
     NOISE(modes, 0.01, 0.35, 1.1, 0.25, 1.25), .modes = {1, 1.1, 1.25}},
    {FAMILY("early_then_step", RAMP, ONE_HELD_OUT, "+4 % until 35 ms"), NORMAL(0.003),
     LEVEL(step, 0.04, 35 * MS), .settled_ns = 35 * MS, .median_factor = 1},
    {FAMILY("rising_ramp", RAMP, ONE_HELD_OUT, "linear from -8 % to 0 in 80 ms"),
     NOISE(lognormal, 0.01), LEVEL(trace_ramp, -0.08, 80 * MS), .settled_ns = 80 * MS,
     .median_factor = 1},
    {FAMILY("locked_tick", TICK, ONE_HELD_OUT,
            "1.4235 us on a timer of 32 ns whose phase stays for 150 ms"),
     TICK(1423.5, 32), .phase_dwell_ns = 150 * MS, NORMAL(0.002), .median_factor = 1},
    {FAMILY("fine_tick", TICK, ONE_HELD_OUT, "50 us on a timer of 32 ns"), TICK(50000, 32),
     NORMAL(0.005), .median_factor = 1},
    {FAMILY("clock_steps", REGIME, HELD_OUT | TRACE_HAS_CLOCK,
            "the clock steps by 8 %, 120 and 60 ms on average, and is seen"),
     NORMAL(0.005), LEVEL(trace_regimes, 0.082, 120 * MS, 60 * MS), .cycle_ns = 180 * MS,
     .modes = {1, 1.082}},
    {FAMILY("sawtooth", REGIME, HELD_OUT, "0 to +3 % every 170 ms"), NORMAL(0.003),
     LEVEL(sawtooth, 0.03, 170 * MS)},
    {FAMILY("switching", REGIME, HELD_OUT,
            "+6 %, entered after 200 samples, left after 80, on average"),
     NOISE(switching, 0.008, 1.06, 1.0 / 200, 1.0 / 80), .cycle_samples = 280, .modes = {1, 1.06}},
    {FAMILY("power_limit", REGIME, HELD_OUT | TRACE_HAS_THROTTLE,
            "+16 % from 50 ms on, then wandering by 2 % within 0.3 s, throttled"),
     NORMAL(0.003), LEVEL(power_limit, 0.16, 50 * MS, 0.02, 0.3 * S), .settled_ns = 2 * S,
     .median_factor = 1.16},
};
const size_t n_trace_families = sizeof trace_families / sizeof trace_families[0];
