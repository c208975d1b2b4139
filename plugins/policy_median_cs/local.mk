pkglib_LTLIBRARIES += plugins/policy_median_cs/policy_median_cs.la
plugins_policy_median_cs_policy_median_cs_la_SOURCES = \
	plugins/policy_median_cs/median_cs.c
plugins_policy_median_cs_policy_median_cs_la_CFLAGS = $(POLICY_CFLAGS)
plugins_policy_median_cs_policy_median_cs_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_policy_median_cs_policy_median_cs_la_LIBADD = $(PLUGIN_COMMON) $(SYSTEM_LIBS)
