core_libmeasuring_la_SOURCES += \
	core/search/engine.c \
	core/search/engine.h \
	core/search/space.c \
	core/search/space.h
