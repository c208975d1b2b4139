# tests/modules/local.mk - plugins that misbehave, and good ones, for tests: tests/modules/.libs/NAME.so.
# Each is one source and is built without libtool and without the sanitizers, whose reports would stand
# in the way of their faults.
TEST_MODULE_FILES = \
	tests/modules/attack.c \
	tests/modules/beside.c \
	tests/modules/builder.c \
	tests/modules/call_targets.c \
	tests/modules/cheater.c \
	tests/modules/device_fake.c \
	tests/modules/faults.c \
	tests/modules/forger.c \
	tests/modules/giver.c \
	tests/modules/good.c \
	tests/modules/leftover.c \
	tests/modules/misshaped.c \
	tests/modules/old_abi.c \
	tests/modules/plain.c \
	tests/modules/policies.c \
	tests/modules/search_hostile.c \
	tests/modules/wrong_result.c
TEST_MODULE_CXX_FILES = \
	tests/modules/convolution_kernels.cc \
	tests/modules/elementwise_kernels.cc \
	tests/modules/exceptions.cc \
	tests/modules/histogram_kernels.cc \
	tests/modules/padding_kernels.cc \
	tests/modules/throwing.cc
TEST_MODULE_CUDA_FILES = \
	tests/modules/cuda_kernels.c \
	tests/modules/fake_cupti.c \
	tests/modules/fake_profiler.c
TEST_MODULE_NVCC_FILES = \
	tests/modules/cold.cu \
	tests/modules/judged.cu \
	tests/modules/judged_reference.cu \
	tests/modules/odd_ways.cu \
	tests/modules/truth.cu
TEST_MODULE_INCLUDES = \
	tests/modules/attacks.h \
	tests/modules/callbacks.h \
	tests/modules/cuda_bench.cuh \
	tests/modules/cuda_on_host.h \
	tests/modules/fake_activities.h \
	tests/modules/fake_current.h \
	tests/modules/fake_judging.h \
	tests/modules/fake_profiler.h \
	tests/modules/harm.h \
	tests/modules/host_time.h \
	tests/modules/hurry.h \
	tests/modules/words.h
TEST_FILES += $(TEST_MODULE_FILES) $(TEST_MODULE_CXX_FILES) $(TEST_MODULE_CUDA_FILES) \
	$(TEST_MODULE_NVCC_FILES) $(TEST_MODULE_INCLUDES) tests/modules/loading.c

# Names of what tests/modules/loading.c does wrong: a module for each.
LOADING_MODULES = crash_on_load exit_on_load hang_on_load noisy_on_load null_module steering_id \
	tiny_module wrong_abi

TEST_MODULES = $(LOADING_MODULES:%=tests/modules/.libs/%.so) \
	$(TEST_MODULE_FILES:tests/modules/%.c=tests/modules/.libs/%.so)
if HAVE_CXX
TEST_MODULES += $(TEST_MODULE_CXX_FILES:tests/modules/%.cc=tests/modules/.libs/%.so)
endif
if HAVE_CUDA_HEADERS
TEST_MODULES += $(TEST_MODULE_CUDA_FILES:tests/modules/%.c=tests/modules/.libs/%.so)
endif
check_DATA = $(TEST_MODULES) tests/modules/.libs/list
# Of use on a GPU only: tests/gpu/local.mk.
NVCC_TEST_MODULES = $(TEST_MODULE_NVCC_FILES:tests/modules/%.cu=tests/modules/.libs/%.so)
CLEANFILES += $(TEST_MODULES) $(NVCC_TEST_MODULES) tests/modules/.libs/list
# What is not built any more is not found any more.
tests/modules/.libs/list: Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cd $(@D) && printf '%s\n' $(notdir $(TEST_MODULES) $(NVCC_TEST_MODULES)) >list && \
	printf '%s\n' *.so | grep -vxF -f list | xargs rm -f

# What some of them need besides.
CUDA_DRIVER_FILES = plugins/common/cuda/cuda_driver.c plugins/common/cuda/cuda_driver.h plugins/common/symbols.h
cheater_needs = $(SYSTEM_LIBS)
leftover_needs = $(SYSTEM_LIBS)
cuda_kernels_needs = $(srcdir)/plugins/common/cuda/cuda_driver.c $(CUDA_CFLAGS) $(SYSTEM_LIBS)
fake_cupti_needs = $(cuda_kernels_needs)
# Called by other signatures than their own, too.
call_targets_needs = -g0
fake_profiler_needs = $(WITHOUT_CXX) $(CUDA_CFLAGS)
tests/modules/.libs/cuda_kernels.so tests/modules/.libs/fake_cupti.so: $(CUDA_DRIVER_FILES)
tests/modules/.libs/convolution_kernels.so: \
	plugins/bench_convolution/convolution.cu plugins/bench_convolution/window.h
tests/modules/.libs/elementwise_kernels.so: \
	$(ELEMENTWISE_KERNELS:.fatbin=.cu) plugins/bench_elementwise/numbers.cuh
tests/modules/.libs/judged.so: tests/modules/judged_reference.cu
tests/modules/.libs/histogram_kernels.so: plugins/bench_histogram/histogram.cu
tests/modules/.libs/padding_kernels.so: plugins/bench_padding/padding.cu conf/tune.cu

# LDFLAGS may hold what makes programs position-independent, which modules are in their own way.
TEST_MODULE_FLAGS = $(AM_CPPFLAGS) $(CPPFLAGS) -fvisibility=hidden -fPIC -shared -Wl,-z,defs \
	$(filter-out -fPIE -pie,$(LDFLAGS)) -o $@ $< $($*_needs)
TEST_MODULE_C = $(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(CC) -std=gnu17 $(WARNING_CFLAGS) $(CFLAGS) $(TEST_MODULE_FLAGS)
$(TEST_MODULES) $(NVCC_TEST_MODULES): $(TEST_MODULE_INCLUDES) $(public_HEADERS)
tests/modules/.libs/%.so: tests/modules/%.c
	$(TEST_MODULE_C)
tests/modules/.libs/%.so: tests/modules/%.cc
	$(AM_V_GEN)$(MKDIR_P) $(@D) && \
	$(CXX) -std=c++17 -Wall -Wextra $(WERROR_CFLAGS) -Wno-unknown-pragmas $(CXXFLAGS) $(TEST_MODULE_FLAGS)
tests/modules/.libs/%.so: tests/modules/%.cu
	$(NVCC_MODULE)
# No module, and not where modules are looked for.
PRELOADED = tests/.libs/hurry.so tests/.libs/replace_module.so tests/.libs/fail_nth.so
DRIVEN = tests/.libs/driven/device_cpu.so
check_DATA += $(PRELOADED) $(DRIVEN)
CLEANFILES += $(PRELOADED) $(DRIVEN)
TEST_FILES += tests/hurry.c tests/driven.c
tests/.libs/%.so: tests/hostile/%.c
	$(TEST_MODULE_C)
tests/.libs/hurry.so: tests/hurry.c
	$(TEST_MODULE_C)
# The device of plugins/device_cpu, on another clock: cpu.c is a part of driven.c.
DRIVEN_FILES = $(filter-out %/cpu.c,$(plugins_device_cpu_device_cpu_la_SOURCES))
$(DRIVEN): tests/driven.c plugins/device_cpu/cpu.c $(DRIVEN_FILES)
	$(TEST_MODULE_C) $(filter %.c,$(DRIVEN_FILES:%=$(srcdir)/%)) -Dclock_gettime=driven_gettime $(SYSTEM_LIBS)
$(LOADING_MODULES:%=tests/modules/.libs/%.so): tests/modules/.libs/%.so: tests/modules/loading.c
	$(TEST_MODULE_C) -DMODULE_NAME='"$*"'
