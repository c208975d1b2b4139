pkglib_LTLIBRARIES += plugins/bench_call/bench_call.la
CALL_PARSER_SOURCES = \
	plugins/bench_call/cursor.c \
	plugins/bench_call/cursor.h \
	plugins/bench_call/parse.c \
	plugins/bench_call/parse.h \
	plugins/bench_call/types.c \
	plugins/bench_call/types.h
plugins_bench_call_bench_call_la_SOURCES = \
	$(CALL_PARSER_SOURCES) \
	plugins/bench_call/call.c \
	plugins/bench_call/call.h \
	plugins/bench_call/callback.c \
	plugins/bench_call/callback.h \
	plugins/bench_call/fill.c \
	plugins/bench_call/fill.h \
	plugins/bench_call/foreign.c \
	plugins/bench_call/foreign.h \
	plugins/bench_call/invoke.c \
	plugins/bench_call/invoke.h \
	plugins/bench_call/library.c \
	plugins/bench_call/library.h \
	plugins/bench_call/plan.c \
	plugins/bench_call/plan.h \
	plugins/bench_call/verify.c \
	plugins/bench_call/world.c \
	plugins/bench_call/world.h
plugins_bench_call_bench_call_la_CFLAGS = $(WITH_CUDA_CFLAGS) $(FFI_CFLAGS)
# Where a bundle has libffi: the folder above that of the plugins.
plugins_bench_call_bench_call_la_LDFLAGS = $(PLUGIN_LDFLAGS) -Wl,-rpath,'$$ORIGIN/..'
plugins_bench_call_bench_call_la_LIBADD = $(FFI_LIBS) $(WITH_CUDA_LIBADD) $(SYSTEM_LIBS)
