pkglib_LTLIBRARIES += plugins/policy_median/policy_median.la
plugins_policy_median_policy_median_la_SOURCES = \
	plugins/policy_median/median.c
plugins_policy_median_policy_median_la_CFLAGS = $(POLICY_CFLAGS)
plugins_policy_median_policy_median_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_policy_median_policy_median_la_LIBADD = $(PLUGIN_COMMON) $(SYSTEM_LIBS)
