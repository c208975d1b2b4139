# tests/report/local.mk - tests of pictures, core/report/.
TEST_PROGRAM_LIST += tests/report/test_report
tests_report_test_report_SOURCES = \
	tests/report/markup.h \
	tests/report/test_fleet_chart.c \
	tests/report/test_html.c \
	tests/report/test_plot.c \
	tests/report/test_report_picture.c
