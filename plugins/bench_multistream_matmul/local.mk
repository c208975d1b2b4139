pkglib_LTLIBRARIES += plugins/bench_multistream_matmul/bench_multistream_matmul.la
plugins_bench_multistream_matmul_bench_multistream_matmul_la_SOURCES = \
	plugins/bench_multistream_matmul/matmul.h \
	plugins/bench_multistream_matmul/matmul_cpu.c \
	plugins/bench_multistream_matmul/multistream_matmul.c \
	plugins/common/team.h
plugins_bench_multistream_matmul_bench_multistream_matmul_la_CFLAGS = $(WITH_CUDA_CFLAGS)
plugins_bench_multistream_matmul_bench_multistream_matmul_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_bench_multistream_matmul_bench_multistream_matmul_la_LIBADD = $(WITH_CUDA_LIBADD) $(SYSTEM_LIBS)

# Without nvcc or the headers of CUDA the same plugin runs on the CPU only.
if WITH_KERNELS
plugins_bench_multistream_matmul_bench_multistream_matmul_la_SOURCES += \
	plugins/bench_multistream_matmul/matmul.cu \
	plugins/bench_multistream_matmul/matmul_cuda.c \
	plugins/bench_multistream_matmul/prediction.c \
	plugins/bench_multistream_matmul/prediction.h \
	plugins/bench_multistream_matmul/stamps.h
$(PLUGINS)/bench_multistream_matmul/bench_multistream_matmul_la-matmul_cuda.lo: plugins/bench_multistream_matmul/matmul.fatbin
plugins/bench_multistream_matmul/matmul.fatbin: plugins/bench_multistream_matmul/stamps.h
endif
