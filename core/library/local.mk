# The library for programs that measure functions of their own: gbrun/measure.h. It exports what
# libgbrun.map lists; the rest of core/ is inside.
lib_LTLIBRARIES += libgbrun.la
libgbrun_la_SOURCES = \
	core/library/append.c \
	core/library/callback.c \
	core/library/devices.c \
	core/library/library.h \
	core/library/measure.c \
	core/library/request.c \
	core/library/result.c \
	core/library/search.c \
	core/library/versus.c
# A bundle has the libraries that it needs beside it.
libgbrun_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 $(NO_UNDEFINED_LDFLAGS) -Wl,-rpath,'$$ORIGIN/.' \
	-Wl,--version-script=$(top_srcdir)/core/library/libgbrun.map
libgbrun_la_LIBADD = core/libmeasuring.la $(CORE_LIBS)
libgbrun_la_DEPENDENCIES = core/libmeasuring.la core/library/libgbrun.map
EXTRA_DIST += core/library/libgbrun.map
