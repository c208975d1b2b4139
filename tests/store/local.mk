# tests/store/local.mk - tests of results files, core/store/.
TEST_PROGRAM_LIST += tests/store/test_store
tests_store_test_store_SOURCES = \
	tests/store/store_fixture.h \
	tests/store/test_merge.c \
	tests/store/test_recording.c \
	tests/store/test_schema.c \
	tests/store/test_sentinel_record.c \
	tests/store/test_store.c \
	tests/store/test_store_file.c \
	tests/store/test_telemetry.c
