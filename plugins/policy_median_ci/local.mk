pkglib_LTLIBRARIES += plugins/policy_median_ci/policy_median_ci.la
plugins_policy_median_ci_policy_median_ci_la_SOURCES = \
	plugins/policy_median_ci/median_ci.c
plugins_policy_median_ci_policy_median_ci_la_CFLAGS = $(POLICY_CFLAGS)
plugins_policy_median_ci_policy_median_ci_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_policy_median_ci_policy_median_ci_la_LIBADD = $(PLUGIN_COMMON) $(SYSTEM_LIBS)
