# docs/local.mk - the documents. Examples are installed and run by tests/cli/test_examples.sh; what stands in
# the documents is tested by tests/cli/test_docs.sh.
EXAMPLES = \
	docs/examples/README.md \
	docs/examples/caches.ini \
	docs/examples/ci.ini \
	docs/examples/clear.c \
	docs/examples/clear.ini \
	docs/examples/command.ini \
	docs/examples/contention.c \
	docs/examples/contention.ini \
	docs/examples/counter.ini \
	docs/examples/counter.rs \
	docs/examples/counters.ini \
	docs/examples/cu_memset.ini \
	docs/examples/devices.ini \
	docs/examples/dot.c \
	docs/examples/dot.ini \
	docs/examples/environment.ini \
	docs/examples/halving.c \
	docs/examples/halving.ini \
	docs/examples/in_kernel.cu \
	docs/examples/in_kernel.ini \
	docs/examples/instructions.ini \
	docs/examples/joined.ini \
	docs/examples/joined.py \
	docs/examples/l2_distance.cu \
	docs/examples/l2_distance.ini \
	docs/examples/launches.ini \
	docs/examples/measure.c \
	docs/examples/measure.cu \
	docs/examples/measure_threads.cc \
	docs/examples/memcpy.ini \
	docs/examples/policies.ini \
	docs/examples/push.c \
	docs/examples/push.ini \
	docs/examples/qsort.ini \
	docs/examples/race.ini \
	docs/examples/rounds.ini \
	docs/examples/saxpy.cu \
	docs/examples/saxpy.ini \
	docs/examples/shapes.ini \
	docs/examples/simulated.c \
	docs/examples/simulated.ini \
	docs/examples/sort_ten.c \
	docs/examples/sort_ten.ini \
	docs/examples/snprintf.ini \
	docs/examples/sorts.cc \
	docs/examples/sorts.ini \
	docs/examples/strlen.ini \
	docs/examples/sums.cc \
	docs/examples/sums.ini \
	docs/examples/tolerances.ini \
	docs/examples/transpose.cu \
	docs/examples/transpose.ini \
	docs/examples/two_sorts.c \
	docs/examples/two_sorts.ini \
	docs/examples/vector_add.cu \
	docs/examples/vector_add.ini

# For docs/scale.md: how schedulers start gbrun. make slurm-check runs those for Slurm.
SCALE_FILES = \
	docs/scale/Containerfile \
	docs/scale/array.sh \
	docs/scale/claim.sh \
	docs/scale/fleet.sh \
	docs/scale/flux.sh \
	docs/scale/gpus.sh \
	docs/scale/kubernetes.yaml \
	docs/scale/parallel.sh \
	docs/scale/time_limit.sh

# What is copied to start from: the examples, the configurations of conf/, a plugin, the scripts for schedulers.
examplesdir = $(pkgdatadir)/examples
dist_examples_DATA = $(EXAMPLES)
scaledir = $(pkgdatadir)/scale
dist_scale_DATA = $(SCALE_FILES)
confdir = $(pkgdatadir)/conf
dist_conf_DATA = \
	conf/bench.ini \
	conf/call.ini \
	conf/call_cublas.ini \
	conf/ceilings.ini \
	conf/convolution.ini \
	conf/demo.ini \
	conf/fp16.ini \
	conf/kernel.cu \
	conf/kernel.ini \
	conf/multistream.ini \
	conf/multistream_axes.ini \
	conf/nccl.ini \
	conf/padding.ini \
	conf/padding_sizes.ini \
	conf/peers.ini \
	conf/recordings.ini \
	conf/roofline.ini \
	conf/triton.ini \
	conf/triton_kernels.py \
	conf/tune.cu \
	conf/tune.ini
skeletondir = $(pkgdatadir)/skeleton
dist_skeleton_DATA = plugins/skeleton/skeleton.c

# The reader of results files for Python, and what the JSON of gbrun's answers is.
dist_pkgdata_DATA = \
	docs/check.schema.json \
	docs/events.schema.json \
	docs/help.schema.json \
	docs/results.schema.json \
	python/gbrun.py \
	python/gbrun_pytest.py

DOCUMENTS = \
	README.md \
	docs/README.md \
	docs/call.md \
	docs/command.md \
	docs/compare.md \
	docs/config.md \
	docs/experiments \
	docs/exchange.md \
	docs/faq.md \
	docs/generated.md \
	docs/glossary.md \
	docs/gpu.md \
	docs/instructions.md \
	docs/judge.md \
	docs/kernel.md \
	docs/library.md \
	docs/python.md \
	docs/pictures \
	docs/plugins.md \
	docs/results.md \
	docs/report.md \
	docs/roofline.md \
	docs/scale.md \
	docs/search.md \
	docs/security.md \
	docs/statistics.md \
	docs/tutorial.md \
	docs/verification.md
EXTRA_DIST += $(DOCUMENTS)
