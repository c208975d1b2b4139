# tests/base/local.mk - tests of helpers of core/base/.
TEST_PROGRAM_LIST += \
	tests/base/test_distribution \
	tests/base/test_error \
	tests/base/test_host_clock \
	tests/base/test_hostlist \
	tests/base/test_json_reader \
	tests/base/test_json_writer \
	tests/base/test_long_summary \
	tests/base/test_memory \
	tests/base/test_number_format \
	tests/base/test_number_spacing \
	tests/base/test_plain_text \
	tests/base/test_random \
	tests/base/test_rounds \
	tests/base/test_sha256 \
	tests/base/test_statistics \
	tests/base/test_table \
	tests/base/test_text \
	tests/base/test_utf8
TEST_FILES += tests/base/number_fixture.h
