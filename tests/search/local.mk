# tests/search/local.mk - tests of searches: core/search/, plugins/search_NAME/, plugins/common/search/.
TEST_PROGRAM_LIST += \
	tests/search/test_engine \
	tests/search/test_recorded \
	tests/search/test_searches \
	tests/search/test_space \
	tests/search/test_synthetic
tests_search_test_searches_LDADD = $(PLUGIN_COMMON) $(LDADD)
