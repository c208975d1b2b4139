core_libgbrun_la_SOURCES += \
	core/cli/ab.h \
	core/cli/ab_builds.c \
	core/cli/ab_builds.h \
	core/cli/arguments.c \
	core/cli/arguments.h \
	core/cli/configuration.c \
	core/cli/help.h \
	core/cli/help_texts.c \
	core/cli/judge_book.c \
	core/cli/judge_book.h \
	core/cli/judge_request.c \
	core/cli/judge_request.h \
	core/cli/judge_sizes.c \
	core/cli/judge_sizes.h \
	core/cli/plan.c \
	core/cli/plan.h \
	core/cli/run_job.c \
	core/cli/run_job.h \
	core/cli/run_record.c \
	core/cli/run_record.h \
	core/cli/run_search.c \
	core/cli/run_search.h \
	core/cli/screen.c \
	core/cli/shard.c \
	core/cli/shard.h \
	core/cli/verb_ab.c \
	core/cli/verb_bisect.c \
	core/cli/verb_compare.c \
	core/cli/verb_doctor.c \
	core/cli/verb_help.c \
	core/cli/verb_judge.c \
	core/cli/verb_list.c \
	core/cli/verb_merge.c \
	core/cli/verb_new.c \
	core/cli/verb_replay.c \
	core/cli/verb_report.c \
	core/cli/verb_results.c \
	core/cli/verb_run.c \
	core/cli/verb_search.c \
	core/cli/verb_words.c \
	core/cli/verbs.h

# It embeds the templates.
core/cli/verb_new.lo core/cli/verb_new.o fuzz-objects/core/cli/verb_new.o: $(TEMPLATES)
