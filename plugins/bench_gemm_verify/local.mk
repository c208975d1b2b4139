pkglib_LTLIBRARIES += plugins/bench_gemm_verify/bench_gemm_verify.la
GEMM_VERIFY_CPU_SOURCES = \
	$(PRODUCT_REFERENCE_SOURCES) \
	plugins/bench_gemm_verify/fault.c \
	plugins/bench_gemm_verify/fault.h \
	plugins/bench_gemm_verify/sums.c \
	plugins/bench_gemm_verify/sums.h
plugins_bench_gemm_verify_bench_gemm_verify_la_SOURCES = \
	$(GEMM_VERIFY_CPU_SOURCES) \
	plugins/bench_gemm_verify/check.c \
	plugins/bench_gemm_verify/gemm.cu \
	plugins/bench_gemm_verify/gemm.h \
	plugins/bench_gemm_verify/gemm_verify.c
plugins_bench_gemm_verify_bench_gemm_verify_la_CFLAGS = $(WITH_CUDA_CFLAGS)
plugins_bench_gemm_verify_bench_gemm_verify_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_bench_gemm_verify_bench_gemm_verify_la_LIBADD = $(WITH_CUDA_LIBADD) $(SYSTEM_LIBS)
if WITH_KERNELS
plugins_bench_gemm_verify_bench_gemm_verify_la_SOURCES += \
	plugins/bench_gemm_verify/gemm_cuda.c
$(PLUGINS)/bench_gemm_verify/bench_gemm_verify_la-gemm_cuda.lo: plugins/bench_gemm_verify/gemm.fatbin
endif
