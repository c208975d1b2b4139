# tests/verify/local.mk - tests of comparisons, core/verify/.
TEST_PROGRAM_LIST += tests/verify/test_verify
tests_verify_test_verify_SOURCES = \
	tests/verify/test_verify.c \
	tests/verify/test_verify_bound.c \
	tests/verify/test_verify_noise.c \
	tests/verify/test_verify_pass.c \
	tests/verify/verify_fixture.h
