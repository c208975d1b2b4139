# tests/compare/local.mk - tests of comparisons, core/compare/.
TEST_PROGRAM_LIST += \
	tests/compare/test_change_points \
	tests/compare/test_compare_cases \
	tests/compare/test_comparison \
	tests/compare/test_fleet \
	tests/compare/test_fleet_files
TEST_FILES += tests/compare/fleet_fixture.h
