pkglib_LTLIBRARIES += plugins/bench_nop/bench_nop.la
plugins_bench_nop_bench_nop_la_SOURCES = \
	plugins/bench_nop/nop.c \
	plugins/bench_nop/nop.cu
plugins_bench_nop_bench_nop_la_CFLAGS = $(WITH_CUDA_CFLAGS)
plugins_bench_nop_bench_nop_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_bench_nop_bench_nop_la_LIBADD = $(WITH_CUDA_LIBADD)
if WITH_KERNELS
$(PLUGINS)/bench_nop/bench_nop_la-nop.lo: plugins/bench_nop/nop.fatbin
endif
