# tests/config/local.mk - tests of from words to cases, core/config/.
TEST_PROGRAM_LIST += tests/config/test_config
tests_config_test_config_SOURCES = \
	tests/config/case_fixture.h \
	tests/config/settings_fixture.h \
	tests/config/test_bench_case.c \
	tests/config/test_expression.c \
	tests/config/test_ini.c \
	tests/config/test_option_table.c \
	tests/config/test_selection.c \
	tests/config/test_settings.c \
	tests/config/test_settings_errors.c \
	tests/config/test_sweep.c \
	tests/config/test_template.c \
	tests/config/test_value.c
