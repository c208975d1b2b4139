pkglib_LTLIBRARIES += plugins/bench_copy/bench_copy.la
plugins_bench_copy_bench_copy_la_SOURCES = \
	plugins/bench_copy/copy.c \
	plugins/bench_copy/copy.cu
plugins_bench_copy_bench_copy_la_CFLAGS = $(WITH_CUDA_CFLAGS)
plugins_bench_copy_bench_copy_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_bench_copy_bench_copy_la_LIBADD = $(WITH_CUDA_LIBADD)
if WITH_KERNELS
$(PLUGINS)/bench_copy/bench_copy_la-copy.lo: plugins/bench_copy/copy.fatbin
endif
