# tests/replay/local.mk - tests of policies on recorded samples, core/replay/.
TEST_PROGRAM_LIST += \
	tests/replay/test_replay_series \
	tests/replay/test_trace_file
