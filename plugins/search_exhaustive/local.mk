pkglib_LTLIBRARIES += plugins/search_exhaustive/search_exhaustive.la
plugins_search_exhaustive_search_exhaustive_la_SOURCES = \
	plugins/search_exhaustive/exhaustive.c
plugins_search_exhaustive_search_exhaustive_la_CFLAGS = $(POLICY_CFLAGS)
plugins_search_exhaustive_search_exhaustive_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_search_exhaustive_search_exhaustive_la_LIBADD = $(PLUGIN_COMMON) $(SYSTEM_LIBS)
