pkglib_LTLIBRARIES += plugins/policy_budget/policy_budget.la
plugins_policy_budget_policy_budget_la_SOURCES = \
	plugins/policy_budget/budget.c
plugins_policy_budget_policy_budget_la_CFLAGS = $(PLUGIN_CFLAGS)
plugins_policy_budget_policy_budget_la_LDFLAGS = $(PLUGIN_LDFLAGS)
plugins_policy_budget_policy_budget_la_LIBADD = $(PLUGIN_COMMON) $(SYSTEM_LIBS)
