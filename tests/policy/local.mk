# tests/policy/local.mk - tests of stopping policies: plugins/policy_NAME/, plugins/common/policy/.
TEST_PROGRAM_LIST += tests/policy/test_policy
tests_policy_test_policy_SOURCES = \
	tests/policy/policy_fixture.h \
	tests/policy/steady_reference.c \
	tests/policy/steady_reference.h \
	tests/policy/test_common.c \
	tests/policy/test_policies.c \
	tests/policy/test_policies_reference.c \
	tests/policy/test_steady.c \
	tests/policy/test_steady_definition.c \
	tests/policy/test_steady_parts.c \
	tests/policy/test_thinned.c
tests_policy_test_policy_LDADD = $(STEADY_RULE) $(PLUGIN_COMMON) $(LDADD)
TEST_FILES += tests/policy/steady_traces.c
