# tests/library/local.mk - tests of libgbrun, as programs that use it: linked with what is installed.
TEST_PROGRAM_LIST += tests/library/test_measure
tests_library_test_measure_SOURCES = \
	tests/library/measure_fixture.h \
	tests/library/test_measure.c \
	tests/library/test_call_outputs.c \
	tests/library/test_call_searches.c \
	tests/library/test_sides.c
TEST_SCRIPT_LIST += tests/library/test_google.sh tests/library/test_library.sh
TEST_FILES += tests/library/google.cc
tests_library_test_measure_LDADD = tests/libcheck_main.la libgbrun.la $(CHECK_LIBS) $(SYSTEM_LIBS)
