pkglib_LTLIBRARIES += plugins/search_race/search_race.la
plugins_search_race_search_race_la_SOURCES = \
	plugins/search_race/race.c
plugins_search_race_search_race_la_CFLAGS = $(POLICY_CFLAGS)
plugins_search_race_search_race_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_search_race_search_race_la_LIBADD = $(PLUGIN_COMMON) $(SYSTEM_LIBS)
