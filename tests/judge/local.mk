# tests/judge/local.mk - code that is not trusted: cheats of each kind, and their honest twins; the verb gbrun judge.
TEST_PROGRAM_LIST += tests/judge/test_judgement
tests_judge_test_judgement_SOURCES = tests/judge/test_judgement.c
TEST_SCRIPT_LIST += \
	tests/judge/test_judge.sh \
	tests/judge/test_judge_python.sh \
	tests/judge/test_tolerance.sh \
	tests/judge/test_verb.sh
TEST_FILES += tests/judge/submissions.c tests/judge/tolerance.py
