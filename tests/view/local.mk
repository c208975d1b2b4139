# tests/view/local.mk - tests of tables and exports, core/view/.
TEST_PROGRAM_LIST += tests/view/test_view
tests_view_test_view_SOURCES = \
	tests/view/test_breakdown.c \
	tests/view/test_exchange.c \
	tests/view/members.h \
	tests/view/test_exchange_members.c \
	tests/view/test_export_members.c \
	tests/view/test_relative.c \
	tests/view/test_roofs.c \
	tests/view/test_view_details.c \
	tests/view/test_view_notes.c \
	tests/view/test_views.c \
	tests/view/views_fixture.h
