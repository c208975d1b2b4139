pkglib_LTLIBRARIES += plugins/policy_fixed/policy_fixed.la
plugins_policy_fixed_policy_fixed_la_SOURCES = \
	plugins/policy_fixed/fixed.c
plugins_policy_fixed_policy_fixed_la_CFLAGS = $(POLICY_CFLAGS)
plugins_policy_fixed_policy_fixed_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_policy_fixed_policy_fixed_la_LIBADD = $(PLUGIN_COMMON) $(SYSTEM_LIBS)
