core_libmeasuring_la_SOURCES += \
	core/store/foreign.c \
	core/store/foreign.h \
	core/store/merge.c \
	core/store/record.c \
	core/store/record.h \
	core/store/roofs.c \
	core/store/roofs.h \
	core/store/sentinel.c \
	core/store/sentinel.h \
	core/store/store.c \
	core/store/store.h \
	core/store/store_case.h \
	core/store/store_internal.h \
	core/store/store_outcomes.c \
	core/store/store_outcomes.h \
	core/store/store_read.c \
	core/store/store_read.h \
	core/store/store_read_case.c \
	core/store/store_rows.c \
	core/store/store_samples.c \
	core/store/store_schema.c \
	core/store/store_schema.h \
	core/store/store_table.c \
	core/store/store_table.h \
	core/store/store_write.c \
	core/store/visits.c \
	core/store/visits.h
