# docs/local.mk - the documents. Examples are installed and run by tests/cli/test_examples.sh; what stands in
# the documents is tested by tests/cli/test_docs.sh.
# shipped PATTERN...: what is there, by its name in the tree.
shipped = $(patsubst $(srcdir)/%,%,$(sort $(wildcard $(addprefix $(srcdir)/,$(1)))))
EXAMPLES = $(call shipped,$(addprefix docs/examples/*.,c cc cu ini md py rs))

# For docs/scale.md: how schedulers start gbrun. make slurm-check runs those for Slurm.
SCALE_FILES = $(call shipped,docs/scale/Containerfile docs/scale/*.sh docs/scale/*.yaml)

# What is copied to start from: the examples, the configurations of conf/, a plugin, the scripts for schedulers.
examplesdir = $(pkgdatadir)/examples
dist_examples_DATA = $(EXAMPLES)
scaledir = $(pkgdatadir)/scale
dist_scale_DATA = $(SCALE_FILES)
confdir = $(pkgdatadir)/conf
dist_conf_DATA = $(call shipped,$(addprefix conf/*.,cu ini py))
skeletondir = $(pkgdatadir)/skeleton
dist_skeleton_DATA = plugins/skeleton/skeleton.c

# The reader of results files for Python, and what the JSON of gbrun's answers is.
dist_pkgdata_DATA = $(call shipped,docs/*.schema.json) python/gbrun.py python/gbrun_pytest.py

DOCUMENTS = README.md docs/experiments docs/pictures $(call shipped,docs/*.md)
EXTRA_DIST += $(DOCUMENTS)
