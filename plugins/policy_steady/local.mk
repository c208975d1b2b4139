pkglib_LTLIBRARIES += plugins/policy_steady/policy_steady.la
plugins_policy_steady_policy_steady_la_SOURCES = \
	plugins/policy_steady/steady.c
plugins_policy_steady_policy_steady_la_CFLAGS = $(POLICY_CFLAGS)
plugins_policy_steady_policy_steady_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_policy_steady_policy_steady_la_LIBADD = $(PLUGIN_COMMON) $(SYSTEM_LIBS)
