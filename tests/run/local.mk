# tests/run/local.mk - tests of running, core/run/.
TEST_PROGRAM_LIST += \
	tests/run/test_device_groups \
	tests/run/test_event_lines \
	tests/run/test_host \
	tests/run/test_interference \
	tests/run/test_module \
	tests/run/test_policy_run \
	tests/run/test_sample_buffers \
	tests/run/test_so_far \
	tests/run/test_visit \
	tests/run/test_wire
