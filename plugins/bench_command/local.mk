pkglib_LTLIBRARIES += plugins/bench_command/bench_command.la
plugins_bench_command_bench_command_la_SOURCES = \
	plugins/bench_command/command.c \
	plugins/bench_command/disk_cache.c \
	plugins/bench_command/disk_cache.h \
	plugins/bench_command/expected.c \
	plugins/bench_command/expected.h \
	plugins/bench_command/figure.c \
	plugins/bench_command/figure.h \
	plugins/bench_command/words.c \
	plugins/bench_command/program_count.c \
	plugins/bench_command/program_count.h \
	plugins/bench_command/words.h \
	$(PERF_SOURCES) \
	$(PROCESS_SOURCES) \
	$(SYSTEM_SOURCES)
plugins_bench_command_bench_command_la_CFLAGS = $(PLUGIN_GNU_CFLAGS)
plugins_bench_command_bench_command_la_LDFLAGS = $(PLUGIN_LDFLAGS)
