# tests/scale/local.mk - programs for results of very many tasks.
SCALE_PROGRAM = tests/scale/shards
check_PROGRAMS += $(SCALE_PROGRAM)
tests_scale_shards_LDADD = core/libgbrun.la $(CORE_LIBS)
