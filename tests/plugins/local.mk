# tests/plugins/local.mk - tests of benchmarks and devices, plugins/.
TEST_PROGRAM_LIST += \
	tests/plugins/test_bench_plugins \
	tests/plugins/test_call_parse \
	tests/plugins/test_ceilings \
	tests/plugins/test_device_cpu \
	tests/plugins/test_gemm_verify \
	tests/plugins/test_multistream \
	tests/plugins/test_sensors \
	tests/plugins/test_timed_work
if HAVE_CUDA_HEADERS
TEST_PROGRAM_LIST += \
	tests/plugins/test_device_cuda \
	tests/plugins/test_kernel \
	tests/plugins/test_kernel_cache \
	tests/plugins/test_nvrtc \
	tests/plugins/test_peers \
	tests/plugins/test_profiler
endif
TEST_FILES += tests/plugins/bench_fixture.h tests/plugins/device_fixture.h tests/plugins/files.h \
	tests/plugins/verified.h
tests_plugins_test_bench_plugins_SOURCES = \
	tests/plugins/test_bench_plugins.c \
	tests/plugins/test_bench_refusals.c \
	tests/plugins/test_convolution.c \
	tests/plugins/test_cpu_counters.c \
	tests/plugins/test_elementwise.c \
	tests/plugins/test_histogram.c \
	tests/plugins/test_instructions.c \
	tests/plugins/test_padding.c \
	tests/plugins/test_prediction.c \
	tests/plugins/test_processor.c \
	plugins/bench_multistream_matmul/prediction.c \
	plugins/bench_padding/plan.c \
	plugins/device_cpu/cpu_list.c \
	plugins/device_cpu/sensors.c \
	$(ELEMENTWISE_CPU_SOURCES)
tests_plugins_test_bench_plugins_CFLAGS = $(AM_CFLAGS)
if HAVE_CXX
tests_plugins_test_bench_plugins_CFLAGS += -DWITH_CXX
endif
tests_plugins_test_call_parse_SOURCES = tests/plugins/test_call_parse.c $(CALL_PARSER_SOURCES)
tests_plugins_test_call_parse_CFLAGS = $(AM_CFLAGS)
tests_plugins_test_ceilings_SOURCES = tests/plugins/test_ceilings.c $(CEILINGS_CPU_SOURCES)
tests_plugins_test_ceilings_CFLAGS = $(AM_CFLAGS)
tests_plugins_test_gemm_verify_SOURCES = tests/plugins/test_gemm_verify.c $(GEMM_VERIFY_CPU_SOURCES)
tests_plugins_test_gemm_verify_CFLAGS = $(AM_CFLAGS)
tests_plugins_test_kernel_CFLAGS = $(AM_CFLAGS) $(CUDA_CFLAGS)
tests_plugins_test_kernel_cache_SOURCES = \
	tests/plugins/test_kernel_cache.c \
	tests/plugins/test_kernel_files.c \
	$(KERNEL_BUILD_SOURCES) \
	$(CALL_PARSER_SOURCES)
tests_plugins_test_kernel_cache_CFLAGS = $(AM_CFLAGS) $(CUDA_CFLAGS)
tests_plugins_test_kernel_cache_LDADD = $(PLUGIN_COMMON_CUDA) $(LDADD)
tests_plugins_test_multistream_CFLAGS = $(AM_CFLAGS) $(WITH_CUDA_CFLAGS)
tests_plugins_test_nvrtc_SOURCES = \
	tests/plugins/test_kernel_build.c \
	tests/plugins/test_nvrtc.c \
	plugins/bench_padding/compile.c \
	plugins/bench_padding/plan.c \
	$(KERNEL_BUILD_SOURCES) \
	$(CALL_PARSER_SOURCES)
tests_plugins_test_nvrtc_CFLAGS = $(AM_CFLAGS) $(CUDA_CFLAGS)
tests_plugins_test_nvrtc_LDADD = $(PLUGIN_COMMON_CUDA) $(LDADD)
tests_plugins_test_peers_CFLAGS = $(AM_CFLAGS) $(WITH_CUDA_CFLAGS)
tests_plugins_test_profiler_SOURCES = \
	tests/plugins/test_profiler.c \
	tests/plugins/test_stamps.c \
	tests/plugins/test_way.c \
	plugins/device_cuda/cuda_device.c \
	plugins/device_cuda/cupti.c \
	plugins/device_cuda/graph.c \
	plugins/device_cuda/hold.c \
	plugins/device_cuda/nvml.c \
	plugins/device_cuda/profiler.c \
	plugins/device_cuda/sensors.c \
	plugins/device_cuda/stamps.c \
	plugins/device_cuda/way.c
tests_plugins_test_profiler_CFLAGS = $(AM_CFLAGS) $(PLUGIN_GNU_CFLAGS) $(WITHOUT_CXX) $(CUDA_CFLAGS)
tests_plugins_test_profiler_LDADD = $(PLUGIN_COMMON_CUDA) $(LDADD)
tests_plugins_test_sensors_SOURCES = \
	tests/plugins/test_sensors.c \
	plugins/device_cuda/sensors.c
tests_plugins_test_timed_work_SOURCES = \
	tests/plugins/test_timed_work.c \
	plugins/device_cpu/sensors.c \
	$(TEAM_SOURCES)
tests_plugins_test_timed_work_CFLAGS = $(AM_CFLAGS)
