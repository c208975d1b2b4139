# plugins/local.mk - a folder for each plugin, plugins/KIND_ID/, with a local.mk of its own; adding a
# plugin is adding its folder and its line here.
PLUGIN_CFLAGS = -std=c99 -pedantic $(WARNING_CFLAGS) -fvisibility=hidden $(SANITIZE_CFLAGS)
PLUGIN_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared $(NO_UNDEFINED_LDFLAGS)

# For those that need threads, affinity or other extensions of GNU.
PLUGIN_GNU_CFLAGS = -std=gnu17 $(WARNING_CFLAGS) -fvisibility=hidden $(SANITIZE_CFLAGS)

# What several policies and searches need, linked into each of them. The same samples give the same numbers with
# any compiler, so none may fuse a multiplication with an addition.
POLICY_CFLAGS = $(PLUGIN_CFLAGS) -ffp-contract=off
noinst_LTLIBRARIES += plugins/common/libcommon.la
plugins_common_libcommon_la_CFLAGS = $(POLICY_CFLAGS)
plugins_common_libcommon_la_SOURCES = \
	plugins/common/policy/effective_size.c \
	plugins/common/policy/effective_size.h \
	plugins/common/policy/exact_sum.h \
	plugins/common/policy/median_estimate.c \
	plugins/common/policy/median_estimate.h \
	plugins/common/policy/order_statistics.c \
	plugins/common/policy/order_statistics.h \
	plugins/common/bench_memory.h \
	plugins/common/bench_steps.h \
	plugins/common/measuring.h \
	plugins/common/simd.h \
	plugins/common/symbols.h \
	plugins/common/validation.h \
	plugins/common/search/search.c \
	plugins/common/search/search.h
PLUGIN_COMMON = plugins/common/libcommon.la

# The machine as files of /proc and /sys describe it, also for core/run.
SYSTEM_SOURCES = \
	plugins/common/system/system_file.c \
	plugins/common/system/system_file.h
# The hash of the kernels' cache, also for core/base.
DIGEST_SOURCES = \
	plugins/common/system/sha256_digest.c \
	plugins/common/system/sha256_digest.h
# Percentiles of series rest on it as policies do.
core_libmeasuring_la_SOURCES += $(SYSTEM_SOURCES) $(DIGEST_SOURCES) \
	plugins/common/policy/effective_size.c \
	plugins/common/policy/effective_size.h

# Sources that some plugins share: the language of arguments and calls of `call` and `kernel`, threads
# that work together, programs that are started, inputs and references of sums that are verified.
CALL_PARSER_SOURCES = \
	plugins/common/call/call_cursor.c \
	plugins/common/call/call_cursor.h \
	plugins/common/call/call_parse.c \
	plugins/common/call/call_parse.h \
	plugins/common/call/call_signature.c \
	plugins/common/call/call_types.c \
	plugins/common/call/call_types.h
CALL_SOURCES = \
	plugins/common/call/call_compare.c \
	plugins/common/call/call_compare.h \
	plugins/common/call/call_debug.c \
	plugins/common/call/call_foreign.c \
	plugins/common/call/call_foreign.h \
	plugins/common/call/call_invoke.c \
	plugins/common/call/call_invoke.h \
	plugins/common/call/call_library.c \
	plugins/common/call/call_library.h \
	plugins/common/call/call_maker.c \
	plugins/common/call/call_plan.c \
	plugins/common/call/call_plan.h \
	plugins/common/call/call_world.c \
	plugins/common/call/call_world.h
TEAM_SOURCES = \
	plugins/common/team.c \
	plugins/common/team.h
PERF_SOURCES = \
	plugins/common/instruction.h \
	plugins/common/perf_events.c \
	plugins/common/perf_events.h
PROCESS_SOURCES = \
	plugins/common/process.c \
	plugins/common/process.h
VERIFIED_SUMS_SOURCES = \
	plugins/common/verified_sums.c \
	plugins/common/verified_sums.h
PRODUCT_REFERENCE_SOURCES = $(VERIFIED_SUMS_SOURCES) \
	plugins/common/product_reference.c \
	plugins/common/product_reference.h

# What plugins for CUDA need; no library of CUDA is linked, all are opened when they are needed.
PLUGIN_COMMON_CUDA = plugins/common/libcommon_cuda.la
PLUGIN_COMMON_CUDA_SOURCES = \
	plugins/common/cuda/cublas.c \
	plugins/common/cuda/cublas.h \
	plugins/common/cuda/cublas_types.h \
	plugins/common/cuda/cuda_driver.c \
	plugins/common/cuda/cuda_driver.h \
	plugins/common/cuda/cuda_image.c \
	plugins/common/cuda/cuda_image.h \
	plugins/common/cuda/cuda_launch.h \
	plugins/common/cuda/elf_function.c \
	plugins/common/cuda/elf_function.h \
	plugins/common/cuda/gpu_group.c \
	plugins/common/cuda/gpu_group.h \
	plugins/common/cuda/nvrtc_program.c \
	plugins/common/cuda/nvrtc_program.h \
	plugins/common/cuda/with_cuda.h
if HAVE_CUDA_HEADERS
noinst_LTLIBRARIES += $(PLUGIN_COMMON_CUDA)
endif
plugins_common_libcommon_cuda_la_CFLAGS = $(PLUGIN_GNU_CFLAGS) $(CUDA_CFLAGS)
plugins_common_libcommon_cuda_la_SOURCES = $(PLUGIN_COMMON_CUDA_SOURCES)
plugins_common_libcommon_cuda_la_LIBADD = $(SYSTEM_LIBS)

# Kernels: NAME.cu is compiled to NAME.fatbin for CUDA_ARCHITECTURES and, as PTX of the last of them, for
# those to come; the plugin embeds it beside the source, which NVRTC compiles for all others
# (cuda_image.h). Built with the CUDA Toolkit only.
PLUGIN_KERNEL_CFLAGS = $(PLUGIN_GNU_CFLAGS) $(CUDA_CFLAGS) \
	-DCUDA_IMAGE_SOURCES='"$(top_srcdir)/"'
NVCC_KERNEL_FLAGS = $(CUDA_GENCODE) --threads=0 -O3 -std=c++17
SUFFIXES = .cu .fatbin
.cu.fatbin:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && $(NVCC) $(NVCC_KERNEL_FLAGS) $(NVCCFLAGS) -fatbin -o $@ $<

# Plugins for both CPU and CUDA (with_cuda.h) are compiled with the first and linked with the second;
# within the same condition they add their files for CUDA. The object that embeds kernels depends
# on them by a variable: Automake would take a rule with its name for a replacement of its own.
PLUGINS = plugins
CLEANFILES += plugins/*/*.fatbin
WITH_CUDA_CFLAGS = $(PLUGIN_KERNEL_CFLAGS)
WITH_CUDA_LIBADD =
if WITH_KERNELS
WITH_CUDA_CFLAGS += -DPLUGIN_WITH_CUDA
WITH_CUDA_LIBADD += $(PLUGIN_COMMON_CUDA)
endif

include $(top_srcdir)/plugins/bench_call/local.mk
include $(top_srcdir)/plugins/bench_ceilings/local.mk
include $(top_srcdir)/plugins/bench_command/local.mk
include $(top_srcdir)/plugins/bench_convolution/local.mk
include $(top_srcdir)/plugins/bench_copy/local.mk
include $(top_srcdir)/plugins/bench_elementwise/local.mk
include $(top_srcdir)/plugins/bench_gemm_verify/local.mk
include $(top_srcdir)/plugins/bench_histogram/local.mk
include $(top_srcdir)/plugins/bench_kernel/local.mk
include $(top_srcdir)/plugins/bench_multistream_matmul/local.mk
include $(top_srcdir)/plugins/bench_nccl/local.mk
include $(top_srcdir)/plugins/bench_nop/local.mk
include $(top_srcdir)/plugins/bench_padding/local.mk

include $(top_srcdir)/plugins/bench_python/local.mk
include $(top_srcdir)/plugins/bench_spin/local.mk
include $(top_srcdir)/plugins/device_cpu/local.mk
include $(top_srcdir)/plugins/device_cuda/local.mk
include $(top_srcdir)/plugins/policy_entropy/local.mk
include $(top_srcdir)/plugins/policy_fixed/local.mk
include $(top_srcdir)/plugins/policy_median/local.mk
include $(top_srcdir)/plugins/policy_stdrel/local.mk
include $(top_srcdir)/plugins/policy_steady/local.mk
include $(top_srcdir)/plugins/search_exhaustive/local.mk
include $(top_srcdir)/plugins/search_guided/local.mk
include $(top_srcdir)/plugins/search_local/local.mk
include $(top_srcdir)/plugins/search_race/local.mk
include $(top_srcdir)/plugins/skeleton/local.mk
include $(top_srcdir)/plugins/templates/local.mk
