/* steering_id.c - a benchmark whose id is an escape sequence: what refuses it names it. */
#include <gbrun/gbrun.h>

static const struct gb_bench_ops ops = {.size = sizeof ops};
static const struct gb_plugin plugin = {
    GB_PLUGIN(BENCH, "\033]0;title\a\xc2\x9b\xff", "1.0", "cannot be used"), .ops = &ops};

GB_MODULE(&plugin)
