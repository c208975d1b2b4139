pkglib_LTLIBRARIES += plugins/device_cpu/device_cpu.la
plugins_device_cpu_device_cpu_la_SOURCES = \
	plugins/device_cpu/counters.c \
	plugins/device_cpu/cpu.c \
	plugins/device_cpu/cpu_device.h \
	plugins/device_cpu/cpu_list.c \
	plugins/device_cpu/cpu_list.h \
	plugins/device_cpu/measure.c \
	plugins/device_cpu/reference.c \
	plugins/device_cpu/sensors.c \
	plugins/device_cpu/stepping.c \
	plugins/device_cpu/stepping.h \
	$(PERF_SOURCES) \
	$(TEAM_SOURCES) \
	$(SYSTEM_SOURCES)
plugins_device_cpu_device_cpu_la_CFLAGS = $(PLUGIN_GNU_CFLAGS)
plugins_device_cpu_device_cpu_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_device_cpu_device_cpu_la_LIBADD = $(SYSTEM_LIBS)
