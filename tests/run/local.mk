# tests/run/local.mk - tests of running, core/run/.
TEST_PROGRAM_LIST += tests/run/test_run
tests_run_test_run_SOURCES = \
	tests/run/test_programs.c \
	tests/run/test_device_groups.c \
	tests/run/test_event_lines.c \
	tests/run/test_host.c \
	tests/run/test_interference.c \
	tests/run/test_lock.c \
	tests/run/test_module.c \
	tests/run/test_policy_run.c \
	tests/run/test_further_visits.c \
	tests/run/test_renewal.c \
	tests/run/test_sample_buffers.c \
	tests/run/test_series_order.c \
	tests/run/test_session.c \
	tests/run/test_so_far.c \
	tests/run/test_visit.c \
	tests/run/test_wire.c
