# tests/scale/local.mk - programs for results of very many tasks.
SCALE_PROGRAM = tests/scale/shards
check_PROGRAMS += $(SCALE_PROGRAM)
tests_scale_shards_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
tests_scale_shards_LDADD = core/libgbrun.la $(CHECK_LIBS) $(CORE_LIBS)
TEST_FILES += tests/scale/check.sh

# 10^6 cases on 10^4 shards; then tasks that share cases, killed 50 times.
SCALE_KILLS = 50
scale-check: all $(SCALE_PROGRAM)
	GBRUN='$(abs_top_builddir)/gbrun$(EXEEXT)' top_builddir='$(abs_top_builddir)' bash $(srcdir)/tests/scale/check.sh
	CLAIM_KILLS=$(SCALE_KILLS) TEST_TIME_LIMIT=3600 $(MAKE) check TESTS=tests/hostile/test_claims.sh
