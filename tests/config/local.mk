# tests/config/local.mk - tests of from words to cases, core/config/.
TEST_PROGRAM_LIST += \
	tests/config/test_bench_case \
	tests/config/test_expression \
	tests/config/test_ini \
	tests/config/test_option_table \
	tests/config/test_selection \
	tests/config/test_settings \
	tests/config/test_settings_errors \
	tests/config/test_sweep \
	tests/config/test_template \
	tests/config/test_value
TEST_FILES += tests/config/settings_fixture.h
