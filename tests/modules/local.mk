# tests/modules/local.mk - plugins that misbehave, and good ones, for tests: tests/modules/.libs/NAME.so.
# They are built without the sanitizers, whose reports would stand in the way of their faults.
TEST_MODULE_CFLAGS = -std=gnu17 $(WARNING_CFLAGS) -fvisibility=hidden
TEST_MODULE_CXXFLAGS = -std=c++17 -Wall -Wextra $(WERROR_CFLAGS) -fvisibility=hidden
TEST_MODULE_LINK_FLAGS = -module -avoid-version -shared -Wl,-z,defs -rpath /nowhere

check_LTLIBRARIES += tests/modules/bad_metric.la
tests_modules_bad_metric_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_bad_metric_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/bad_tables.la
tests_modules_bad_tables_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_bad_tables_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/beside.la
tests_modules_beside_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_beside_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/call_targets.la
tests_modules_call_targets_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_call_targets_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/crash.la
tests_modules_crash_la_SOURCES = tests/modules/crash.c tests/modules/callbacks.h tests/modules/places.h
tests_modules_crash_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_crash_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/crash_on_load.la
tests_modules_crash_on_load_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_crash_on_load_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/device_fake.la
tests_modules_device_fake_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_device_fake_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/environment.la
tests_modules_environment_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_environment_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/exit_on_load.la
tests_modules_exit_on_load_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_exit_on_load_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/failer.la
tests_modules_failer_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_failer_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/fd_closer.la
tests_modules_fd_closer_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_fd_closer_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/forker.la
tests_modules_forker_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_forker_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/good.la
tests_modules_good_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_good_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/hang_on_load.la
tests_modules_hang_on_load_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_hang_on_load_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/kernel_reference.la
tests_modules_kernel_reference_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_kernel_reference_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/leak.la
tests_modules_leak_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_leak_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/no_entry.la
tests_modules_no_entry_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_no_entry_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/noisy_on_load.la
tests_modules_noisy_on_load_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_noisy_on_load_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/null_module.la
tests_modules_null_module_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_null_module_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/old_abi.la
tests_modules_old_abi_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_old_abi_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/policy_crash.la
tests_modules_policy_crash_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_policy_crash_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/policy_huge.la
tests_modules_policy_huge_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_policy_huge_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/policy_liar.la
tests_modules_policy_liar_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_policy_liar_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/policy_never.la
tests_modules_policy_never_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_policy_never_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/policy_sees.la
tests_modules_policy_sees_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_policy_sees_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/policy_zero.la
tests_modules_policy_zero_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_policy_zero_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/printer.la
tests_modules_printer_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_printer_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/process.la
tests_modules_process_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_process_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/skipper.la
tests_modules_skipper_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_skipper_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/slow.la
tests_modules_slow_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_slow_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

if HAVE_CXX
check_LTLIBRARIES += tests/modules/elementwise_kernels.la
tests_modules_elementwise_kernels_la_SOURCES = tests/modules/cuda_on_host.h tests/modules/elementwise_kernels.cc
tests_modules_elementwise_kernels_la_CXXFLAGS = $(TEST_MODULE_CXXFLAGS) -Wno-unknown-pragmas
tests_modules_elementwise_kernels_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/histogram_kernels.la
tests_modules_histogram_kernels_la_SOURCES = tests/modules/cuda_on_host.h tests/modules/histogram_kernels.cc
tests_modules_histogram_kernels_la_CXXFLAGS = $(TEST_MODULE_CXXFLAGS) -Wno-unknown-pragmas
tests_modules_histogram_kernels_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/padding_kernels.la
tests_modules_padding_kernels_la_SOURCES = tests/modules/cuda_on_host.h tests/modules/padding_kernels.cc
tests_modules_padding_kernels_la_CXXFLAGS = $(TEST_MODULE_CXXFLAGS) -Wno-unknown-pragmas
tests_modules_padding_kernels_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/throwing.la
tests_modules_throwing_la_SOURCES = tests/modules/throwing.cc
tests_modules_throwing_la_CXXFLAGS = $(TEST_MODULE_CXXFLAGS)
tests_modules_throwing_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)
endif

check_LTLIBRARIES += tests/modules/tiny_module.la
tests_modules_tiny_module_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_tiny_module_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/two_plugins.la
tests_modules_two_plugins_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_two_plugins_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/wrong_abi.la
tests_modules_wrong_abi_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_wrong_abi_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

check_LTLIBRARIES += tests/modules/wrong_result.la
tests_modules_wrong_result_la_CFLAGS = $(TEST_MODULE_CFLAGS)
tests_modules_wrong_result_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)

if HAVE_CUDA_HEADERS
check_LTLIBRARIES += tests/modules/cuda_kernels.la
tests_modules_cuda_kernels_la_SOURCES = tests/modules/cuda_kernels.c plugins/common/cuda/cuda_driver.c plugins/common/cuda/cuda_driver.h
tests_modules_cuda_kernels_la_CFLAGS = $(TEST_MODULE_CFLAGS) $(CUDA_CFLAGS)
tests_modules_cuda_kernels_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)
tests_modules_cuda_kernels_la_LIBADD = $(SYSTEM_LIBS)

check_LTLIBRARIES += tests/modules/fake_cupti.la
tests_modules_fake_cupti_la_SOURCES = tests/modules/fake_cupti.c plugins/common/cuda/cuda_driver.c plugins/common/cuda/cuda_driver.h
tests_modules_fake_cupti_la_CFLAGS = $(TEST_MODULE_CFLAGS) $(CUDA_CFLAGS)
tests_modules_fake_cupti_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)
tests_modules_fake_cupti_la_LIBADD = $(SYSTEM_LIBS)

check_LTLIBRARIES += tests/modules/fake_profiler.la
tests_modules_fake_profiler_la_SOURCES = tests/modules/fake_profiler.c tests/modules/fake_profiler.h
tests_modules_fake_profiler_la_CFLAGS = $(TEST_MODULE_CFLAGS) $(WITHOUT_CXX) $(CUDA_CFLAGS)
tests_modules_fake_profiler_la_LDFLAGS = $(TEST_MODULE_LINK_FLAGS)
endif
