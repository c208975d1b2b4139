# The documented example: built by make check, not installed.
check_LTLIBRARIES += plugins/skeleton/skeleton.la
plugins_skeleton_skeleton_la_SOURCES = \
	plugins/skeleton/skeleton.c
plugins_skeleton_skeleton_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_skeleton_skeleton_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath /nowhere
plugins_skeleton_skeleton_la_LIBADD = $(SYSTEM_LIBS)
