# tests/judge/local.mk - code that is not trusted: cheats of each kind, and their honest twins.
TEST_SCRIPT_LIST += \
	tests/judge/test_judge.sh \
	tests/judge/test_judge_python.sh
TEST_FILES += tests/judge/submissions.c
