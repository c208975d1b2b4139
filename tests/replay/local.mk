# tests/replay/local.mk - tests of policies on recorded samples, core/replay/.
TEST_PROGRAM_LIST += tests/replay/test_replay
tests_replay_test_replay_SOURCES = \
	tests/replay/test_replay_series.c \
	tests/replay/test_trace_file.c
