# core/local.mk - the program: all of core/ but main.c is a library that the tests link too. Each
# folder lists its files. Those that measure and store are one of their own, which is in libgbrun, too.
bin_PROGRAMS += gbrun
noinst_LTLIBRARIES += core/libmeasuring.la core/libgbrun.la

AM_CPPFLAGS += $(INIH_CFLAGS) $(SQLITE_CFLAGS) \
	-DGBRUN_VERSION='"$(VERSION)"' -DGBRUN_PLUGIN_DIR='"$(pkglibdir)"' -DGBRUN_SOURCES='"$(top_srcdir)/"'
CORE_LIBS = $(INIH_LIBS) $(SQLITE_LIBS) $(SYSTEM_LIBS)

gbrun_SOURCES = core/cli/main.c
gbrun_LDADD = core/libgbrun.la $(CORE_LIBS)

core_libmeasuring_la_SOURCES =
core_libgbrun_la_SOURCES =
core_libgbrun_la_LIBADD = core/libmeasuring.la
CORE_FILES = $(core_libmeasuring_la_SOURCES) $(core_libgbrun_la_SOURCES)
include $(top_srcdir)/core/base/local.mk
include $(top_srcdir)/core/verify/local.mk
include $(top_srcdir)/core/config/local.mk
include $(top_srcdir)/core/store/local.mk
include $(top_srcdir)/core/compare/local.mk
include $(top_srcdir)/core/search/local.mk
include $(top_srcdir)/core/run/local.mk
include $(top_srcdir)/core/view/local.mk
include $(top_srcdir)/core/report/local.mk
include $(top_srcdir)/core/replay/local.mk
include $(top_srcdir)/core/cli/local.mk
include $(top_srcdir)/core/library/local.mk
