pkglib_LTLIBRARIES += plugins/policy_stdrel/policy_stdrel.la
plugins_policy_stdrel_policy_stdrel_la_SOURCES = \
	plugins/policy_stdrel/stdrel.c
plugins_policy_stdrel_policy_stdrel_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_policy_stdrel_policy_stdrel_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_policy_stdrel_policy_stdrel_la_LIBADD = $(PLUGIN_COMMON) $(SYSTEM_LIBS)
