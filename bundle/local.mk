# bundle/local.mk - make bundle: one archive that runs on any Linux with the C library of the machine
# that made it or a newer one, wherever it is unpacked. tests/test_bundle.sh checks it.
BUNDLE_NAME = gbrun-$(VERSION)
BUNDLE = $(BUNDLE_NAME)-linux-$(host_cpu).tar.gz

# The program once more: it looks for libraries and plugins beside itself only.
EXTRA_PROGRAMS += bundle/gbrun
bundle_gbrun_SOURCES = core/main.c core/module.c
bundle_gbrun_CPPFLAGS = $(AM_CPPFLAGS) -UGBRUN_PLUGIN_DIR -DGBRUN_PLUGIN_DIR='""'
bundle_gbrun_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,'$$ORIGIN/../lib'
bundle_gbrun_LDADD = $(gbrun_LDADD)

# The plugin in CUDA C that README.md shows, by the command that stands there.
if HAVE_CUDA
BUNDLE_README_PLUGIN = bundle/saxpy.so
bundle/saxpy.so: README.md $(public_HEADERS) bundle/readme_plugin.sh tests/readme_blocks.sh
	$(AM_V_GEN)$(MKDIR_P) bundle && NVCC='$(NVCC)' \
	  bash $(srcdir)/bundle/readme_plugin.sh $(srcdir) bundle
endif

BUNDLE_TEST_FILES = \
	tests/isolate.sh \
	tests/tap.sh \
	$(GPU_TEST_FILES)
BUNDLE_PROGRAM_LIST = $(STOPPING_PROGRAM) $(GPU_PROGRAM_LIST)
BUNDLE_COPIED = README.md conf $(public_HEADERS) $(BUNDLE_TEST_FILES)
BUNDLE_BUILT = bundle/gbrun$(EXEEXT) $(man_MANS) $(pkglib_LTLIBRARIES) \
	$(BUNDLE_PROGRAM_LIST) $(GPU_MODULE_LIST) $(BUNDLE_README_PLUGIN)

$(BUNDLE): $(BUNDLE_BUILT) $(BUNDLE_COPIED) bundle/make.sh
	$(AM_V_GEN)STRIP='$(STRIP)' PLUGINS='$(pkglib_LTLIBRARIES)' MAN='$(man_MANS)' \
	  TEST_PROGRAMS='$(BUNDLE_PROGRAM_LIST)' TEST_MODULES='$(GPU_MODULE_LIST)' \
	  TEST_FILES='$(BUNDLE_TEST_FILES)' README_PLUGIN='$(BUNDLE_README_PLUGIN)' \
	  bash $(srcdir)/bundle/make.sh $(srcdir) $(BUNDLE_NAME) $(BUNDLE)
bundle-archive: $(BUNDLE)
bundle: $(BUNDLE)
	@$(AM_TESTS_ENVIRONMENT) \
	  $(SHELL) $(srcdir)/tests/isolate.sh $(srcdir)/tests/test_bundle.sh >bundle/check.log; \
	  grep -v '^ok' bundle/check.log; ! grep -qE '^(not ok|Bail out!)' bundle/check.log
	@ls -l $(BUNDLE)

EXTRA_DIST += bundle/make.sh bundle/readme_plugin.sh
CLEANFILES += $(BUNDLE) bundle/gbrun$(EXEEXT) bundle/saxpy.so bundle/saxpy.cu bundle/check.log
