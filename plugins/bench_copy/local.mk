pkglib_LTLIBRARIES += plugins/bench_copy/bench_copy.la
plugins_bench_copy_bench_copy_la_SOURCES = \
	plugins/bench_copy/copy.c \
	plugins/bench_copy/copy.cu
plugins_bench_copy_bench_copy_la_CFLAGS = $(WITH_CUDA_CFLAGS)
plugins_bench_copy_bench_copy_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_bench_copy_bench_copy_la_LIBADD = $(WITH_CUDA_LIBADD)
COPY_OBJECT = plugins/bench_copy/bench_copy_la-copy.lo
if HAVE_CUDA
if HAVE_CUDA_HEADERS
$(COPY_OBJECT): plugins/bench_copy/copy.fatbin
endif
endif
CLEANFILES += plugins/bench_copy/copy.fatbin
