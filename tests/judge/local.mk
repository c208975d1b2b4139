# tests/judge/local.mk - code that is not trusted: cheats of each kind, and their honest twins.
TEST_SCRIPT_LIST += tests/judge/test_grades.sh tests/judge/test_judge.sh
TEST_FILES += tests/judge/grades.c tests/judge/submissions.c
