core_libgbrun_la_SOURCES += \
	core/replay/replay.c \
	core/replay/replay.h \
	core/replay/replay_page.c \
	core/replay/replay_text.c \
	core/replay/replay_trace.c \
	core/replay/trace_file.c
