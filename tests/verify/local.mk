# tests/verify/local.mk - tests of comparisons, core/verify/.
TEST_PROGRAM_LIST += \
	tests/verify/test_verify \
	tests/verify/test_verify_bound \
	tests/verify/test_verify_details \
	tests/verify/test_verify_faults \
	tests/verify/test_verify_noise \
	tests/verify/test_verify_pass \
	tests/verify/test_verify_text
TEST_FILES += tests/verify/verify_fixture.h
