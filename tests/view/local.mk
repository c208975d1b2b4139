# tests/view/local.mk - tests of tables and exports, core/view/.
TEST_PROGRAM_LIST += \
	tests/view/test_breakdown \
	tests/view/test_relative \
	tests/view/test_exchange \
	tests/view/test_roofs \
	tests/view/test_view_details \
	tests/view/test_view_notes \
	tests/view/test_views
TEST_FILES += tests/view/views_fixture.h
