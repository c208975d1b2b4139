/* trace_random.c - see trace_random.h. */
#include "tests/stopping/trace_random.h"

#include "core/base/random.h"

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
