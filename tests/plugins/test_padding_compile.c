/* test_padding_compile.c - each kernel of padding compiled by itself, where NVRTC is installed; no
 * GPU is needed. */
#include "plugins/bench_padding/compile.h"
#include "plugins/bench_padding/plan.h"
#include "tests/check_main.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char source[1 << 16];
static size_t length;

static void append_source(const char *name)
{
    char path[4096];
    const char *folder = getenv("top_srcdir");
    snprintf(path, sizeof path, "%s/%s", folder != NULL ? folder : ".", name);
    FILE *file = fopen(path, "r");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    length += fread(source + length, 1, sizeof source - length, file);
    fclose(file);
    ck_assert_uint_lt(length, sizeof source);
}

/* As the plugin embeds it. */
static void read_source(void)
{
    length = 0;
    append_source("conf/tune.cu");
    append_source("plugins/bench_padding/padding.cu");
}

static struct compiled compiled_for(int32_t problem, int32_t schedule, int32_t tile)
{
    const struct product_shape shape = problem == PROBLEM_DENSE
                                           ? (struct product_shape){960, 2304, 770, 1}
                                           : (struct product_shape){120, 120, 64, 192};
    const struct plan plan = plan_of(&shape, problem, schedule, tile, 132);
    struct compiled compiled = {0};
    char reason[4096];
    ck_assert_msg(compile_kernel(source, length, plan.kernel, 90, &compiled, reason, sizeof reason),
                  "%s: %s", plan.kernel, reason);
    ck_assert_double_gt(compiled.ms, 0);
    ck_assert_msg(compiled.code_bytes > 1000 && compiled.code_bytes < 1000000, "%s: %llu bytes",
                  plan.kernel, (unsigned long long)compiled.code_bytes);
    ck_assert_uint_eq(compiled.code_bytes % 16, 0); /* of whole instructions */
    return compiled;
}

/* What the document says of loop partitioning: the loop is there twice. */
TEST_TIMES(schedules_are_compiled_one_by_one, getenv("LONG") != NULL ? 2 : 1)
{
    const int32_t problem = _i == 0 ? PROBLEM_DENSE : PROBLEM_BATCHED;
    read_source();
    const struct compiled pad = compiled_for(problem, SCHEDULE_PAD, TILE_AUTO);
    const struct compiled both = compiled_for(problem, SCHEDULE_PARTITION_PAD, TILE_AUTO);
    if (getenv("LONG") != NULL) {
        compiled_for(problem, SCHEDULE_BASELINE, TILE_AUTO);
        compiled_for(problem, SCHEDULE_PARTITION, TILE_AUTO);
    }
    ck_assert_uint_gt(both.code_bytes, pad.code_bytes * 3 / 2);
}

/* All of them take ten seconds; LONG. */
TEST_TIMES(so_are_all_tiles, getenv("LONG") != NULL ? N_TILES : 1)
{
    read_source();
    compiled_for(PROBLEM_DENSE, SCHEDULE_TUNED, TILE_AUTO + 1 + _i);
}

TEST(a_kernel_that_is_not_there_is_reported)
{
    struct compiled compiled;
    char reason[4096];
    read_source();
    ck_assert(!compile_kernel(source, length, "nowhere", 90, &compiled, reason, sizeof reason));
    ck_assert_str_ne(reason, "");
}
