pkglib_LTLIBRARIES += plugins/bench_elementwise/bench_elementwise.la
ELEMENTWISE_CPU_SOURCES = \
	$(TEAM_SOURCES) \
	plugins/bench_elementwise/elementwise.h \
	plugins/bench_elementwise/elementwise_cpu.c \
	plugins/bench_elementwise/reference.c \
	plugins/bench_elementwise/ways_body.h \
	plugins/bench_elementwise/ways_double.h \
	plugins/bench_elementwise/ways_float.h \
	plugins/bench_elementwise/ways_formats.h
ELEMENTWISE_KERNELS = \
	plugins/bench_elementwise/each.fatbin \
	plugins/bench_elementwise/planes.fatbin \
	plugins/bench_elementwise/rows.fatbin \
	plugins/bench_elementwise/sum.fatbin
plugins_bench_elementwise_bench_elementwise_la_SOURCES = \
	$(ELEMENTWISE_CPU_SOURCES) \
	plugins/bench_elementwise/each.cu \
	plugins/bench_elementwise/elementwise.c \
	plugins/bench_elementwise/numbers.cuh \
	plugins/bench_elementwise/planes.cu \
	plugins/bench_elementwise/rows.cu \
	plugins/bench_elementwise/sum.cu
plugins_bench_elementwise_bench_elementwise_la_CFLAGS = $(WITH_CUDA_CFLAGS)
plugins_bench_elementwise_bench_elementwise_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_bench_elementwise_bench_elementwise_la_LIBADD = $(WITH_CUDA_LIBADD) $(SYSTEM_LIBS)
if WITH_KERNELS
$(PLUGINS)/bench_elementwise/bench_elementwise_la-elementwise.lo: $(ELEMENTWISE_KERNELS)
$(ELEMENTWISE_KERNELS): plugins/bench_elementwise/numbers.cuh
endif
