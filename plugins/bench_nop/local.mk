pkglib_LTLIBRARIES += plugins/bench_nop/bench_nop.la
plugins_bench_nop_bench_nop_la_SOURCES = \
	plugins/bench_nop/nop.c
plugins_bench_nop_bench_nop_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_bench_nop_bench_nop_la_LDFLAGS = $(PLUGIN_LDFLAGS)
