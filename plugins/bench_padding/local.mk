pkglib_LTLIBRARIES += plugins/bench_padding/bench_padding.la
plugins_bench_padding_bench_padding_la_SOURCES = \
	$(PRODUCT_REFERENCE_SOURCES) \
	plugins/bench_padding/padding.c \
	plugins/bench_padding/padding.cu \
	plugins/bench_padding/padding.h \
	plugins/bench_padding/padding_cpu.c \
	plugins/bench_padding/plan.c \
	plugins/bench_padding/plan.h
plugins_bench_padding_bench_padding_la_CFLAGS = $(WITH_CUDA_CFLAGS)
plugins_bench_padding_bench_padding_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_bench_padding_bench_padding_la_LIBADD = $(WITH_CUDA_LIBADD) $(SYSTEM_LIBS)
if WITH_KERNELS
plugins_bench_padding_bench_padding_la_SOURCES += \
	plugins/bench_padding/compile.c \
	plugins/bench_padding/compile.h
$(PLUGINS)/bench_padding/bench_padding_la-padding.lo: plugins/bench_padding/padding.fatbin
plugins/bench_padding/padding.fatbin: conf/tune.cu
endif
