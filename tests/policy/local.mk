# tests/policy/local.mk - tests of stopping policies, and plugins/common/policy/.
TEST_PROGRAM_LIST += \
	tests/policy/test_clock_history \
	tests/policy/test_confidence_sequence \
	tests/policy/test_dithered_mean \
	tests/policy/test_dithering \
	tests/policy/test_effective_size \
	tests/policy/test_modes \
	tests/policy/test_policies \
	tests/policy/test_policies_reference \
	tests/policy/test_rank_index \
	tests/policy/test_series_trend \
	tests/policy/test_steady \
	tests/policy/test_steady_definition \
	tests/policy/test_thinned
TEST_FILES += tests/policy/policy_fixture.h tests/policy/steady_reference.h tests/policy/steady_traces.c
tests_policy_test_clock_history_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_policy_test_confidence_sequence_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_policy_test_dithered_mean_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_policy_test_effective_size_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_policy_test_effective_size_SOURCES = \
	tests/policy/test_effective_size.c \
	tests/policy/steady_reference.c
tests_policy_test_modes_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_policy_test_policies_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_policy_test_rank_index_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_policy_test_rank_index_SOURCES = \
	tests/policy/test_rank_index.c \
	tests/policy/steady_reference.c
tests_policy_test_series_trend_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_policy_test_steady_definition_SOURCES = \
	tests/policy/test_steady_definition.c \
	tests/policy/steady_reference.c
tests_policy_test_thinned_LDADD = $(PLUGIN_COMMON) $(LDADD)
