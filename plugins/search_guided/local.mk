pkglib_LTLIBRARIES += plugins/search_guided/search_guided.la
plugins_search_guided_search_guided_la_SOURCES = \
	plugins/search_guided/guided.c \
	plugins/search_guided/model.c \
	plugins/search_guided/model.h
plugins_search_guided_search_guided_la_CFLAGS = $(POLICY_CFLAGS)
plugins_search_guided_search_guided_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_search_guided_search_guided_la_LIBADD = $(PLUGIN_COMMON) $(SYSTEM_LIBS)
