pkglib_LTLIBRARIES += plugins/bench_convolution/bench_convolution.la
plugins_bench_convolution_bench_convolution_la_SOURCES = \
	$(VERIFIED_SUMS_SOURCES) \
	plugins/bench_convolution/convolution.c \
	plugins/bench_convolution/convolution.cu \
	plugins/bench_convolution/convolution.h \
	plugins/bench_convolution/convolution_cpu.c \
	plugins/bench_convolution/window.h
plugins_bench_convolution_bench_convolution_la_CFLAGS = $(WITH_CUDA_CFLAGS)
plugins_bench_convolution_bench_convolution_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_bench_convolution_bench_convolution_la_LIBADD = $(WITH_CUDA_LIBADD) $(SYSTEM_LIBS)
if WITH_KERNELS
$(PLUGINS)/bench_convolution/bench_convolution_la-convolution.lo: plugins/bench_convolution/convolution.fatbin
plugins/bench_convolution/convolution.fatbin: plugins/bench_convolution/window.h
endif
