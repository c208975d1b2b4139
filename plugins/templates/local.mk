# What `gbrun new` writes, with the plugin's name for plugin_name: embedded in the program
# (core/cli/templates.c), compiled and run by tests/cli/test_new.sh.
TEMPLATES = \
	plugins/templates/CMakeLists.txt \
	plugins/templates/Makefile \
	plugins/templates/bench.c \
	plugins/templates/bench.cc \
	plugins/templates/bench.cu \
	plugins/templates/bench.ini \
	plugins/templates/device.c \
	plugins/templates/device.ini \
	plugins/templates/policy.c \
	plugins/templates/policy.ini \
	plugins/templates/sweep.ini
EXTRA_DIST += $(TEMPLATES)
