# tests/python/local.mk - tests of python/ and of its wheel, and of JSON by its schema.
TEST_SCRIPT_LIST += \
	tests/python/test_forked.sh \
	tests/python/test_gbrun.sh \
	tests/python/test_json_schema.sh \
	tests/python/test_plugin.sh \
	tests/python/test_pytest.sh
LONG_TEST_SCRIPT_LIST += tests/python/test_wheel.sh
TEST_FILES += \
	tests/python/cheats.py \
	tests/python/python.sh \
	tests/python/results.py \
	tests/python/suite.py \
	tests/python/test_cheats.py \
	tests/python/test_gbrun.py \
	tests/python/test_measuring.py \
	tests/python/typed.py \
	tests/python/validate.py
