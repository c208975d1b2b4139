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
	tests/config/test_bench_case \
	tests/plugins/test_bench_plugins \
	tests/plugins/test_call_parse \
	tests/plugins/test_ceilings \
	tests/policy/test_clock_history \
	tests/policy/test_confidence_sequence \
	tests/plugins/test_cpu_counters \
	tests/plugins/test_device_cpu \
	tests/policy/test_effective_size \
	tests/plugins/test_elementwise \
	tests/base/test_error \
	tests/config/test_expression \
	tests/plugins/test_histogram \
	tests/run/test_host \
	tests/plugins/test_gemm_verify \
	tests/base/test_host_clock \
	tests/config/test_ini \
	tests/base/test_json_writer \
	tests/base/test_long_summary \
	tests/base/test_memory \
	tests/store/test_merge \
	tests/policy/test_modes \
	tests/plugins/test_multistream \
	tests/base/test_number_format \
	tests/base/test_number_spacing \
	tests/config/test_option_table \
	tests/plugins/test_padding \
	tests/report/test_plot \
	tests/report/test_report_picture \
	tests/policy/test_policies \
	tests/policy/test_policies_reference \
	tests/run/test_policy_run \
	tests/base/test_random \
	tests/policy/test_rank_index \
	tests/store/test_recording \
	tests/replay/test_replay_series \
	tests/view/test_roofs \
	tests/base/test_rounds \
	tests/config/test_settings \
	tests/base/test_sha256 \
	tests/base/test_statistics \
	tests/policy/test_steady \
	tests/policy/test_steady_definition \
	tests/stopping/test_stopping \
	tests/store/test_store \
	tests/store/test_store_file \
	tests/config/test_sweep \
	tests/store/test_telemetry \
	tests/config/test_template \
	tests/base/test_text \
	tests/policy/test_thinned \
	tests/replay/test_trace_file \
	tests/config/test_value \
	tests/verify/test_verify \
	tests/verify/test_verify_bound \
	tests/verify/test_verify_faults \
	tests/verify/test_verify_pass \
	tests/verify/test_verify_text \
	tests/view/test_view_details \
	tests/view/test_views \
	tests/run/test_visit \
	tests/run/test_wire
if HAVE_CUDA_HEADERS
TEST_PROGRAM_LIST += tests/plugins/test_device_cuda tests/plugins/test_kernel \
	tests/plugins/test_kernel_build \
	tests/plugins/test_kernel_cache tests/plugins/test_kernel_files tests/plugins/test_nvrtc tests/plugins/test_profiler
endif
POLICY_TEST_SOURCES = tests/policy/policy_fixture.h tests/fake_host.h tests/fake_host.c
tests_config_test_bench_case_SOURCES = tests/config/test_bench_case.c tests/config/settings_fixture.h
tests_plugins_test_bench_plugins_SOURCES = tests/plugins/test_bench_plugins.c tests/fake_host.h tests/fake_host.c
tests_plugins_test_call_parse_SOURCES = tests/plugins/test_call_parse.c $(CALL_PARSER_SOURCES)
tests_plugins_test_call_parse_CFLAGS = $(AM_CFLAGS)
tests_policy_test_clock_history_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_policy_test_clock_history_SOURCES = tests/policy/test_clock_history.c $(POLICY_TEST_SOURCES)
tests_policy_test_confidence_sequence_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_policy_test_confidence_sequence_SOURCES = tests/policy/test_confidence_sequence.c $(POLICY_TEST_SOURCES)
tests_plugins_test_ceilings_SOURCES = tests/plugins/test_ceilings.c $(CEILINGS_CPU_SOURCES) tests/fake_host.h tests/fake_host.c
tests_plugins_test_ceilings_CFLAGS = $(AM_CFLAGS)
tests_plugins_test_cpu_counters_SOURCES = tests/plugins/test_cpu_counters.c tests/fake_host.h tests/fake_host.c
tests_plugins_test_device_cpu_SOURCES = tests/plugins/test_device_cpu.c plugins/device_cpu/cpu_device.h tests/fake_host.h tests/fake_host.c
tests_plugins_test_device_cuda_SOURCES = tests/plugins/test_device_cuda.c plugins/device_cuda/records.c plugins/device_cuda/records.h tests/fake_host.h tests/fake_host.c
tests_policy_test_effective_size_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_policy_test_effective_size_SOURCES = tests/policy/test_effective_size.c tests/policy/steady_reference.c tests/policy/steady_reference.h $(POLICY_TEST_SOURCES)
tests_plugins_test_elementwise_SOURCES = tests/plugins/test_elementwise.c $(ELEMENTWISE_CPU_SOURCES) tests/fake_host.h tests/fake_host.c
tests_plugins_test_elementwise_CFLAGS = $(AM_CFLAGS)
if HAVE_CXX
tests_plugins_test_elementwise_CFLAGS += -DWITH_CXX
endif
tests_plugins_test_histogram_SOURCES = tests/plugins/test_histogram.c tests/fake_host.h tests/fake_host.c
tests_plugins_test_histogram_CFLAGS = $(AM_CFLAGS)
if HAVE_CXX
tests_plugins_test_histogram_CFLAGS += -DWITH_CXX
endif
tests_run_test_host_SOURCES = tests/run/test_host.c tests/store/store_fixture.h
tests_plugins_test_gemm_verify_SOURCES = tests/plugins/test_gemm_verify.c $(GEMM_VERIFY_CPU_SOURCES) tests/fake_host.h tests/fake_host.c
tests_plugins_test_gemm_verify_CFLAGS = $(AM_CFLAGS)
tests_store_test_merge_SOURCES = tests/store/test_merge.c tests/store/store_fixture.h
tests_policy_test_modes_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_policy_test_modes_SOURCES = tests/policy/test_modes.c $(POLICY_TEST_SOURCES)
tests_plugins_test_kernel_SOURCES = tests/plugins/test_kernel.c tests/fake_cuda/fake_launch.h tests/fake_host.h tests/fake_host.c
tests_plugins_test_kernel_CFLAGS = $(AM_CFLAGS) $(CUDA_CFLAGS)
tests_plugins_test_kernel_build_SOURCES = tests/plugins/test_kernel_build.c tests/plugins/kernel_files.h \
	$(KERNEL_BUILD_SOURCES) $(CALL_PARSER_SOURCES)
tests_plugins_test_kernel_build_CFLAGS = $(AM_CFLAGS) $(CUDA_CFLAGS)
tests_plugins_test_kernel_build_LDADD = $(PLUGIN_COMMON_CUDA) $(LDADD)
tests_plugins_test_kernel_cache_SOURCES = tests/plugins/test_kernel_cache.c tests/plugins/kernel_files.h \
	$(KERNEL_BUILD_SOURCES) $(CALL_PARSER_SOURCES)
tests_plugins_test_kernel_cache_CFLAGS = $(AM_CFLAGS) $(CUDA_CFLAGS)
tests_plugins_test_kernel_cache_LDADD = $(PLUGIN_COMMON_CUDA) $(LDADD)
tests_plugins_test_kernel_files_SOURCES = tests/plugins/test_kernel_files.c tests/plugins/kernel_files.h \
	$(KERNEL_BUILD_SOURCES) $(CALL_PARSER_SOURCES)
tests_plugins_test_kernel_files_CFLAGS = $(AM_CFLAGS) $(CUDA_CFLAGS)
tests_plugins_test_kernel_files_LDADD = $(PLUGIN_COMMON_CUDA) $(LDADD)
tests_plugins_test_nvrtc_SOURCES = tests/plugins/test_nvrtc.c
tests_plugins_test_nvrtc_LDADD = $(PLUGIN_COMMON_CUDA) $(LDADD)
tests_plugins_test_multistream_SOURCES = tests/plugins/test_multistream.c tests/fake_cuda/fake_cuda.h tests/fake_host.h tests/fake_host.c
tests_plugins_test_multistream_CFLAGS = $(AM_CFLAGS) $(WITH_CUDA_CFLAGS)
tests_base_test_number_format_SOURCES = tests/base/test_number_format.c tests/base/number_fixture.h
tests_base_test_number_spacing_SOURCES = tests/base/test_number_spacing.c tests/base/number_fixture.h tests/verify/verify_fixture.h
tests_plugins_test_padding_SOURCES = tests/plugins/test_padding.c plugins/bench_padding/plan.c plugins/bench_padding/plan.h tests/fake_host.h tests/fake_host.c
tests_plugins_test_padding_CFLAGS = $(AM_CFLAGS)
if HAVE_CXX
tests_plugins_test_padding_CFLAGS += -DWITH_CXX
endif
tests_policy_test_policies_SOURCES = tests/policy/test_policies.c tests/fake_host.h tests/fake_host.c
tests_policy_test_policies_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_policy_test_policies_reference_SOURCES = tests/policy/test_policies_reference.c tests/fake_host.h tests/fake_host.c
tests_policy_test_rank_index_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_policy_test_rank_index_SOURCES = tests/policy/test_rank_index.c tests/policy/steady_reference.c tests/policy/steady_reference.h $(POLICY_TEST_SOURCES)
tests_store_test_recording_SOURCES = tests/store/test_recording.c tests/store/store_fixture.h
tests_config_test_settings_SOURCES = tests/config/test_settings.c tests/config/settings_fixture.h
tests_policy_test_steady_SOURCES = tests/policy/test_steady.c $(POLICY_TEST_SOURCES)
tests_policy_test_steady_definition_SOURCES = tests/policy/test_steady_definition.c tests/policy/steady_reference.c tests/policy/steady_reference.h $(POLICY_TEST_SOURCES)
tests_stopping_test_stopping_SOURCES = tests/stopping/test_stopping.c tests/store/store_fixture.h
tests_stopping_test_stopping_LDADD = tests/stopping/libstopping.la $(LDADD)
tests_store_test_store_SOURCES = tests/store/test_store.c tests/store/store_fixture.h
tests_store_test_store_file_SOURCES = tests/store/test_store_file.c tests/store/store_fixture.h
tests_config_test_sweep_SOURCES = tests/config/test_sweep.c tests/config/settings_fixture.h
tests_store_test_telemetry_SOURCES = tests/store/test_telemetry.c tests/store/store_fixture.h
tests_policy_test_thinned_SOURCES = tests/policy/test_thinned.c tests/fake_host.h tests/fake_host.c
tests_policy_test_thinned_LDADD = $(PLUGIN_COMMON) $(LDADD)
tests_config_test_template_SOURCES = tests/config/test_template.c tests/config/settings_fixture.h
tests_run_test_visit_SOURCES = tests/run/test_visit.c tests/config/settings_fixture.h
tests_verify_test_verify_SOURCES = tests/verify/test_verify.c tests/verify/verify_fixture.h
tests_verify_test_verify_bound_SOURCES = tests/verify/test_verify_bound.c tests/verify/verify_fixture.h
tests_verify_test_verify_faults_SOURCES = tests/verify/test_verify_faults.c tests/verify/verify_fixture.h
tests_plugins_test_profiler_SOURCES = \
	tests/plugins/test_profiler.c \
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
tests_plugins_test_profiler_CFLAGS = $(AM_CFLAGS) $(PLUGIN_GNU_CFLAGS) $(WITHOUT_CXX) $(CUDA_CFLAGS)
tests_plugins_test_profiler_LDADD = $(PLUGIN_COMMON_CUDA) $(LDADD)
tests_verify_test_verify_pass_SOURCES = tests/verify/test_verify_pass.c tests/verify/verify_fixture.h
tests_verify_test_verify_text_SOURCES = tests/verify/test_verify_text.c tests/verify/verify_fixture.h
tests_view_test_view_details_SOURCES = tests/view/test_view_details.c tests/view/views_fixture.h
tests_view_test_roofs_SOURCES = tests/view/test_roofs.c tests/view/views_fixture.h
tests_view_test_views_SOURCES = tests/view/test_views.c tests/view/views_fixture.h

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
	tests/cli/test_bundle.sh \
	tests/cli/test_call.sh \
	tests/cli/test_check.sh \
	tests/cli/test_cli.sh \
	tests/cli/test_completion.sh \
	tests/cli/test_conf.sh \
	tests/cli/test_counters.sh \
	tests/cli/test_devices.sh \
	tests/cli/test_doctor.sh \
	tests/cli/test_faults.sh \
	tests/cli/test_hacking.sh \
	tests/cli/test_headers.sh \
	tests/cli/test_help.sh \
	tests/cli/test_install.sh \
	tests/cli/test_interleaving.sh \
	tests/cli/test_kernel_cases.sh \
	tests/cli/test_launch.sh \
	tests/cli/test_no_gpu.sh \
	tests/cli/test_readme.sh \
	tests/cli/test_replay.sh \
	tests/cli/test_report.sh \
	tests/cli/test_rust.sh \
	tests/cli/test_steady_builds.sh

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
BENCH_TARGETS = tests/bench/gemm_verify tests/bench/measure tests/stopping/stopping tests/bench/verify
BENCH_MODULES = tests/bench/loop_module.la
tests_bench_gemm_verify_SOURCES = tests/bench/gemm_verify.c $(GEMM_VERIFY_CPU_SOURCES)
tests_bench_gemm_verify_CFLAGS = $(AM_CFLAGS)
tests_bench_gemm_verify_LDADD = core/libgbrun.la $(CORE_LIBS)
tests_bench_measure_LDADD =
# What proves stopping policies, for the program and for its test. Traces are the same bits in every
# build: products are not fused with sums.
check_LTLIBRARIES += tests/stopping/libstopping.la
tests_stopping_libstopping_la_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
tests_stopping_libstopping_la_SOURCES = \
	tests/stopping/stopping_experiment.c \
	tests/stopping/stopping_experiment.h \
	tests/stopping/stopping_gates.c \
	tests/stopping/stopping_gates.h \
	tests/stopping/stopping_looks.c \
	tests/stopping/stopping_looks.h \
	tests/stopping/stopping_policy.c \
	tests/stopping/stopping_policy.h \
	tests/stopping/stopping_recordings.c \
	tests/stopping/stopping_recordings.h \
	tests/stopping/stopping_replay.c \
	tests/stopping/stopping_replay.h \
	tests/stopping/stopping_statistics.c \
	tests/stopping/stopping_statistics.h \
	tests/stopping/stopping_tables.c \
	tests/stopping/stopping_tables.h \
	tests/stopping/stopping_trial.c \
	tests/stopping/stopping_trial.h \
	tests/stopping/stopping_truth.c \
	tests/stopping/stopping_truth.h \
	tests/stopping/trace_families.c \
	tests/stopping/trace_generators.c \
	tests/stopping/trace_generators.h \
	tests/stopping/trace_random.c \
	tests/stopping/trace_random.h
STOPPING_PROGRAM = tests/stopping/stopping
# As the program of the bundle, it has no folder of plugins of its own.
tests_stopping_stopping_SOURCES = tests/stopping/stopping.c core/run/module.c
tests_stopping_stopping_CPPFLAGS = $(AM_CPPFLAGS) -UGBRUN_PLUGIN_DIR -DGBRUN_PLUGIN_DIR='""'
tests_stopping_stopping_LDADD = tests/stopping/libstopping.la core/libgbrun.la $(CORE_LIBS)
tests_stopping_stopping_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,'$$ORIGIN/lib:$$ORIGIN/../lib'
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
EXTRA_PROGRAMS += tests/bench/gemm_verify tests/bench/measure tests/stopping/stopping tests/bench/verify \
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
	tests/policy/steady_traces.c \
	tests/tap.sh \
	$(GPU_TEST_FILES) \
	$(TEST_SCRIPT_LIST)
