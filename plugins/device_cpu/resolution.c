/* resolution.c - see resolution.h. Plugin side. */
#include "resolution.h"

#include "plugins/common/bench_steps.h"

#include <math.h>
#include <stdlib.h>

double resolution_of(double *times, size_t n, double promised_ns)
{
    enum { MOST = 2 };
    size_t n_near = 0;
    size_t n_far = 0;
    double least_far_ns = INFINITY;
    qsort(times, n, sizeof *times, compare_doubles);
    for (size_t i = 1; i < n; i++) {
        const double step_ns = times[i] - times[i - 1];
        if (step_ns >= 1.5 * promised_ns) {
            n_far++;
            least_far_ns = fmin(least_far_ns, step_ns);
        } else if (step_ns > 0.0) {
            n_near++;
        }
    }
    return n_near >= MOST * n_far ? promised_ns : least_far_ns;
}
