/* trace_random.c - see trace_random.h. */
#include "tests/stopping/trace_random.h"

#include "core/base/random.h"

void trace_random_begin(struct trace_random *random, uint64_t seed, uint64_t stream, uint64_t index)
{
    for (uint64_t i = 0; i < 4; i++)
        random->state[i] = random_bits(seed, stream, 4 * index + i);
    random->state[0] |= 1; /* all zero would stay so */
}

/* AS 241 again: rational functions of the root of the tail's logarithm, for the nearer part of a
 * tail and for the rest of it. */
double trace_normal_tail(double p)
{
    static const double near_top[8] = {1.42343711074968357734,   4.6303378461565452959,
                                       5.7694972214606914055,    3.64784832476320460504,
                                       1.27045825245236838258,   0.24178072517745061177,
                                       0.0227238449892691845833, 7.7454501427834140764e-4};
    static const double near_bottom[8] = {1.0,
                                          2.05319162663775882187,
                                          1.6763848301838038494,
                                          0.68976733498510000455,
                                          0.14810397642748007459,
                                          0.0151986665636164571966,
                                          5.475938084995344946e-4,
                                          1.05075007164441684324e-9};
    static const double far_top[8] = {6.6579046435011037772,     5.4637849111641143699,
                                      1.7848265399172913358,     0.29656057182850489123,
                                      0.026532189526576123093,   0.0012426609473880784386,
                                      2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double far_bottom[8] = {1.0,
                                         0.59983220655588793769,
                                         0.13692988092273580531,
                                         0.0148753612908506148525,
                                         7.868691311456132591e-4,
                                         1.8463183175100546818e-5,
                                         1.4215117583164458887e-7,
                                         2.04426310338993978564e-15};
    double root = sqrt(-trace_log(p < 0.5 ? p : 1 - p));
    const double *top = root <= 5 ? near_top : far_top;
    const double *bottom = root <= 5 ? near_bottom : far_bottom;
    double r = root <= 5 ? root - 1.6 : root - 5, above = 0, below = 0;
    for (int i = 7; i >= 0; i--) {
        above = above * r + top[i];
        below = below * r + bottom[i];
    }
    return p < 0.5 ? -above / below : above / below;
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
