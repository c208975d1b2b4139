pkglib_LTLIBRARIES += plugins/bench_python/bench_python.la
plugins_bench_python_bench_python_la_SOURCES = \
	plugins/bench_python/python.c \
	$(PROCESS_SOURCES)
plugins_bench_python_bench_python_la_CFLAGS = $(PLUGIN_GNU_CFLAGS) -DGBRUN_SOURCES='"$(top_srcdir)/"'
plugins_bench_python_bench_python_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_bench_python_bench_python_la_LIBADD = $(SYSTEM_LIBS)
# What is embedded. The object needs a name in a variable: Automake would take a rule with its name for its own.
PYTHON_OBJECT = plugins/bench_python/bench_python_la-python.lo
$(PYTHON_OBJECT): python/gbrun.py plugins/bench_python/ask.py plugins/bench_python/judged.py
EXTRA_DIST += plugins/bench_python/ask.py plugins/bench_python/judged.py
