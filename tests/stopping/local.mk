# tests/stopping/local.mk - the laboratory of stopping policies, for the program and for its test. Traces are the same
# bits in every build: products are not fused with sums.
check_LTLIBRARIES += tests/stopping/libstopping.la
tests_stopping_libstopping_la_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
tests_stopping_libstopping_la_SOURCES = \
	tests/stopping/stopping_experiment.c \
	tests/stopping/stopping_experiment.h \
	tests/stopping/stopping_gates.c \
	tests/stopping/stopping_gates.h \
	tests/stopping/stopping_trial.c \
	tests/stopping/stopping_trial.h \
	tests/stopping/stopping_truth.c \
	tests/stopping/stopping_truth.h \
	tests/stopping/trace_families.c \
	tests/stopping/trace_generators.c \
	tests/stopping/trace_generators.h \
	tests/stopping/visits.c \
	tests/stopping/visits.h
STOPPING_PROGRAM = tests/stopping/stopping
# As the program of the bundle, it has no folder of plugins of its own.
tests_stopping_stopping_SOURCES = tests/stopping/stopping.c core/run/plugin_folder.c
tests_stopping_stopping_CPPFLAGS = $(AM_CPPFLAGS) -UGBRUN_PLUGIN_DIR -DGBRUN_PLUGIN_DIR='""'
tests_stopping_stopping_LDADD = tests/stopping/libstopping.la $(STEADY_RULE) $(PLUGIN_COMMON) core/libgbrun.la $(CORE_LIBS)
tests_stopping_stopping_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,'$$ORIGIN/lib:$$ORIGIN/../lib'
TEST_PROGRAM_LIST += tests/stopping/test_stopping
tests_stopping_test_stopping_LDADD = tests/stopping/libstopping.la $(STEADY_RULE) $(PLUGIN_COMMON) $(LDADD)
