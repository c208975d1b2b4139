# Built where <cuda.h> and <cupti.h> are; no library of CUDA is linked.
DEVICE_CUDA_SOURCES = \
	plugins/device_cuda/activities.c \
	plugins/device_cuda/clocks.c \
	plugins/device_cuda/counters.c \
	plugins/device_cuda/cuda.c \
	plugins/device_cuda/cuda_device.c \
	plugins/device_cuda/cuda_device.h \
	plugins/device_cuda/cupti.c \
	plugins/device_cuda/cupti.h \
	plugins/device_cuda/graph.c \
	plugins/device_cuda/graph.h \
	plugins/device_cuda/hold.c \
	plugins/device_cuda/hold.h \
	plugins/device_cuda/judging.c \
	plugins/device_cuda/nvml.c \
	plugins/device_cuda/profiler.c \
	plugins/device_cuda/profiler.h \
	plugins/device_cuda/sensors.c \
	plugins/device_cuda/sensors.h \
	plugins/device_cuda/stamps.c \
	plugins/device_cuda/stamps.h \
	plugins/device_cuda/timed_device.h \
	plugins/device_cuda/way.c \
	plugins/device_cuda/way.h \
	plugins/device_cuda/way_choice.c \
	plugins/device_cuda/without_cxx/string
# A header of CUPTI includes one of C++.
WITHOUT_CXX = -isystem $(top_srcdir)/plugins/device_cuda/without_cxx
if HAVE_CUDA_HEADERS
pkglib_LTLIBRARIES += plugins/device_cuda/device_cuda.la
plugins_device_cuda_device_cuda_la_SOURCES = $(DEVICE_CUDA_SOURCES)
plugins_device_cuda_device_cuda_la_CFLAGS = $(PLUGIN_GNU_CFLAGS) $(WITHOUT_CXX) $(CUDA_CFLAGS)
plugins_device_cuda_device_cuda_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_device_cuda_device_cuda_la_LIBADD = $(PLUGIN_COMMON_CUDA)
endif
