# plugins/local.mk - a folder for each plugin, plugins/KIND_ID/, with a local.mk of its own; adding a
# plugin is adding its folder and its line here.
PLUGIN_CFLAGS = -std=c99 -pedantic $(WARNING_CFLAGS) -fvisibility=hidden $(SANITIZE_CFLAGS)
PLUGIN_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared $(NO_UNDEFINED_LDFLAGS)

# For those that need threads, affinity or other extensions of GNU.
PLUGIN_GNU_CFLAGS = -std=gnu17 $(WARNING_CFLAGS) -fvisibility=hidden $(SANITIZE_CFLAGS)

# What several policies need, linked into each of them.
noinst_LTLIBRARIES += plugins/common/libcommon.la
plugins_common_libcommon_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_common_libcommon_la_SOURCES = \
	plugins/common/effective_size.c \
	plugins/common/effective_size.h \
	plugins/common/median_estimate.c \
	plugins/common/median_estimate.h \
	plugins/common/order_statistics.c \
	plugins/common/order_statistics.h \
	plugins/common/sample_array.c \
	plugins/common/sample_array.h
PLUGIN_COMMON = plugins/common/libcommon.la

include $(top_srcdir)/plugins/bench_copy/local.mk
include $(top_srcdir)/plugins/bench_multistream_matmul/local.mk
include $(top_srcdir)/plugins/bench_nop/local.mk
include $(top_srcdir)/plugins/device_cpu/local.mk
include $(top_srcdir)/plugins/device_cuda/local.mk
include $(top_srcdir)/plugins/policy_budget/local.mk
include $(top_srcdir)/plugins/policy_fixed/local.mk
include $(top_srcdir)/plugins/policy_median_ci/local.mk
include $(top_srcdir)/plugins/policy_stdrel/local.mk
include $(top_srcdir)/plugins/skeleton/local.mk
