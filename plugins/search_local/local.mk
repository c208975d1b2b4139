pkglib_LTLIBRARIES += plugins/search_local/search_local.la
plugins_search_local_search_local_la_SOURCES = \
	plugins/search_local/local.c
plugins_search_local_search_local_la_CFLAGS = $(POLICY_CFLAGS)
plugins_search_local_search_local_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_search_local_search_local_la_LIBADD = $(PLUGIN_COMMON) $(SYSTEM_LIBS)
