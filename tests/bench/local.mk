# tests/bench/local.mk - make bench; those in C++ compare with libbenchmark.
BENCH_TARGETS = tests/bench/compare tests/bench/measure $(STOPPING_PROGRAM) tests/bench/verify
BENCH_MODULES = tests/bench/loop_module.la tests/bench/sort_ten.la
tests_bench_compare_LDADD = core/libgbrun.la $(CORE_LIBS)
tests_bench_measure_LDADD =
tests_bench_verify_LDADD = core/libgbrun.la $(CORE_LIBS)
tests_bench_loop_module_la_SOURCES = tests/bench/loop_module.c tests/bench/step.h
tests_bench_loop_module_la_CFLAGS = $(PLUGIN_GNU_CFLAGS)
tests_bench_loop_module_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath /nowhere
tests_bench_sort_ten_la_SOURCES = tests/bench/sort_ten.c
tests_bench_sort_ten_la_CFLAGS = $(PLUGIN_GNU_CFLAGS)
tests_bench_sort_ten_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath /nowhere
if HAVE_BENCHMARK
BENCH_TARGETS += tests/bench/google
endif
tests_bench_google_SOURCES = tests/bench/google.cc tests/bench/step.h
tests_bench_google_CXXFLAGS = -std=c++17 $(BENCHMARK_CFLAGS)
tests_bench_google_LDADD = $(BENCHMARK_LIBS) $(SYSTEM_LIBS)
EXTRA_PROGRAMS += tests/bench/compare tests/bench/google tests/bench/measure $(STOPPING_PROGRAM) tests/bench/verify
EXTRA_LTLIBRARIES += $(BENCH_MODULES)
TEST_FILES += tests/bench/numbers.sh
