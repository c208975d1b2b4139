# tests/base/local.mk - tests of helpers of core/base/.
TEST_PROGRAM_LIST += tests/base/test_base
tests_base_test_base_SOURCES = \
	tests/base/test_distribution.c \
	tests/base/test_error.c \
	tests/base/test_host_clock.c \
	tests/base/test_hostlist.c \
	tests/base/test_json_reader.c \
	tests/base/test_json_writer.c \
	tests/base/test_long_summary.c \
	tests/base/test_memory.c \
	tests/base/test_number_format.c \
	tests/base/test_plain_text.c \
	tests/base/test_random.c \
	tests/base/test_rounds.c \
	tests/base/test_sha256.c \
	tests/base/test_statistics.c \
	tests/base/test_table.c \
	tests/base/test_text.c \
	tests/base/test_utf8.c \
	tests/base/test_xml_text.c
