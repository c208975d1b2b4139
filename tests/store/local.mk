# tests/store/local.mk - tests of results files, core/store/.
TEST_PROGRAM_LIST += \
	tests/store/test_activities \
	tests/store/test_merge \
	tests/store/test_recording \
	tests/store/test_schema \
	tests/store/test_store \
	tests/store/test_store_file \
	tests/store/test_telemetry
TEST_FILES += tests/store/store_fixture.h
