core_libgbrun_la_SOURCES += \
	core/view/view_aligned.c \
	core/view/view_breakdown.c \
	core/view/view_cases.h \
	core/view/view_cells.c \
	core/view/view_check.c \
	core/view/view_columns.c \
	core/view/view_csv.c \
	core/view/view_estimate.c \
	core/view/view_expression.c \
	core/view/view_grid.c \
	core/view/view_histogram.c \
	core/view/view_group.c \
	core/view/view_json.c \
	core/view/view_lists.c \
	core/view/view_names.c \
	core/view/view_notes.c \
	core/view/view_pivot.c \
	core/view/view_roofs.c \
	core/view/view_rounds.c \
	core/view/view_select.c \
	core/view/view_show.c \
	core/view/view_survey.c \
	core/view/view_table.c \
	core/view/view_telemetry.c \
	core/view/view_writers.h \
	core/view/views.c \
	core/view/views.h
