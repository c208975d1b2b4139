core_libgbrun_la_SOURCES += \
	core/compare/comparison.c \
	core/compare/comparison.h
