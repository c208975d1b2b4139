pkglib_LTLIBRARIES += plugins/bench_histogram/bench_histogram.la
plugins_bench_histogram_bench_histogram_la_SOURCES = \
	$(TEAM_SOURCES) \
	plugins/bench_histogram/histogram.c \
	plugins/bench_histogram/histogram.cu
plugins_bench_histogram_bench_histogram_la_CFLAGS = $(WITH_CUDA_CFLAGS)
plugins_bench_histogram_bench_histogram_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_bench_histogram_bench_histogram_la_LIBADD = $(WITH_CUDA_LIBADD) $(SYSTEM_LIBS)
if WITH_KERNELS
$(PLUGINS)/bench_histogram/bench_histogram_la-histogram.lo: plugins/bench_histogram/histogram.fatbin
endif
