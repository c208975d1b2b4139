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
MATMUL_IMAGE = plugins/bench_multistream_matmul/matmul.fatbin
# As a variable: automake takes a rule for the object itself as one that replaces its own.
MATMUL_CUDA_OBJECT = plugins/bench_multistream_matmul/bench_multistream_matmul_la-matmul_cuda.lo
if HAVE_CUDA
if HAVE_CUDA_HEADERS
plugins_bench_multistream_matmul_bench_multistream_matmul_la_SOURCES += \
	plugins/bench_multistream_matmul/matmul.cu \
	plugins/bench_multistream_matmul/matmul_cuda.c \
	plugins/bench_multistream_matmul/prediction.c \
	plugins/bench_multistream_matmul/prediction.h \
	plugins/bench_multistream_matmul/stamps.h
$(MATMUL_CUDA_OBJECT): $(MATMUL_IMAGE)
$(MATMUL_IMAGE): plugins/bench_multistream_matmul/stamps.h
endif
endif
CLEANFILES += $(MATMUL_IMAGE)
