# tests/compare/local.mk - tests of comparisons, core/compare/.
TEST_PROGRAM_LIST += \
	tests/compare/test_comparison
