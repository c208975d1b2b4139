/*
 * verify.c - how fast an output is compared with its reference, on one core, with all metrics, the
 * histogram and the bound: seconds for a gigabyte of fp16 whose elements are all wrong by one
 * spacing, by code path of the program. 64 Ki elements stay in the cache.
 */
#include "core/verify/verify.h"
#include "core/base/number_format.h"
#include "core/base/random.h"
#include "tests/modules/host_time.h"
#include "tests/modules/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 65536 };
/* Aligned as gb_host.allocate gives it. */
static _Alignas(64) double reference[N], magnitude[N], output[N];

static void fill(void)
{
    for (uint64_t i = 0; i < N; i++) {
        for (uint64_t j = 0; j < 4; j++) /* near enough to a normal distribution */
            reference[i] += 16 * random_unit(1, j, i) - 8;
        double rounded = number_round(GB_F16, reference[i]);
        double error = number_spacing(GB_F16, rounded);
        magnitude[i] = 64 * (1 + random_unit(1, 4, i));
        number_store(GB_F16, output, i, rounded + (i % 3 ? error : -error));
    }
}

/* The best of many: other work on the machine only ever adds. */
static double seconds_to_compare(void)
{
    const SIZED(gb_check, check, .format = GB_F16, .n = N, .output = output, .reference = reference,
                .magnitude = magnitude, .n_products = 64, .accumulate = GB_F32);
    double best_ns = INFINITY, begin_ns = now_ns();
    for (int i = 0; i < 3 || now_ns() - begin_ns < 0.2e9; i++) {
        struct verify_result result;
        double before_ns = now_ns();
        if (verify_compare(&check, 1e-3, &result, NULL) != GB_OK)
            exit(1);
        best_ns = fmin(best_ns, now_ns() - before_ns);
    }
    return 1e-9 * best_ns;
}

int main(void)
{
    static const char *const path_names[VERIFY_PATHS] = {"portable", "AVX2", "AVX-512"};
    fill();
    for (int path = 0; path < VERIFY_PATHS; path++) {
        if (!verify_path_is_there(path))
            continue;
        verify_use_path(path);
        printf("%s %.3f\n", path_names[path], seconds_to_compare() / (2e-9 * N));
    }
    return 0;
}
