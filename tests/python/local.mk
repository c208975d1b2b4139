# tests/python/local.mk - tests of python/.
TEST_SCRIPT_LIST += tests/python/test_gbrun.sh
TEST_FILES += tests/python/test_gbrun.py
