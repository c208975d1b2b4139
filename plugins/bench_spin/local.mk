pkglib_LTLIBRARIES += plugins/bench_spin/bench_spin.la
plugins_bench_spin_bench_spin_la_SOURCES = \
	plugins/bench_spin/spin.c \
	plugins/bench_spin/spin.cu \
	plugins/bench_spin/spin.h
plugins_bench_spin_bench_spin_la_CFLAGS = $(WITH_CUDA_CFLAGS)
plugins_bench_spin_bench_spin_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_bench_spin_bench_spin_la_LIBADD = $(WITH_CUDA_LIBADD) $(SYSTEM_LIBS)
if WITH_KERNELS
$(PLUGINS)/bench_spin/bench_spin_la-spin.lo: plugins/bench_spin/spin.fatbin
endif
