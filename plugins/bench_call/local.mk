pkglib_LTLIBRARIES += plugins/bench_call/bench_call.la
plugins_bench_call_bench_call_la_SOURCES = \
	$(CALL_PARSER_SOURCES) \
	$(CALL_SOURCES) \
	plugins/bench_call/call.c
plugins_bench_call_bench_call_la_CFLAGS = $(WITH_CUDA_CFLAGS) $(FFI_CFLAGS)
# Where a bundle has libffi: the folder above that of the plugins.
plugins_bench_call_bench_call_la_LDFLAGS = $(PLUGIN_LDFLAGS) -Wl,-rpath,'$$ORIGIN/..'
plugins_bench_call_bench_call_la_LIBADD = $(FFI_LIBS) $(WITH_CUDA_LIBADD) $(SYSTEM_LIBS)
