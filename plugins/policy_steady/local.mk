# What the rule looks at, also for its tests.
STEADY_RULE = plugins/policy_steady/librule.la
noinst_LTLIBRARIES += $(STEADY_RULE)
plugins_policy_steady_librule_la_CFLAGS = $(POLICY_CFLAGS)
plugins_policy_steady_librule_la_SOURCES = \
	plugins/policy_steady/clock_history.c \
	plugins/policy_steady/clock_history.h \
	plugins/policy_steady/modes.c \
	plugins/policy_steady/modes.h \
	plugins/policy_steady/rank_index.c \
	plugins/policy_steady/rank_index.h \
	plugins/policy_steady/steady_attempt.c \
	plugins/policy_steady/steady_attempt.h
pkglib_LTLIBRARIES += plugins/policy_steady/policy_steady.la
plugins_policy_steady_policy_steady_la_SOURCES = \
	plugins/policy_steady/steady.c
plugins_policy_steady_policy_steady_la_CFLAGS = $(POLICY_CFLAGS)
plugins_policy_steady_policy_steady_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_policy_steady_policy_steady_la_LIBADD = $(STEADY_RULE) $(PLUGIN_COMMON) $(SYSTEM_LIBS)
