# tests/hostile/local.mk - attacks on what gbrun promises: nothing lost, nothing stuck, nothing mixed.
TEST_SCRIPT_LIST += \
	tests/hostile/test_limits.sh \
	tests/hostile/test_outputs.sh \
	tests/hostile/test_replaced_program.sh \
	tests/hostile/test_stuck_output.sh
TEST_PROGRAM_LIST += \
	tests/hostile/test_results_files
