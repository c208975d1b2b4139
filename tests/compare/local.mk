# tests/compare/local.mk - tests of comparisons, core/compare/.
TEST_PROGRAM_LIST += tests/compare/test_compare
tests_compare_test_compare_SOURCES = \
	tests/compare/fleet_fixture.h \
	tests/compare/test_between_runs.c \
	tests/compare/test_change_points.c \
	tests/compare/test_compare_cases.c \
	tests/compare/test_comparison.c \
	tests/compare/test_fleet.c \
	tests/compare/test_fleet_files.c \
	tests/compare/test_sequences.c
