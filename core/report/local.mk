core_libgbrun_la_SOURCES += \
	core/report/case_samples.c \
	core/report/case_samples.h \
	core/report/chart.c \
	core/report/chart.h \
	core/report/chart_page.c \
	core/report/chart_text.c \
	core/report/fleet_chart.c \
	core/report/fleet_chart.h \
	core/report/html_cases.c \
	core/report/html_page.c \
	core/report/html_page.h \
	core/report/html_report.c \
	core/report/html_report.h \
	core/report/html_summary.c \
	core/report/plot.c \
	core/report/plot.h \
	core/report/plot_layout.c \
	core/report/plot_layout.h \
	core/report/plot_names.c \
	core/report/plot_svg.c \
	core/report/report.c \
	core/report/report.h \
	core/report/report_page.c \
	core/report/report_text.c
