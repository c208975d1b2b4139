/* verified.h - the fixture of benchmarks on a host whose comparisons are those of gbrun:
 * TEST_FIXTURE(verify_really, unload). */
#pragma once

#include "core/verify/verify.h"
#include "tests/plugins/bench_fixture.h"

static struct gb_check checked;       /* the last check; its arrays live as long as the host */
static struct verify_result compared; /* what came of it */

static int32_t real_check(const struct gb_host *host, const struct gb_check *check)
{
    struct gb_error error = {0};
    checked = *check;
    ck_assert_msg(verify_compare(check, 1e-3, &compared, &error) == GB_OK, "%s", error.text);
    return verify_passes(&compared, check, verify_metric_named(check->default_metric),
                         check->default_tolerance)
               ? GB_OK
               : GB_WRONG_RESULT;
}

static void equip_really(void)
{
    fake->host.check = real_check;
}

static void verify_really(void)
{
    equip = equip_really;
}

/* Of a benchmark that was created, run once. */
static inline int32_t verified(void)
{
    ck_assert_int_eq(ops->prepare(bench, &queue), GB_OK);
    run_bench(1);
    const int32_t status = ops->verify(bench, &queue);
    ck_assert_str_eq(checked.default_metric, "bound");
    return status;
}
