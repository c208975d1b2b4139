/* test_module.c - core/run/module.c: which files are looked into first for a plugin. */
#include "core/run/module.h"
#include "tests/text_case.h"

#include <gbrun/module.h>

static void add_may_hold(char *path, uint32_t kind, struct text *out)
{
    const char *of = strsep(&path, "|");
    text_add(out, module_file_names(of, kind, path) ? "may" : "no");
}

static const struct text_cases files[] = {
    {{add_may_hold, GB_PLUGIN_POLICY},
     {"/x/policy_median.so|median -> may", "/x/policy_median.so|median_ci -> may",
      "/x/median.so|median_cs -> may", "/x/policy_median.so|policy_median -> may",
      "/x/policy_median.so|medians -> no", "/x/policy_median.so|med -> no",
      "/x/policy_median_ci.so|median -> no", "/x/bench_median.so|median -> no",
      "/x/policy_.so|_ -> no", "/median/x.so|median -> no"}},
};

TEST_TEXT_CASES(a_files_name_says_what_it_may_hold, files)
