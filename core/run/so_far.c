/* so_far.c - see so_far.h. */
#include "core/run/so_far.h"

#include "core/base/memory.h"
#include "core/base/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void thin(struct so_far *so_far)
{
    for (size_t i = 0; 2 * i < so_far->n_kept; i++)
        so_far->kept[i] = so_far->kept[2 * i];
    so_far->n_kept = (so_far->n_kept + 1) / 2;
    so_far->step *= 2;
}

void so_far_add(struct so_far *so_far, const double *time_ns, uint64_t n)
{
    if (!so_far->kept) {
        so_far->kept = memory_resize(NULL, SO_FAR_KEPT * sizeof *so_far->kept);
        so_far->step = 1;
    }
    for (uint64_t i = 0; i < n; i++) {
        if (isnan(time_ns[i]) || so_far->n++ % so_far->step != 0)
            continue;
        if (so_far->n_kept == SO_FAR_KEPT)
            thin(so_far);
        if ((so_far->n - 1) % so_far->step == 0)
            so_far->kept[so_far->n_kept++] = time_ns[i];
    }
}

struct so_far_median so_far_median(const struct so_far *so_far)
{
    static const double confidence = 0.95;
    const size_t n = so_far->n_kept;
    const size_t rank = sign_interval_rank(n, confidence);
    struct so_far_median ret = {NAN, NAN, NAN, confidence};
    double *sorted = memory_allocate((n + 1) * sizeof *sorted);
    if (n > 0)
        memcpy(sorted, so_far->kept, n * sizeof *sorted);
    sort_values(sorted, n);
    if (n > 0)
        ret.median_ns = quantile_of_sorted(sorted, n, 0.5);
    if (rank > 0) {
        ret.low_ns = sorted[rank - 1];
        ret.high_ns = sorted[n - rank];
    }
    free(sorted);
    return ret;
}

void so_far_free(struct so_far *so_far)
{
    free(so_far->kept);
    *so_far = (struct so_far){0};
}
