# Collectives of NCCL: needs CUDA's headers, but neither nvcc nor a header of NCCL.
if HAVE_CUDA_HEADERS
pkglib_LTLIBRARIES += plugins/bench_nccl/bench_nccl.la
endif
plugins_bench_nccl_bench_nccl_la_SOURCES = \
	plugins/bench_nccl/library.h \
	plugins/bench_nccl/nccl.c
plugins_bench_nccl_bench_nccl_la_CFLAGS = $(PLUGIN_GNU_CFLAGS) $(CUDA_CFLAGS)
plugins_bench_nccl_bench_nccl_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_bench_nccl_bench_nccl_la_LIBADD = $(PLUGIN_COMMON_CUDA) $(SYSTEM_LIBS)
