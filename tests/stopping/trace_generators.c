/* trace_generators.c - see trace_generators.h. The families themselves are in trace_families.c. */
#include "tests/stopping/trace_generators.h"

#include "core/base/memory.h"
#include "core/base/random.h"
#include "core/base/text.h"

#include <stdbool.h>
#include <stdlib.h>

/* --- random numbers --- */

void trace_random_begin(struct trace_random *random, uint64_t seed, uint64_t stream, uint64_t index)
{
    for (uint64_t i = 0; i < 4; i++)
        random->state[i] = random_bits(seed, stream, 4 * index + i);
    random->state[0] |= 1; /* all zero would stay so */
}

double trace_normal(struct trace_random *random)
{
    /* Rational functions, for the middle, the nearer part of a tail and the rest of it: above and
     * below, by ascending powers. */
    static const double parts[3][8][2] = {
        {{3.387132872796366608, 1.0},
         {133.14166789178437745, 42.313330701600911252},
         {1971.5909503065514427, 687.1870074920579083},
         {13731.693765509461125, 5394.1960214247511077},
         {45921.953931549871457, 21213.794301586595867},
         {67265.770927008700853, 39307.89580009271061},
         {33430.575583588128105, 28729.085735721942674},
         {2509.0809287301226727, 5226.495278852545925}},
        {{1.42343711074968357734, 1.0},
         {4.6303378461565452959, 2.05319162663775882187},
         {5.7694972214606914055, 1.6763848301838038494},
         {3.64784832476320460504, 0.68976733498510000455},
         {1.27045825245236838258, 0.14810397642748007459},
         {0.24178072517745061177, 0.0151986665636164571966},
         {0.0227238449892691845833, 5.475938084995344946e-4},
         {7.7454501427834140764e-4, 1.05075007164441684324e-9}},
        {{6.6579046435011037772, 1.0},
         {5.4637849111641143699, 0.59983220655588793769},
         {1.7848265399172913358, 0.13692988092273580531},
         {0.29656057182850489123, 0.0148753612908506148525},
         {0.026532189526576123093, 7.868691311456132591e-4},
         {0.0012426609473880784386, 1.8463183175100546818e-5},
         {2.71155556874348757815e-5, 1.4215117583164458887e-7},
         {2.01033439929228813265e-7, 2.04426310338993978564e-15}}};
    double p = trace_uniform(random), q = p - 0.5, above = 0, below = 0, r = 0.180625 - q * q;
    int part = 0;
    if (q > 0.425 || q < -0.425) {
        r = sqrt(-trace_log(p < 0.5 ? p : 1 - p));
        part = r <= 5 ? 1 : 2;
        r -= r <= 5 ? 1.6 : 5;
        q = p < 0.5 ? -1 : 1;
    }
    for (int i = 7; i >= 0; i--) {
        above = above * r + parts[part][i][0];
        below = below * r + parts[part][i][1];
    }
    return q * above / below;
}

/* Taylor's series on a quarter turn either side of 0. */
double trace_sine_turns(double x)
{
    x -= floor(x + 0.5);
    x = x > 0.25 ? 0.5 - x : x < -0.25 ? -0.5 - x : x;
    double y = x * 6.283185307179586, square = y * y, sum = 1;
    for (int i = 20; i >= 2; i -= 2)
        sum = 1 - sum * square / (i * (i + 1));
    return y * sum;
}

/* --- traces --- */

/* The device's clock where a family shows it, at level 1. */
static const double CLOCK_HZ = 1.98e9;

enum { TRACE_FIRST = 1024, TRACE_BLOCK = 16384, TRACE_THROTTLE_BIT = 4 };

const struct trace_family *trace_family_named(const char *name)
{
    for (size_t i = 0; i < n_trace_families; i++)
        if (strcmp(trace_families[i].name, name) == 0)
            return &trace_families[i];
    return NULL;
}

/* By its name, so that a family's traces stay when others are added. */
static uint64_t stream_of(const struct trace_setting *setting)
{
    uint64_t hash = HASH_START, numbers[2];
    for (const char *c = setting->family->name; *c; c++)
        hash = hash_number(hash, (uint8_t)*c);
    memcpy(&numbers[0], &setting->time_ns, sizeof numbers[0]);
    memcpy(&numbers[1], &setting->overhead_ns, sizeof numbers[1]);
    for (int i = 0; i < 2; i++)
        hash = hash_number(hash, numbers[i] >> 32 ^ (numbers[i] & 0xffffffffu));
    return hash;
}

void trace_begin(struct trace *trace, const struct trace_setting *setting, uint64_t seed,
                 uint64_t replication)
{
    const int flags = setting->family->flags;
    trace->setting = *setting;
    trace->has_throttle = (flags & TRACE_HAS_THROTTLE) != 0;
    trace->has_clock = trace->has_throttle || (flags & TRACE_HAS_CLOCK);
    trace->traits = flags & TRACE_DITHERED ? GB_SAMPLES_DITHERED : 0;
    trace->tick_ns = setting->family->tick_ns;
    trace_random_begin(&trace->random, seed, stream_of(setting), replication);
    trace->elapsed_ns = trace->level_until_ns = trace->phase_until_ns = 0;
    trace->hidden_ns = trace->load_ns = 0;
    trace->state = trace->level_state = NAN; /* functions begin with them */
    trace->changed_ns = trace->returned_ns = NAN;
    trace->phase = 0;
    for (int i = 0; i < TRACE_PARTS; i++)
        trace->parts[i] = 0;
    trace->n_parts = 0;
    trace->n = 0;
}

void trace_load(struct trace *trace)
{
    static const double load_ns = 1e9, step_ns = 1e6, same_ratio = 0.0025;
    const struct trace_family *family = trace->setting.family;
    double low = INFINITY, high = 0;
    trace->hidden_ns = load_ns;
    for (; trace->elapsed_ns < load_ns; trace->elapsed_ns += step_ns) {
        const double level = family->level ? family->level(trace, family->level_parameters) : 1;
        low = fmin(low, level);
        high = fmax(high, level);
    }
    trace->load_ns = high - low <= same_ratio * high ? load_ns : 0;
    trace->has_clock = true;
}

bool trace_needs_rounds(const struct trace_setting *setting)
{
    const double visit_ns = 15e9, entries = 6;
    const struct trace_family *family = setting->family;
    double cycle_ns = family->cycle_ns +
                      family->cycle_samples * (setting->time_ns + setting->overhead_ns);
    return entries * cycle_ns > visit_ns;
}

/* Both timestamps are read on a grid that lies anywhere, so a reading is the time rounded down or
 * up, and right on average over phases. */
static double read_timer(struct trace *trace, double time_ns)
{
    const struct trace_family *family = trace->setting.family;
    if (family->phase_dwell_ns == 0) {
        trace->phase = trace_uniform(&trace->random);
    } else if (trace->elapsed_ns >= trace->phase_until_ns) {
        trace->phase = trace_uniform(&trace->random);
        trace->phase_until_ns = trace->elapsed_ns +
                                family->phase_dwell_ns * trace_exponential(&trace->random);
    }
    return family->tick_ns * floor(time_ns / family->tick_ns + trace->phase);
}

static void make_sample(struct trace *trace, uint64_t i)
{
    const struct trace_family *family = trace->setting.family;
    double level = family->level ? family->level(trace, family->level_parameters) : 1;
    double noise = family->noise ? family->noise(trace, family->noise_parameters) : 1;
    double time_ns = trace->setting.time_ns * level * noise;
    trace->time_ns[i] = family->tick_ns > 0 ? read_timer(trace, time_ns) : time_ns;
    trace->elapsed_ns += time_ns + trace->setting.overhead_ns;
    trace->sample_elapsed_ns[i] = trace->elapsed_ns - trace->hidden_ns;
    trace->clock_hz[i] = CLOCK_HZ / level;
    bool is_throttled = (family->flags & TRACE_HAS_THROTTLE) != 0 && level > 1;
    trace->throttle[i] = is_throttled ? TRACE_THROTTLE_BIT : 0;
    trace->flags[i] = is_throttled ? GB_SAMPLE_THROTTLED : 0;
}

#define COLUMNS(X) X(time_ns) X(sample_elapsed_ns) X(clock_hz) X(throttle) X(iterations) X(flags)
#define RESIZE(column) trace->column = memory_resize(trace->column, n * sizeof *trace->column);
#define FREE(column) free(trace->column);

void trace_reserve(struct trace *trace, uint64_t n)
{
    uint64_t had = trace->capacity;
    if (n <= had)
        return;
    COLUMNS(RESIZE)
    for (uint64_t i = had; i < n; i++)
        trace->iterations[i] = 1;
    trace->capacity = n;
}

void trace_extend(struct trace *trace, uint64_t n)
{
    if (n <= trace->n)
        return;
    uint64_t more = trace->n < TRACE_FIRST ? TRACE_FIRST : trace->n / 2;
    if (more > TRACE_BLOCK)
        more = TRACE_BLOCK;
    uint64_t end = n > trace->n + more ? n : trace->n + more;
    if (end > trace->capacity)
        trace_reserve(trace, end > 2 * trace->capacity ? end : 2 * trace->capacity);
    for (uint64_t i = trace->n; i < end; i++)
        make_sample(trace, i);
    trace->n = end;
}

struct gb_samples trace_part(const struct trace *trace, uint64_t first, uint64_t n)
{
    return (struct gb_samples){
        .size = sizeof(struct gb_samples),
        .traits = trace->traits,
        .n = n,
        .time_ns = trace->time_ns + first,
        .elapsed_ns = trace->sample_elapsed_ns + first,
        .iterations = trace->iterations + first,
        .clock_hz = trace->has_clock ? trace->clock_hz + first : NULL,
        .throttle = trace->has_throttle ? trace->throttle + first : NULL,
        .flags = trace->flags + first,
        .tick_ns = trace->tick_ns,
    };
}

struct gb_samples trace_from(const struct trace *trace, uint64_t first, double *elapsed_ns)
{
    struct gb_samples part = trace_part(trace, first, trace->n - first);
    const double begin_ns = first > 0 ? trace->sample_elapsed_ns[first - 1] : 0;
    for (uint64_t i = 0; i < part.n; i++)
        elapsed_ns[i] = part.elapsed_ns[i] - begin_ns;
    part.elapsed_ns = elapsed_ns;
    return part;
}

void trace_free(struct trace *trace)
{
    COLUMNS(FREE)
    *trace = (struct trace){0};
}
