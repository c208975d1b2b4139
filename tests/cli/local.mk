# tests/cli/local.mk - tests of the program, from its command line.
TEST_SCRIPT_LIST += \
	tests/cli/test_ab.sh \
	tests/cli/test_bisect.sh \
	tests/cli/test_call.sh \
	tests/cli/test_call_debug.sh \
	tests/cli/test_command.sh \
	tests/cli/test_cheats.sh \
	tests/cli/test_check.sh \
	tests/cli/test_cli.sh \
	tests/cli/test_compare.sh \
	tests/cli/test_completion.sh \
	tests/cli/test_conf.sh \
	tests/cli/test_counted.sh \
	tests/cli/test_counters.sh \
	tests/cli/test_cxx.sh \
	tests/cli/test_devices.sh \
	tests/cli/test_docs.sh \
	tests/cli/test_doctor.sh \
	tests/cli/test_documented_names.sh \
	tests/cli/test_events.sh \
	tests/cli/test_examples.sh \
	tests/cli/test_faults.sh \
	tests/cli/test_fresh.sh \
	tests/cli/test_gpus_per_case.sh \
	tests/cli/test_headers.sh \
	tests/cli/test_help.sh \
	tests/cli/test_install.sh \
	tests/cli/test_interleaving.sh \
	tests/cli/test_jobs.sh \
	tests/cli/test_json_answers.sh \
	tests/cli/test_kernel_cases.sh \
	tests/cli/test_labels.sh \
	tests/cli/test_lanes.sh \
	tests/cli/test_launch.sh \
	tests/cli/test_listing.sh \
	tests/cli/test_log.sh \
	tests/cli/test_measuring.sh \
	tests/cli/test_merging.sh \
	tests/cli/test_mistakes.sh \
	tests/cli/test_new.sh \
	tests/cli/test_nodes.sh \
	tests/cli/test_no_gpu.sh \
	tests/cli/test_other_tools.sh \
	tests/cli/test_output_files.sh \
	tests/cli/test_pace.sh \
	tests/cli/test_paging.sh \
	tests/cli/test_papers.sh \
	tests/cli/test_profile.sh \
	tests/cli/test_ranges.sh \
	tests/cli/test_reading.sh \
	tests/cli/test_replay.sh \
	tests/cli/test_repeats.sh \
	tests/cli/test_report.sh \
	tests/cli/test_schedulers.sh \
	tests/cli/test_screen.sh \
	tests/cli/test_search.sh \
	tests/cli/test_search_space.sh \
	tests/cli/test_selecting.sh \
	tests/cli/test_shards.sh \
	tests/cli/test_simulated.sh \
	tests/cli/test_sentinel.sh \
	tests/cli/test_series.sh \
	tests/cli/test_steady_builds.sh \
	tests/cli/test_threads.sh
# What looks for minutes: the archive for other machines; a page in a browser.
LONG_TEST_SCRIPT_LIST += tests/cli/test_bundle.sh tests/cli/test_packages.sh tests/cli/test_page_in_browser.sh
TEST_FILES += tests/cli/check_job.py

# What reads and changes results files where no verb does.
check_PROGRAMS += tests/cli/sql
tests_cli_sql_LDADD = $(SQLITE_LIBS)
