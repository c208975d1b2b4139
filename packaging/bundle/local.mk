# packaging/bundle/local.mk - make bundle: one archive that runs on any Linux with the C library of the
# machine that made it or a newer one, wherever it is unpacked. tests/cli/test_bundle.sh checks it.
BUNDLE_NAME = gbrun-$(VERSION)
BUNDLE = $(BUNDLE_NAME)-linux-$(host_cpu).tar.gz

# The program once more: it looks for libraries and plugins beside itself only.
EXTRA_PROGRAMS += packaging/bundle/gbrun
packaging_bundle_gbrun_SOURCES = core/cli/main.c core/run/plugin_folder.c
packaging_bundle_gbrun_CPPFLAGS = $(AM_CPPFLAGS) -UGBRUN_PLUGIN_DIR -DGBRUN_PLUGIN_DIR='""'
packaging_bundle_gbrun_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,'$$ORIGIN/../lib'
packaging_bundle_gbrun_LDADD = core/libgbrun.la $(BUNDLE_LIBS)
# And libgbrun, with SQLite inside, where it is installed as an archive: Python's sqlite3 and others that the
# process loads keep the libsqlite3.so.0 that they came with.
BUNDLE_SQLITE = $(filter /%,$(shell $(CC) -print-file-name=libsqlite3.a))
BUNDLE_LIBS = $(INIH_LIBS) $(or $(BUNDLE_SQLITE),$(SQLITE_LIBS)) $(SYSTEM_LIBS)
EXTRA_LTLIBRARIES += packaging/bundle/libgbrun.la
packaging_bundle_libgbrun_la_SOURCES = $(libgbrun_la_SOURCES)
packaging_bundle_libgbrun_la_LDFLAGS = $(libgbrun_la_LDFLAGS) -rpath $(libdir)
packaging_bundle_libgbrun_la_LIBADD = core/libmeasuring.la $(BUNDLE_LIBS)

# Modules in CUDA C: the example here and those of tests/modules. What nvcc's C++ needs of the C++ library
# is a lock around a variable that is set once; the machine that the bundle is taken to may have no such
# library.
NVCC_MODULE = $(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(NVCC) -O2 -arch=sm_90 -shared -Xcompiler -fPIC,-fno-threadsafe-statics -Xlinker --as-needed \
	  -I$(top_srcdir)/include -o $@ $<
if HAVE_CUDA
BUNDLE_EXAMPLE = packaging/bundle/saxpy.so
packaging/bundle/saxpy.so: docs/examples/saxpy.cu $(public_HEADERS)
	$(NVCC_MODULE)
endif

BUNDLE_TEST_FILES = \
	tests/isolate.sh \
	tests/tap.sh \
	$(GPU_TEST_FILES)
BUNDLE_PROGRAM_LIST = $(STOPPING_PROGRAM) $(GPU_PROGRAM_LIST)
BUNDLE_COPIED = $(DOCUMENTS) $(EXAMPLES) $(SCALE_FILES) $(dist_conf_DATA) $(dist_pkgdata_DATA) $(public_HEADERS) $(BUNDLE_TEST_FILES)
BUNDLE_BUILT = packaging/bundle/gbrun$(EXEEXT) packaging/bundle/libgbrun.la $(dist_man_MANS) $(pkgconfig_DATA) $(nodist_cmake_DATA) $(nodist_libgbruncmake_DATA) \
	$(pkglib_LTLIBRARIES) \
	$(BUNDLE_PROGRAM_LIST) $(GPU_MODULE_LIST) $(BUNDLE_EXAMPLE)

$(BUNDLE): $(BUNDLE_BUILT) $(BUNDLE_COPIED) packaging/bundle/make.sh
	$(AM_V_GEN)STRIP='$(STRIP)' OBJDUMP='$(OBJDUMP)' CROSS_CC='$(CROSS_CC)' PLUGINS='$(pkglib_LTLIBRARIES)' MAN='$(dist_man_MANS)' \
	  TEST_PROGRAMS='$(BUNDLE_PROGRAM_LIST)' TEST_MODULES='$(GPU_MODULE_LIST)' \
	  COPIED='$(DOCUMENTS) $(EXAMPLES) $(SCALE_FILES) $(dist_conf_DATA) $(dist_pkgdata_DATA)' TEST_FILES='$(BUNDLE_TEST_FILES)' EXAMPLE='$(BUNDLE_EXAMPLE)' \
	  bash $(srcdir)/packaging/bundle/make.sh $(srcdir) $(BUNDLE_NAME) $(BUNDLE)
bundle-archive: $(BUNDLE)
bundle: $(BUNDLE)
	$(call bundle_checked,tests/cli/test_bundle.sh,$(BUNDLE))
# $(call bundle_checked,TEST,ARCHIVE): a recipe. That a build for another machine does not run ends it well.
bundle_checked = @test -z '$(CROSS_CC)' || { echo '$(2) is for another machine: not checked here'; exit 0; }; \
	  $(AM_TESTS_ENVIRONMENT) \
	  bash $(srcdir)/tests/isolate.sh $(srcdir)/$(1) >packaging/bundle/check.log; \
	  grep -v '^ok' packaging/bundle/check.log; ! grep -qE '^(not ok|Bail out!)' packaging/bundle/check.log && ls -l $(2)

EXTRA_DIST += packaging/bundle/make.sh
CLEANFILES += $(BUNDLE) packaging/bundle/gbrun$(EXEEXT) packaging/bundle/libgbrun.la packaging/bundle/saxpy.so \
	packaging/bundle/check.log
