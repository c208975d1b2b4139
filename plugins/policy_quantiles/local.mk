pkglib_LTLIBRARIES += plugins/policy_quantiles/policy_quantiles.la
plugins_policy_quantiles_policy_quantiles_la_SOURCES = \
	plugins/policy_quantiles/quantiles.c
plugins_policy_quantiles_policy_quantiles_la_CFLAGS = $(POLICY_CFLAGS)
plugins_policy_quantiles_policy_quantiles_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_policy_quantiles_policy_quantiles_la_LIBADD = $(PLUGIN_COMMON) $(SYSTEM_LIBS)
