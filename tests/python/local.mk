# tests/python/local.mk - tests of what Python reads: results files by python/, JSON by its schema.
TEST_SCRIPT_LIST += \
	tests/python/test_gbrun.sh \
	tests/python/test_json_schema.sh
TEST_FILES += \
	tests/python/python.sh \
	tests/python/test_gbrun.py \
	tests/python/test_measuring.py \
	tests/python/validate.py
