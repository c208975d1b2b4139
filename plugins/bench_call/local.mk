pkglib_LTLIBRARIES += plugins/bench_call/bench_call.la
CALL_PARSER_SOURCES = \
	plugins/common/call_cursor.c \
	plugins/common/call_cursor.h \
	plugins/common/call_parse.c \
	plugins/common/call_parse.h \
	plugins/common/call_types.c \
	plugins/common/call_types.h
plugins_bench_call_bench_call_la_SOURCES = \
	$(CALL_PARSER_SOURCES) \
	plugins/bench_call/call.c \
	plugins/bench_call/call.h \
	plugins/common/call_callback.c \
	plugins/common/call_callback.h \
	plugins/common/call_fill.c \
	plugins/common/call_fill.h \
	plugins/common/call_foreign.c \
	plugins/common/call_foreign.h \
	plugins/common/call_invoke.c \
	plugins/common/call_invoke.h \
	plugins/common/call_library.c \
	plugins/common/call_library.h \
	plugins/common/call_plan.c \
	plugins/common/call_plan.h \
	plugins/common/call_compare.c \
	plugins/common/call_compare.h \
	plugins/bench_call/verify.c \
	plugins/common/call_world.c \
	plugins/common/call_world.h
plugins_bench_call_bench_call_la_CFLAGS = $(WITH_CUDA_CFLAGS) $(FFI_CFLAGS)
# Where a bundle has libffi: the folder above that of the plugins.
plugins_bench_call_bench_call_la_LDFLAGS = $(PLUGIN_LDFLAGS) -Wl,-rpath,'$$ORIGIN/..'
plugins_bench_call_bench_call_la_LIBADD = $(FFI_LIBS) $(WITH_CUDA_LIBADD) $(SYSTEM_LIBS)
