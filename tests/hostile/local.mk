# tests/hostile/local.mk - attacks on what gbrun promises: nothing lost, nothing stuck, nothing mixed. make check does
# a part of what can be repeated in many ways; make hostile does all of it (HOSTILE=all), and what takes long.
TEST_SCRIPT_LIST += \
	tests/hostile/test_attacks.sh \
	tests/hostile/test_bad_searches.sh \
	tests/hostile/test_builds.sh \
	tests/hostile/test_busy.sh \
	tests/hostile/test_claims.sh \
	tests/hostile/test_durability.sh \
	tests/hostile/test_kills.sh \
	tests/hostile/test_leftovers.sh \
	tests/hostile/test_limits.sh \
	tests/hostile/test_outputs.sh \
	tests/hostile/test_replaced_program.sh \
	tests/hostile/test_resumed_code.sh \
	tests/hostile/test_steering_texts.sh \
	tests/hostile/test_stuck_input.sh \
	tests/hostile/test_stuck_output.sh \
	tests/hostile/test_two_runs.sh \
	tests/hostile/test_ulimits.sh
TEST_PROGRAM_LIST += \
	tests/hostile/test_results_files
LONG_HOSTILE_SCRIPT_LIST = \
	tests/hostile/test_stuck_process.sh
TEST_FILES += $(LONG_HOSTILE_SCRIPT_LIST) tests/hostile/fail_nth.c tests/hostile/replace_module.c

hostile: all
	$(AM_V_at)HOSTILE=all TEST_TIME_LIMIT=7200 $(MAKE) check \
	  TESTS='$(LONG_HOSTILE_SCRIPT_LIST) $(filter tests/hostile/%,$(TEST_SCRIPT_LIST) $(TEST_PROGRAM_LIST))'
