# tests/local.mk - tests/FOLDER/test_NAME.c is a program of Check, test_NAME.sh a script; both are run by
# isolate.sh, and the TAP that they print is counted. Folders have the names of what they test.
# tests/modules/ holds plugins that misbehave, tests/fuzz/ fuzzers, which are run over their corpus here,
# tests/stopping/ the laboratory of stopping policies, tests/bench/ programs for make bench, tests/gpu/
# what needs a GPU (make check-gpu), tests/slurm/ what needs Slurm (make slurm-check).

# What tests find in their environment, beside a TMPDIR of their own. Check's own limits are of wall time, which a busy
# machine breaks: they are none, and that of isolate.sh, for what hangs, is the only one.
AM_TESTS_ENVIRONMENT = \
	GBRUN='$(abs_top_builddir)/gbrun$(EXEEXT)'; export GBRUN; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	CC='$(CC)'; export CC; CXX='$(CXX)'; export CXX; \
	MAKE='$(MAKE)'; export MAKE; PKG_CONFIG='$(PKG_CONFIG)'; export PKG_CONFIG; \
	NVCC='$(NVCC)'; export NVCC; \
	CK_TAP_LOG_FILE_NAME=-; export CK_TAP_LOG_FILE_NAME; \
	CK_TIMEOUT_MULTIPLIER=0; export CK_TIMEOUT_MULTIPLIER; \
	$(SANITIZE_ENVIRONMENT)

# Crashes on purpose are left to the signal, which is what tests of faults look for.
if SANITIZE
SANITIZE_ENVIRONMENT = \
	SANITIZE=1; export SANITIZE; \
	SANITIZE_CFLAGS='$(SANITIZE_CFLAGS)'; export SANITIZE_CFLAGS; \
	ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0:handle_abort=0; \
	export ASAN_OPTIONS; \
	UBSAN_OPTIONS=print_stacktrace=1; export UBSAN_OPTIONS;
endif

LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
AM_LOG_DRIVER_FLAGS = --ignore-exit
AM_SH_LOG_DRIVER_FLAGS = --ignore-exit
LOG_COMPILER = bash $(srcdir)/tests/isolate.sh
SH_LOG_COMPILER = $(LOG_COMPILER)

# Scripts take longest: they begin first, so that no processor waits for the last of them. What looks for minutes by
# nature is in LONG_TEST_SCRIPT_LIST, which make check-long runs too; with LONG=1, as there, tests do all of what they
# do a part of.
TESTS = $(TEST_SCRIPT_LIST) $(TEST_PROGRAM_LIST) $(FUZZ_TARGETS)
check_PROGRAMS += $(TEST_PROGRAM_LIST) $(FUZZ_TARGETS)

# Before a release, and by whoever touches its subject: all that can be looked at, for hours. What failed is said at
# the end. make clang, lto, sanitize and distcheck run the tests of make check.
check-long:
	@failed=; \
	LONG=1 HOSTILE=all TEST_TIME_LIMIT=7200 $(MAKE) $(AM_MAKEFLAGS) check \
	  TESTS='$(TESTS) $(LONG_TEST_SCRIPT_LIST) $(LONG_HOSTILE_SCRIPT_LIST)' || failed="$$failed check"; \
	LONG=1 $(MAKE) $(AM_MAKEFLAGS) lint || failed="$$failed lint"; \
	for target in clang lto sanitize distcheck; do \
	  $(MAKE) $(AM_MAKEFLAGS) $$target || failed="$$failed $$target"; \
	done; \
	for suite in bookworm trixie; do \
	  bash $(srcdir)/tests/fresh.sh --suite $$suite --optional || failed="$$failed $$suite"; \
	done; \
	test -z "$$failed" || { echo "make check-long: failed:$$failed" >&2; exit 1; }

# What all programs here are linked with.
check_LTLIBRARIES += tests/libcheck_main.la
tests_libcheck_main_la_SOURCES = \
	tests/check_main.c \
	tests/check_main.h \
	tests/draws.h \
	tests/fake_host.c \
	tests/fake_host.h \
	tests/report/markup.h \
	tests/text_case.h
tests_libcheck_main_la_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
LDADD = tests/libcheck_main.la core/libgbrun.la $(CHECK_LIBS) $(CORE_LIBS)

TEST_PROGRAM_LIST =
TEST_SCRIPT_LIST =
LONG_TEST_SCRIPT_LIST =
TEST_FILES =
include $(top_srcdir)/tests/base/local.mk
include $(top_srcdir)/tests/verify/local.mk
include $(top_srcdir)/tests/config/local.mk
include $(top_srcdir)/tests/store/local.mk
include $(top_srcdir)/tests/compare/local.mk
include $(top_srcdir)/tests/search/local.mk
include $(top_srcdir)/tests/run/local.mk
include $(top_srcdir)/tests/library/local.mk
include $(top_srcdir)/tests/view/local.mk
include $(top_srcdir)/tests/report/local.mk
include $(top_srcdir)/tests/replay/local.mk
include $(top_srcdir)/tests/plugins/local.mk
include $(top_srcdir)/tests/policy/local.mk
include $(top_srcdir)/tests/stopping/local.mk
include $(top_srcdir)/tests/cli/local.mk
include $(top_srcdir)/tests/python/local.mk
include $(top_srcdir)/tests/hostile/local.mk
include $(top_srcdir)/tests/judge/local.mk
include $(top_srcdir)/tests/bench/local.mk
include $(top_srcdir)/tests/scale/local.mk
include $(top_srcdir)/tests/fake_cuda/local.mk
include $(top_srcdir)/tests/fuzz/local.mk
include $(top_srcdir)/tests/gpu/local.mk
include $(top_srcdir)/tests/slurm/local.mk
include $(top_srcdir)/tests/modules/local.mk

# What tests read, for make dist.
TEST_FILES += \
	tests/fresh.sh \
	tests/fuzz/corpus \
	tests/golden \
	tests/isolate.sh \
	tests/lint.sh \
	tests/outside \
	tests/document_blocks.sh \
	tests/summary.sh \
	tests/tap.sh \
	tests/words.txt \
	$(GPU_TEST_FILES) \
	$(LONG_TEST_SCRIPT_LIST) \
	$(TEST_SCRIPT_LIST)
