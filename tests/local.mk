# tests/local.mk - tests/test_NAME.c is a program of Check, tests/test_NAME.sh a script; both are run
# by isolate.sh, and the TAP that they print is counted. tests/modules/ holds plugins that misbehave,
# tests/fuzz/ fuzzers, which are run over their corpus here, tests/bench/ programs for make bench,
# tests/gpu/ what needs a GPU (make check-gpu).

# What tests find in their environment, beside a TMPDIR of their own.
AM_TESTS_ENVIRONMENT = \
	GBRUN='$(abs_top_builddir)/gbrun$(EXEEXT)'; export GBRUN; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	CC='$(CC)'; export CC; CXX='$(CXX)'; export CXX; \
	MAKE='$(MAKE)'; export MAKE; PKG_CONFIG='$(PKG_CONFIG)'; export PKG_CONFIG; \
	NVCC='$(NVCC)'; export NVCC; \
	CK_TAP_LOG_FILE_NAME=-; export CK_TAP_LOG_FILE_NAME; \
	CK_DEFAULT_TIMEOUT=60; export CK_DEFAULT_TIMEOUT; \
	$(SANITIZE_ENVIRONMENT)

# Crashes on purpose are left to the signal, which is what tests of faults look for.
if SANITIZE
SANITIZE_ENVIRONMENT = \
	SANITIZE=1; export SANITIZE; \
	SANITIZE_CFLAGS='$(SANITIZE_CFLAGS)'; export SANITIZE_CFLAGS; \
	ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0:handle_abort=0; \
	export ASAN_OPTIONS; \
	UBSAN_OPTIONS=print_stacktrace=1; export UBSAN_OPTIONS;
endif

LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
AM_LOG_DRIVER_FLAGS = --ignore-exit
AM_SH_LOG_DRIVER_FLAGS = --ignore-exit
LOG_COMPILER = $(SHELL) $(srcdir)/tests/isolate.sh
SH_LOG_COMPILER = $(LOG_COMPILER)

TESTS = $(TEST_PROGRAM_LIST) $(FUZZ_TARGETS) $(TEST_SCRIPT_LIST)
check_PROGRAMS += $(TEST_PROGRAM_LIST) $(FUZZ_TARGETS)

# What all programs here are linked with; each is built from the one source of its name.
check_LTLIBRARIES += tests/libcheck_main.la
tests_libcheck_main_la_SOURCES = tests/check_main.c tests/check_main.h
tests_libcheck_main_la_CPPFLAGS = $(AM_CPPFLAGS) $(CHECK_CFLAGS)
LDADD = tests/libcheck_main.la core/libgbrun.la $(CHECK_LIBS) $(CORE_LIBS)

TEST_PROGRAM_LIST = \
	tests/test_bench_case \
	tests/test_bench_plugins \
	tests/test_call_parse \
	tests/test_ceilings \
	tests/test_clock_history \
	tests/test_confidence_sequence \
	tests/test_cpu_counters \
	tests/test_device_cpu \
	tests/test_effective_size \
	tests/test_elementwise \
	tests/test_error \
	tests/test_expression \
	tests/test_histogram \
	tests/test_host \
	tests/test_gemm_verify \
	tests/test_host_clock \
	tests/test_ini \
	tests/test_json_writer \
	tests/test_long_summary \
	tests/test_memory \
	tests/test_merge \
	tests/test_modes \
	tests/test_multistream \
	tests/test_number_format \
	tests/test_number_spacing \
	tests/test_option_table \
	tests/test_padding \
	tests/test_plot \
	tests/test_report_picture \
	tests/test_policies \
	tests/test_policies_reference \
	tests/test_policy_run \
	tests/test_random \
	tests/test_rank_index \
	tests/test_recording \
	tests/test_replay_series \
	tests/test_roofs \
	tests/test_rounds \
	tests/test_settings \
	tests/test_sha256 \
	tests/test_statistics \
	tests/test_steady \
	tests/test_steady_definition \
	tests/test_stopping \
	tests/test_store \
	tests/test_store_file \
	tests/test_sweep \
	tests/test_telemetry \
	tests/test_template \
	tests/test_text \
	tests/test_thinned \
	tests/test_trace_file \
	tests/test_value \
	tests/test_verify \
	tests/test_verify_bound \
	tests/test_verify_faults \
	tests/test_verify_pass \
	tests/test_verify_text \
	tests/test_view_details \
	tests/test_views \
	tests/test_visit \
	tests/test_wire
if HAVE_CUDA_HEADERS
TEST_PROGRAM_LIST += tests/test_device_cuda tests/test_kernel tests/test_kernel_build \
	tests/test_kernel_cache tests/test_kernel_files tests/test_nvrtc tests/test_profiler
endif
POLICY_TEST_SOURCES = tests/policy_fixture.h tests/fake_host.h tests/fake_host.c
tests_test_bench_case_SOURCES = tests/test_bench_case.c tests/settings_fixture.h
tests_test_bench_plugins_SOURCES = tests/test_bench_plugins.c tests/fake_host.h tests/fake_host.c
tests_test_call_parse_SOURCES = tests/test_call_parse.c $(CALL_PARSER_SOURCES)
tests_test_call_parse_CFLAGS = $(AM_CFLAGS)
tests_test_clock_history_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_test_clock_history_SOURCES = tests/test_clock_history.c $(POLICY_TEST_SOURCES)
tests_test_confidence_sequence_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_test_confidence_sequence_SOURCES = tests/test_confidence_sequence.c $(POLICY_TEST_SOURCES)
tests_test_ceilings_SOURCES = tests/test_ceilings.c $(CEILINGS_CPU_SOURCES) tests/fake_host.h tests/fake_host.c
tests_test_ceilings_CFLAGS = $(AM_CFLAGS)
tests_test_cpu_counters_SOURCES = tests/test_cpu_counters.c tests/fake_host.h tests/fake_host.c
tests_test_device_cpu_SOURCES = tests/test_device_cpu.c plugins/device_cpu/cpu_device.h tests/fake_host.h tests/fake_host.c
tests_test_device_cuda_SOURCES = tests/test_device_cuda.c plugins/device_cuda/records.c plugins/device_cuda/records.h tests/fake_host.h tests/fake_host.c
tests_test_effective_size_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_test_effective_size_SOURCES = tests/test_effective_size.c tests/steady_reference.c tests/steady_reference.h $(POLICY_TEST_SOURCES)
tests_test_elementwise_SOURCES = tests/test_elementwise.c $(ELEMENTWISE_CPU_SOURCES) tests/fake_host.h tests/fake_host.c
tests_test_elementwise_CFLAGS = $(AM_CFLAGS)
if HAVE_CXX
tests_test_elementwise_CFLAGS += -DWITH_CXX
endif
tests_test_histogram_SOURCES = tests/test_histogram.c tests/fake_host.h tests/fake_host.c
tests_test_histogram_CFLAGS = $(AM_CFLAGS)
if HAVE_CXX
tests_test_histogram_CFLAGS += -DWITH_CXX
endif
tests_test_host_SOURCES = tests/test_host.c tests/store_fixture.h
tests_test_gemm_verify_SOURCES = tests/test_gemm_verify.c $(GEMM_VERIFY_CPU_SOURCES) tests/fake_host.h tests/fake_host.c
tests_test_gemm_verify_CFLAGS = $(AM_CFLAGS)
tests_test_merge_SOURCES = tests/test_merge.c tests/store_fixture.h
tests_test_modes_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_test_modes_SOURCES = tests/test_modes.c $(POLICY_TEST_SOURCES)
tests_test_kernel_SOURCES = tests/test_kernel.c tests/fake_cuda/fake_launch.h tests/fake_host.h tests/fake_host.c
tests_test_kernel_CFLAGS = $(AM_CFLAGS) $(CUDA_CFLAGS)
tests_test_kernel_build_SOURCES = tests/test_kernel_build.c tests/kernel_files.h \
	$(KERNEL_BUILD_SOURCES) $(CALL_PARSER_SOURCES)
tests_test_kernel_build_CFLAGS = $(AM_CFLAGS) $(CUDA_CFLAGS)
tests_test_kernel_build_LDADD = $(PLUGIN_COMMON_CUDA) $(LDADD)
tests_test_kernel_cache_SOURCES = tests/test_kernel_cache.c tests/kernel_files.h \
	$(KERNEL_BUILD_SOURCES) $(CALL_PARSER_SOURCES)
tests_test_kernel_cache_CFLAGS = $(AM_CFLAGS) $(CUDA_CFLAGS)
tests_test_kernel_cache_LDADD = $(PLUGIN_COMMON_CUDA) $(LDADD)
tests_test_kernel_files_SOURCES = tests/test_kernel_files.c tests/kernel_files.h \
	$(KERNEL_BUILD_SOURCES) $(CALL_PARSER_SOURCES)
tests_test_kernel_files_CFLAGS = $(AM_CFLAGS) $(CUDA_CFLAGS)
tests_test_kernel_files_LDADD = $(PLUGIN_COMMON_CUDA) $(LDADD)
tests_test_nvrtc_SOURCES = tests/test_nvrtc.c
tests_test_nvrtc_LDADD = $(PLUGIN_COMMON_CUDA) $(LDADD)
tests_test_multistream_SOURCES = tests/test_multistream.c tests/fake_cuda/fake_cuda.h tests/fake_host.h tests/fake_host.c
tests_test_multistream_CFLAGS = $(AM_CFLAGS) $(WITH_CUDA_CFLAGS)
tests_test_number_format_SOURCES = tests/test_number_format.c tests/number_fixture.h
tests_test_number_spacing_SOURCES = tests/test_number_spacing.c tests/number_fixture.h tests/verify_fixture.h
tests_test_padding_SOURCES = tests/test_padding.c plugins/bench_padding/plan.c plugins/bench_padding/plan.h tests/fake_host.h tests/fake_host.c
tests_test_padding_CFLAGS = $(AM_CFLAGS)
if HAVE_CXX
tests_test_padding_CFLAGS += -DWITH_CXX
endif
tests_test_policies_SOURCES = tests/test_policies.c tests/fake_host.h tests/fake_host.c
tests_test_policies_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_test_policies_reference_SOURCES = tests/test_policies_reference.c tests/fake_host.h tests/fake_host.c
tests_test_rank_index_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_test_rank_index_SOURCES = tests/test_rank_index.c tests/steady_reference.c tests/steady_reference.h $(POLICY_TEST_SOURCES)
tests_test_recording_SOURCES = tests/test_recording.c tests/store_fixture.h
tests_test_settings_SOURCES = tests/test_settings.c tests/settings_fixture.h
tests_test_steady_SOURCES = tests/test_steady.c $(POLICY_TEST_SOURCES)
tests_test_steady_definition_SOURCES = tests/test_steady_definition.c tests/steady_reference.c tests/steady_reference.h $(POLICY_TEST_SOURCES)
tests_test_stopping_SOURCES = tests/test_stopping.c tests/store_fixture.h
tests_test_stopping_LDADD = tests/bench/libstopping.la $(LDADD)
tests_test_store_SOURCES = tests/test_store.c tests/store_fixture.h
tests_test_store_file_SOURCES = tests/test_store_file.c tests/store_fixture.h
tests_test_sweep_SOURCES = tests/test_sweep.c tests/settings_fixture.h
tests_test_telemetry_SOURCES = tests/test_telemetry.c tests/store_fixture.h
tests_test_thinned_SOURCES = tests/test_thinned.c tests/fake_host.h tests/fake_host.c
tests_test_thinned_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_test_template_SOURCES = tests/test_template.c tests/settings_fixture.h
tests_test_visit_SOURCES = tests/test_visit.c tests/settings_fixture.h
tests_test_verify_SOURCES = tests/test_verify.c tests/verify_fixture.h
tests_test_verify_bound_SOURCES = tests/test_verify_bound.c tests/verify_fixture.h
tests_test_verify_faults_SOURCES = tests/test_verify_faults.c tests/verify_fixture.h
tests_test_profiler_SOURCES = \
	tests/test_profiler.c \
	tests/modules/fake_profiler.h \
	plugins/device_cuda/libcupti.c \
	plugins/device_cuda/libcupti.h \
	plugins/device_cuda/metrics.c \
	plugins/device_cuda/metrics.h \
	plugins/device_cuda/profiler.c \
	plugins/device_cuda/profiler.h \
	plugins/device_cuda/profiler_library.c \
	plugins/device_cuda/profiler_library.h \
	plugins/device_cuda/work_metrics.c \
	plugins/device_cuda/work_metrics.h
tests_test_profiler_CFLAGS = $(AM_CFLAGS) $(PLUGIN_GNU_CFLAGS) $(WITHOUT_CXX) $(CUDA_CFLAGS)
tests_test_profiler_LDADD = $(PLUGIN_COMMON_CUDA) $(LDADD)
tests_test_verify_pass_SOURCES = tests/test_verify_pass.c tests/verify_fixture.h
tests_test_verify_text_SOURCES = tests/test_verify_text.c tests/verify_fixture.h
tests_test_view_details_SOURCES = tests/test_view_details.c tests/views_fixture.h
tests_test_roofs_SOURCES = tests/test_roofs.c tests/views_fixture.h
tests_test_views_SOURCES = tests/test_views.c tests/views_fixture.h

# A driver for tests of plugins for CUDA, under the driver's own name.
if HAVE_CUDA_HEADERS
check_LTLIBRARIES += tests/fake_cuda/libcuda.la tests/fake_cuda/launch/libcuda.la
endif
tests_fake_cuda_launch_libcuda_la_SOURCES = \
	tests/fake_cuda/fake_launch.c \
	tests/fake_cuda/fake_launch.h \
	tests/fake_cuda/rest.c
tests_fake_cuda_launch_libcuda_la_CFLAGS = $(PLUGIN_GNU_CFLAGS) $(CUDA_CFLAGS)
tests_fake_cuda_launch_libcuda_la_LDFLAGS = $(AM_LDFLAGS) -shared -version-info 1:0:0 -rpath /nowhere
tests_fake_cuda_libcuda_la_SOURCES = \
	tests/fake_cuda/fake_cuda.c \
	tests/fake_cuda/fake_cuda.h \
	tests/fake_cuda/rest.c
tests_fake_cuda_libcuda_la_CFLAGS = $(PLUGIN_GNU_CFLAGS) $(CUDA_CFLAGS)
tests_fake_cuda_libcuda_la_LDFLAGS = $(AM_LDFLAGS) -shared -version-info 1:0:0 -rpath /nowhere

TEST_SCRIPT_LIST = \
	tests/test_bundle.sh \
	tests/test_call.sh \
	tests/test_check.sh \
	tests/test_cli.sh \
	tests/test_completion.sh \
	tests/test_conf.sh \
	tests/test_counters.sh \
	tests/test_devices.sh \
	tests/test_doctor.sh \
	tests/test_faults.sh \
	tests/test_hacking.sh \
	tests/test_headers.sh \
	tests/test_help.sh \
	tests/test_install.sh \
	tests/test_interleaving.sh \
	tests/test_kernel_cases.sh \
	tests/test_launch.sh \
	tests/test_no_gpu.sh \
	tests/test_readme.sh \
	tests/test_replay.sh \
	tests/test_report.sh \
	tests/test_rust.sh \
	tests/test_steady_builds.sh

# tests/fuzz/fuzz_NAME.c, its seeds in tests/fuzz/corpus/NAME/, one program that replays them.
FUZZ_TARGETS = \
	tests/fuzz/fuzz_call \
	tests/fuzz/fuzz_ini \
	tests/fuzz/fuzz_settings \
	tests/fuzz/fuzz_value \
	tests/fuzz/fuzz_wire
tests_fuzz_fuzz_call_SOURCES = tests/fuzz/fuzz_call.c tests/fuzz/replay.c $(CALL_PARSER_SOURCES)
tests_fuzz_fuzz_call_CFLAGS = $(AM_CFLAGS)
tests_fuzz_fuzz_ini_SOURCES = tests/fuzz/fuzz_ini.c tests/fuzz/replay.c
tests_fuzz_fuzz_settings_SOURCES = tests/fuzz/fuzz_settings.c tests/fuzz/replay.c
tests_fuzz_fuzz_value_SOURCES = tests/fuzz/fuzz_value.c tests/fuzz/replay.c
tests_fuzz_fuzz_wire_SOURCES = tests/fuzz/fuzz_wire.c tests/fuzz/replay.c

# make bench; those in C++ compare with libbenchmark.
BENCH_TARGETS = tests/bench/gemm_verify tests/bench/measure tests/bench/stopping tests/bench/verify
BENCH_MODULES = tests/bench/loop_module.la
tests_bench_gemm_verify_SOURCES = tests/bench/gemm_verify.c $(GEMM_VERIFY_CPU_SOURCES)
tests_bench_gemm_verify_CFLAGS = $(AM_CFLAGS)
tests_bench_gemm_verify_LDADD = core/libgbrun.la $(CORE_LIBS)
tests_bench_measure_LDADD =
# What proves stopping policies, for the program and for its test. Traces are the same bits in every
# build: products are not fused with sums.
check_LTLIBRARIES += tests/bench/libstopping.la
tests_bench_libstopping_la_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
tests_bench_libstopping_la_SOURCES = \
	tests/bench/stopping_experiment.c \
	tests/bench/stopping_experiment.h \
	tests/bench/stopping_gates.c \
	tests/bench/stopping_gates.h \
	tests/bench/stopping_looks.c \
	tests/bench/stopping_looks.h \
	tests/bench/stopping_policy.c \
	tests/bench/stopping_policy.h \
	tests/bench/stopping_recordings.c \
	tests/bench/stopping_recordings.h \
	tests/bench/stopping_replay.c \
	tests/bench/stopping_replay.h \
	tests/bench/stopping_statistics.c \
	tests/bench/stopping_statistics.h \
	tests/bench/stopping_tables.c \
	tests/bench/stopping_tables.h \
	tests/bench/stopping_trial.c \
	tests/bench/stopping_trial.h \
	tests/bench/stopping_truth.c \
	tests/bench/stopping_truth.h \
	tests/bench/trace_families.c \
	tests/bench/trace_generators.c \
	tests/bench/trace_generators.h \
	tests/bench/trace_random.c \
	tests/bench/trace_random.h
STOPPING_PROGRAM = tests/bench/stopping
# As the program of the bundle, it has no folder of plugins of its own.
tests_bench_stopping_SOURCES = tests/bench/stopping.c core/module.c
tests_bench_stopping_CPPFLAGS = $(AM_CPPFLAGS) -UGBRUN_PLUGIN_DIR -DGBRUN_PLUGIN_DIR='""'
tests_bench_stopping_LDADD = tests/bench/libstopping.la core/libgbrun.la $(CORE_LIBS)
tests_bench_stopping_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,'$$ORIGIN/lib:$$ORIGIN/../lib'
tests_bench_verify_LDADD = core/libgbrun.la $(CORE_LIBS)
tests_bench_loop_module_la_SOURCES = tests/bench/loop_module.c tests/bench/step.h
tests_bench_loop_module_la_CFLAGS = $(PLUGIN_GNU_CFLAGS)
tests_bench_loop_module_la_LDFLAGS = $(PLUGIN_LDFLAGS) -rpath /nowhere
if HAVE_BENCHMARK
BENCH_TARGETS += tests/bench/loop_google
endif
tests_bench_loop_google_SOURCES = tests/bench/loop_google.cc tests/bench/step.h
tests_bench_loop_google_CXXFLAGS = -std=c++17 $(BENCHMARK_CFLAGS)
tests_bench_loop_google_LDADD = $(BENCHMARK_LIBS) $(SYSTEM_LIBS)
EXTRA_PROGRAMS += tests/bench/gemm_verify tests/bench/measure tests/bench/stopping tests/bench/verify \
	tests/bench/loop_google
EXTRA_LTLIBRARIES += $(BENCH_MODULES)

include $(top_srcdir)/tests/modules/local.mk
include $(top_srcdir)/tests/gpu/local.mk

# What tests read, for make dist.
TEST_FILES = \
	tests/bench/numbers.sh \
	tests/fuzz/corpus \
	tests/golden \
	tests/isolate.sh \
	tests/lint.sh \
	tests/outside \
	tests/readme_blocks.sh \
	tests/readme_tables.sh \
	tests/steady_traces.c \
	tests/tap.sh \
	$(GPU_TEST_FILES) \
	$(TEST_SCRIPT_LIST)
