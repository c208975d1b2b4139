# tests/report/local.mk - tests of pictures, core/report/.
TEST_PROGRAM_LIST += \
	tests/report/test_fleet_chart \
	tests/report/test_html \
	tests/report/test_plot \
	tests/report/test_report_picture
