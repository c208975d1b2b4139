pkglib_LTLIBRARIES += plugins/bench_copy/bench_copy.la
plugins_bench_copy_bench_copy_la_SOURCES = \
	plugins/bench_copy/copy.c
plugins_bench_copy_bench_copy_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_bench_copy_bench_copy_la_LDFLAGS = $(PLUGIN_LDFLAGS)
