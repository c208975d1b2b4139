core_libgbrun_la_SOURCES += \
	core/base/error.c \
	core/base/error.h \
	core/base/host_clock.c \
	core/base/host_clock.h \
	core/base/json_writer.c \
	core/base/json_writer.h \
	core/base/long_summary.c \
	core/base/long_summary.h \
	core/base/memory.c \
	core/base/memory.h \
	core/base/number_format.c \
	core/base/number_format.h \
	core/base/number_text.c \
	core/base/number_text.h \
	core/base/random.c \
	core/base/random.h \
	core/base/rounds.c \
	core/base/rounds.h \
	core/base/sha256.c \
	core/base/sha256.h \
	core/base/statistics.c \
	core/base/statistics.h \
	core/base/text.c \
	core/base/text.h \
	core/base/vector.h
