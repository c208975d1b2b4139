# tests/search/local.mk - tests of searches: core/search/, plugins/search_NAME/, plugins/common/search/.
TEST_PROGRAM_LIST += tests/search/test_search
tests_search_test_search_SOURCES = \
	tests/search/search_world.h \
	tests/search/test_engine.c \
	tests/search/test_recorded.c \
	tests/search/test_searches.c \
	tests/search/test_space.c \
	tests/search/test_synthetic.c
tests_search_test_search_LDADD = $(PLUGIN_COMMON) $(LDADD)
