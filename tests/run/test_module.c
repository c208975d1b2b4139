/* test_module.c - core/run/module.c: which files are looked into first for a plugin. */
#include "core/run/module.h"
#include "tests/check_main.h"

#include <gbrun/module.h>

static const struct {
    const char *path, *id;
    bool may_hold;
} files[] = {
    {"/x/policy_median.so", "median", true},
    {"/x/policy_median.so", "median_ci", true},
    {"/x/median.so", "median_cs", true},
    {"/x/policy_median.so", "policy_median", true},
    {"/x/policy_median.so", "medians", false},
    {"/x/policy_median.so", "med", false},
    {"/x/policy_median_ci.so", "median", false},
    {"/x/bench_median.so", "median", false},
    {"/x/policy_.so", "_", false},
    {"/median/x.so", "median", false},
};

TEST_EACH(a_files_name_says_what_it_may_hold, files)
{
    ck_assert_msg(module_file_names(files[_i].path, GB_PLUGIN_POLICY, files[_i].id) ==
                      files[_i].may_hold,
                  "%s for %s", files[_i].path, files[_i].id);
}
