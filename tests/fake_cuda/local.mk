# tests/fake_cuda/local.mk - a driver for tests of plugins for CUDA, under the driver's own name.
if HAVE_CUDA_HEADERS
check_LTLIBRARIES += \
	tests/fake_cuda/libcuda.la \
	tests/fake_cuda/libnccl.la \
	tests/fake_cuda/launch/libcuda.la
endif
tests_fake_cuda_launch_libcuda_la_SOURCES = \
	tests/fake_cuda/fake_driver.h \
	tests/fake_cuda/fake_launch.c \
	tests/fake_cuda/fake_launch.h \
	tests/fake_cuda/rest.c
tests_fake_cuda_launch_libcuda_la_CFLAGS = $(PLUGIN_GNU_CFLAGS) $(CUDA_CFLAGS)
tests_fake_cuda_launch_libcuda_la_LDFLAGS = $(AM_LDFLAGS) -shared -version-info 1:0:0 -rpath /nowhere
tests_fake_cuda_libcuda_la_SOURCES = \
	tests/fake_cuda/fake_cuda.c \
	tests/fake_cuda/fake_cuda.h \
	tests/fake_cuda/fake_driver.h \
	tests/fake_cuda/rest.c
tests_fake_cuda_libcuda_la_CFLAGS = $(PLUGIN_GNU_CFLAGS) $(CUDA_CFLAGS)
tests_fake_cuda_libcuda_la_LDFLAGS = $(AM_LDFLAGS) -shared -version-info 1:0:0 -rpath /nowhere

tests_fake_cuda_libnccl_la_SOURCES = \
	tests/fake_cuda/fake_cuda.h \
	tests/fake_cuda/fake_nccl.c \
	tests/fake_cuda/fake_nccl.h
tests_fake_cuda_libnccl_la_CFLAGS = $(PLUGIN_GNU_CFLAGS)
tests_fake_cuda_libnccl_la_LDFLAGS = $(AM_LDFLAGS) -shared -version-info 2:0:0 -rpath /nowhere
tests_fake_cuda_libnccl_la_LIBADD = $(SYSTEM_LIBS)
