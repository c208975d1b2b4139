# Kernels of the user's own: needs CUDA's headers, but no nvcc. The language of arguments, their
# buffers and calls of functions are those of the plugin call.
ARRAY_FILE_SOURCES = \
	plugins/bench_kernel/files.c \
	plugins/bench_kernel/files.h \
	plugins/bench_kernel/scan.c \
	plugins/bench_kernel/scan.h
KERNEL_BUILD_SOURCES = $(ARRAY_FILE_SOURCES) $(DIGEST_SOURCES) \
	plugins/bench_kernel/build.c \
	plugins/bench_kernel/build.h \
	plugins/bench_kernel/cache.c \
	plugins/bench_kernel/cache.h
KERNEL_CALL_SOURCES = $(CALL_PARSER_SOURCES) $(CALL_SOURCES)
if HAVE_CUDA_HEADERS
pkglib_LTLIBRARIES += plugins/bench_kernel/bench_kernel.la
endif
plugins_bench_kernel_bench_kernel_la_SOURCES = \
	$(KERNEL_BUILD_SOURCES) \
	$(KERNEL_CALL_SOURCES) \
	plugins/bench_kernel/check.c \
	plugins/bench_kernel/kernel.c \
	plugins/bench_kernel/launch.c \
	plugins/bench_kernel/launch.h \
	plugins/bench_kernel/settings.c \
	plugins/bench_kernel/settings.h
plugins_bench_kernel_bench_kernel_la_CFLAGS = $(PLUGIN_GNU_CFLAGS) $(CUDA_CFLAGS) $(FFI_CFLAGS) \
	-DPLUGIN_WITH_CUDA
# Where a bundle has libffi: the folder above that of the plugins.
plugins_bench_kernel_bench_kernel_la_LDFLAGS = $(PLUGIN_LDFLAGS) -Wl,-rpath,'$$ORIGIN/..'
plugins_bench_kernel_bench_kernel_la_LIBADD = $(PLUGIN_COMMON_CUDA) $(FFI_LIBS) $(SYSTEM_LIBS)
