# tests/judge/local.mk - code that is not trusted: cheats of each kind, and their honest twins; the verb gbrun judge.
TEST_PROGRAM_LIST += tests/judge/test_judgement
tests_judge_test_judgement_SOURCES = tests/judge/test_judge_batch.c tests/judge/test_judge_book.c tests/judge/test_judgement.c
TEST_SCRIPT_LIST += \
	tests/judge/test_grades.sh \
	tests/judge/test_judge.sh \
	tests/judge/test_judge_python.sh \
	tests/judge/test_suite.sh \
	tests/judge/test_tolerance.sh \
	tests/judge/test_verb.sh \
	tests/judge/test_zygote.sh
TEST_FILES += \
	tests/judge/grades.c \
	tests/judge/submissions.c \
	tests/judge/tolerance.py \
	$(JUDGE_PYTHON_FILES)
JUDGE_PYTHON_FILES = \
	tests/judge/python/cheats.py \
	tests/judge/python/cuda_cheats.py \
	tests/judge/python/cuda_honest.py \
	tests/judge/python/cuda_triton.py \
	tests/judge/python/honest.py \
	tests/judge/python/kernel_bench.py \
	tests/judge/python/kernel_bench_cheats.py \
	tests/judge/python/kernel_bench_honest.py \
	tests/judge/python/reference.py \
	tests/judge/python/task.py \
	tests/judge/python/torch_cheats.py \
	tests/judge/python/torch_honest.py \
	tests/judge/python/torch_reference.py \
	tests/judge/python/utils.py
