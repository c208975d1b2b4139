# tests/fuzz/local.mk - fuzzers: tests/fuzz/fuzz_NAME.c, its seeds in tests/fuzz/corpus/NAME/, one program that replays them.
FUZZ_TARGETS = \
	tests/fuzz/fuzz_call \
	tests/fuzz/fuzz_foreign \
	tests/fuzz/fuzz_ini \
	tests/fuzz/fuzz_npy \
	tests/fuzz/fuzz_recorded \
	tests/fuzz/fuzz_results \
	tests/fuzz/fuzz_settings \
	tests/fuzz/fuzz_trace \
	tests/fuzz/fuzz_value \
	tests/fuzz/fuzz_wire
FUZZ_MAIN = tests/fuzz/fuzz.h tests/fuzz/replay.c
tests_fuzz_fuzz_call_SOURCES = tests/fuzz/fuzz_call.c $(FUZZ_MAIN) $(CALL_PARSER_SOURCES)
tests_fuzz_fuzz_call_CFLAGS = $(AM_CFLAGS)
tests_fuzz_fuzz_foreign_SOURCES = tests/fuzz/fuzz_foreign.c $(FUZZ_MAIN)
tests_fuzz_fuzz_ini_SOURCES = tests/fuzz/fuzz_ini.c $(FUZZ_MAIN)
tests_fuzz_fuzz_npy_SOURCES = tests/fuzz/fuzz_npy.c $(FUZZ_MAIN) $(ARRAY_FILE_SOURCES) $(CALL_PARSER_SOURCES)
tests_fuzz_fuzz_npy_CFLAGS = $(AM_CFLAGS)
tests_fuzz_fuzz_recorded_SOURCES = tests/fuzz/fuzz_recorded.c $(FUZZ_MAIN)
tests_fuzz_fuzz_results_SOURCES = tests/fuzz/fuzz_results.c $(FUZZ_MAIN)
tests_fuzz_fuzz_settings_SOURCES = tests/fuzz/fuzz_settings.c $(FUZZ_MAIN)
tests_fuzz_fuzz_trace_SOURCES = tests/fuzz/fuzz_trace.c $(FUZZ_MAIN)
tests_fuzz_fuzz_value_SOURCES = tests/fuzz/fuzz_value.c $(FUZZ_MAIN)
tests_fuzz_fuzz_wire_SOURCES = tests/fuzz/fuzz_wire.c $(FUZZ_MAIN)
