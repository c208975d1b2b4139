# tests/slurm/local.mk - gbrun under Slurm, on a cluster of processes on this machine: make slurm-check. Skipped with a
# reason where Slurm is not installed, or nobody is root.
TEST_FILES += \
	tests/slurm/check.sh \
	tests/slurm/cluster.sh

slurm-check: all tests/modules/.libs/beside.so
	@$(AM_TESTS_ENVIRONMENT) bash $(srcdir)/tests/isolate.sh $(srcdir)/tests/slurm/check.sh \
	  | tee slurm-check.log; ! grep -qE '^(not ok|Bail out!)' slurm-check.log
CLEANFILES += slurm-check.log
