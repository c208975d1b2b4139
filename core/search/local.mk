core_libmeasuring_la_SOURCES += \
	core/search/engine.c \
	core/search/engine.h \
	core/search/recorded.c \
	core/search/recorded.h \
	core/search/simulation.c \
	core/search/simulation.h \
	core/search/space.c \
	core/search/space.h
