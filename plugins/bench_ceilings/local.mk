pkglib_LTLIBRARIES += plugins/bench_ceilings/bench_ceilings.la
CEILINGS_CPU_SOURCES = \
	$(TEAM_SOURCES) \
	plugins/bench_ceilings/fragments.c \
	plugins/bench_ceilings/fragments.h \
	plugins/bench_ceilings/memory.c \
	plugins/bench_ceilings/memory.h \
	plugins/bench_ceilings/memory_body.h \
	plugins/bench_ceilings/memory_sve.h \
	plugins/bench_ceilings/rates.c \
	plugins/bench_ceilings/rates.h \
	plugins/bench_ceilings/roofs.c \
	plugins/bench_ceilings/roofs.h
plugins_bench_ceilings_bench_ceilings_la_SOURCES = \
	$(CEILINGS_CPU_SOURCES) \
	$(SYSTEM_SOURCES) \
	plugins/bench_ceilings/ceilings.c \
	plugins/bench_ceilings/ceilings.cu \
	plugins/bench_ceilings/ceilings.h
plugins_bench_ceilings_bench_ceilings_la_CFLAGS = $(WITH_CUDA_CFLAGS)
plugins_bench_ceilings_bench_ceilings_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_bench_ceilings_bench_ceilings_la_LIBADD = $(WITH_CUDA_LIBADD) $(SYSTEM_LIBS)
if WITH_KERNELS
plugins_bench_ceilings_bench_ceilings_la_SOURCES += \
	plugins/bench_ceilings/ceilings_cuda.c \
	plugins/bench_ceilings/ceilings_cuda.h \
	plugins/bench_ceilings/cuda_memory.c \
	plugins/bench_ceilings/cuda_products.c \
	plugins/bench_ceilings/cuda_rates.c
$(PLUGINS)/bench_ceilings/bench_ceilings_la-ceilings_cuda.lo: plugins/bench_ceilings/ceilings.fatbin
endif
