core_libmeasuring_la_SOURCES += \
	core/compare/between_runs.c \
	core/compare/between_runs.h \
	core/compare/change_points.c \
	core/compare/change_points.h \
	core/compare/compare.c \
	core/compare/compare.h \
	core/compare/compare_cases.c \
	core/compare/compare_internal.h \
	core/compare/compare_sides.c \
	core/compare/compare_text.c \
	core/compare/compare_text.h \
	core/compare/comparison.c \
	core/compare/comparison.h \
	core/compare/fleet.c \
	core/compare/fleet.h \
	core/compare/fleet_internal.h \
	core/compare/fleet_judge.c \
	core/compare/fleet_statistics.c \
	core/compare/fleet_statistics.h \
	core/compare/fleet_text.c \
	core/compare/history.c \
	core/compare/history.h \
	core/compare/judgement.c \
	core/compare/judgement.h \
	core/compare/relative.c \
	core/compare/relative.h
