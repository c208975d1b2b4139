# tests/gpu/local.mk - tests that need a GPU: make check-gpu here, ./run-gpu-tests in the bundle. A
# script exits with 77 where there is none.
GPU_SCRIPT_LIST = \
	tests/gpu/benches.sh \
	tests/gpu/breakdown.sh \
	tests/gpu/call.sh \
	tests/gpu/clocks.sh \
	tests/gpu/cold.sh \
	tests/gpu/counters.sh \
	tests/gpu/devices.sh \
	tests/gpu/examples.sh \
	tests/gpu/faults.sh \
	tests/gpu/gemm_random.sh \
	tests/gpu/judge.sh \
	tests/gpu/judge_python.sh \
	tests/gpu/kernel.sh \
	tests/gpu/leak.sh \
	tests/gpu/library.sh \
	tests/gpu/nccl.sh \
	tests/gpu/odd.sh \
	tests/gpu/pace.sh \
	tests/gpu/padding.sh \
	tests/gpu/peers.sh \
	tests/gpu/profile.sh \
	tests/gpu/python.sh \
	tests/gpu/sanitizer.sh \
	tests/gpu/state.sh \
	tests/gpu/streams.sh \
	tests/gpu/triton.sh \
	tests/gpu/truth.sh
GPU_TEST_FILES = \
	tests/gpu/common.sh \
	tests/gpu/numbers.sh \
	tests/gpu/python.py \
	tests/gpu/run.sh \
	$(JUDGE_PYTHON_FILES) \
	tests/judge/test_suite.sh \
	tests/python/python.sh \
	plugins/bench_python/ask.py \
	$(GPU_SCRIPT_LIST)

# Programs and modules of make check that are of use on a GPU; they are part of the bundle.
if HAVE_CUDA_HEADERS
GPU_PROGRAM_LIST = tests/plugins/test_device_cuda
GPU_MODULE_LIST = tests/modules/.libs/cuda_kernels.so tests/modules/.libs/fake_cupti.so
if HAVE_CUDA
GPU_MODULE_LIST += $(NVCC_TEST_MODULES) tests/modules/.libs/library_contexts
endif
endif
tests_plugins_test_device_cuda_LDFLAGS = $(AM_LDFLAGS) -Wl,-rpath,'$$ORIGIN/lib:$$ORIGIN/../lib'

# A program that uses libgbrun, in the build tree and in the bundle, with nvcc's part of the C++ library.
tests/modules/.libs/library_contexts: tests/gpu/library_contexts.cu libgbrun.la $(public_HEADERS)
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(NVCC) -O2 -std=c++17 $(CUDA_GENCODE) -I$(top_srcdir)/include \
	  -Xcompiler -static-libstdc++,-static-libgcc -o $@ $< -L.libs -lgbrun \
	  -Xlinker '-rpath,$$ORIGIN/../../lib:$$ORIGIN/../../../.libs'
TEST_FILES += tests/gpu/library_contexts.cu

check-gpu: all $(GPU_PROGRAM_LIST) $(GPU_MODULE_LIST) $(BUNDLE_EXAMPLE)
	@$(AM_TESTS_ENVIRONMENT) bash $(srcdir)/tests/gpu/run.sh $(GPU_TEST_ARGUMENTS)
GPU_TEST_ARGUMENTS =

# The figures to be kept on a GPU; best on a machine that does nothing else.
bench-gpu: all $(GPU_MODULE_LIST)
	@$(AM_TESTS_ENVIRONMENT) bash $(srcdir)/tests/gpu/numbers.sh $(BENCH_ARGUMENTS)
