pkglib_LTLIBRARIES += plugins/policy_entropy/policy_entropy.la
plugins_policy_entropy_policy_entropy_la_SOURCES = \
	plugins/policy_entropy/entropy.c
plugins_policy_entropy_policy_entropy_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_policy_entropy_policy_entropy_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_policy_entropy_policy_entropy_la_LIBADD = $(PLUGIN_COMMON) $(SYSTEM_LIBS)
