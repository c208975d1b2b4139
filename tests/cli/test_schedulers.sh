#!/usr/bin/env bash
# docs/scale/: the scripts for GNU parallel, Flux and Kubernetes start the tasks that they should, which together measure
# each case once; the image that the Containerfile describes measures. Those for Slurm are run by make slurm-check.
. "$top_srcdir/tests/tap.sh"
scripts=$top_srcdir/docs/scale
unset SLURM_ARRAY_TASK_ID SLURM_PROCID OMPI_COMM_WORLD_RANK PMI_RANK FLUX_TASK_RANK JOB_COMPLETION_INDEX PARALLEL_SEQ
mkdir "$TMPDIR/bin" "$TMPDIR/work" && cd "$TMPDIR/work" || exit 99
ln -s "$GBRUN" "$TMPDIR/bin/gbrun"
PATH=$TMPDIR/bin:$PATH
{
    few_samples 3 'device = cpu' 'warmup = 0'
    section bench spin spin 'sweep.duration=1us, 2us, 3us, 4us, 5us, 6us, 7us, 8us, 9us'
} >sweep.ini
# union NAME: all cases are in part-*.gbr, each once, and the label came through the quoting.
union()
{
    gbrun merge -o union.gbr part-*.gbr >merge.txt 2>&1 || cat merge.txt
    equals "$1: each case once" "$(gbrun list cases -c sweep.ini 2>/dev/null | sort)" \
        "$(gbrun export union.gbr --run all --columns status,label | tr -d '\r"' | sed -n 's/^ok,//p' | sort)"
    equals "$1: the label of each" "why=two words" \
        "$(gbrun list runs union.gbr --format csv | tr -d '\r' | tail -n +2 | cut -d, -f7 | grep -o 'why=.*' | sort -u)"
    rm -f ./*.gbr
}

# ---- GNU parallel ----
if parallel --version 2>/dev/null | grep -q '^GNU'; then
    succeeds "GNU parallel" sh "$scripts/parallel.sh" 4 : sweep.ini --label 'why=two words'
    rm part-2.gbr
    succeeds "GNU parallel, run again for what was lost" sh "$scripts/parallel.sh" 4 : sweep.ini --label 'why=two words'
    union "GNU parallel"
else
    skip "GNU parallel" "it is not installed"
fi
equals "too few arguments" 2 "$(sh "$scripts/parallel.sh" 4 2>/dev/null; echo $?)"

# ---- Flux, of one node whose 8 GPUs are names only; where it is not installed, as far as a few lines of shell do what it
# does: all tasks see the GPUs of all, unless an option says otherwise ----
sees="$TMPDIR/sees/gbrun"
mkdir "${sees%/*}"
# shellcheck disable=SC2016 # for the tasks' shell
printf '#!/bin/sh\necho "$CUDA_VISIBLE_DEVICES" >>"%s"\nexec "%s" "$@"\n' "$PWD/seen.txt" "$GBRUN" >"$sees"
chmod +x "$sees"
if command -v flux >/dev/null; then
    flux R encode --ranks=0 --cores=0-7 --gpus=0-7 --hosts="$(uname -n)" >node.json
    printf '[resource]\npath = "%s"\nnoverify = true\n' "$PWD/node.json" >flux.toml
    cat >job.sh <<'JOB'
id=$(flux batch "$1" sweep.ini --label 'why=two words') && flux job wait-event --quiet "$id" clean && flux job attach "$id"
JOB
    submit=(flux start --config-path="$PWD/flux.toml" sh job.sh)
else
    cat >"$TMPDIR/bin/flux" <<'FLUX'
#!/bin/bash
[ "$1 $2 $3" = "run --ntasks=8 --gpus-per-task=1" ] || exit 9
shift 3
visible=0,1,2,3,4,5,6,7
while [ "$1" = -o ]; do
    [ "$2" != gpu-affinity=per-task ] || visible=
    shift 2
done
for ((i = 0; i < 8; i++)); do CUDA_VISIBLE_DEVICES=${visible:-$i} FLUX_TASK_RANK=$i FLUX_JOB_SIZE=8 "$@" || exit; done
FLUX
    chmod +x "$TMPDIR/bin/flux"
    submit=(bash -c 'sh "$1" sweep.ini --label "why=two words"' submit)
fi
succeeds "Flux" env PATH="${sees%/*}:$PATH" "${submit[@]}" "$scripts/flux.sh"
equals "Flux: a GPU for each task" "0 1 2 3 4 5 6 7" "$(sort seen.txt | xargs)"
union "Flux"

# ---- Kubernetes: the fields of the Job, and its command for each index ----
if ! python3 -c 'import yaml' 2>/dev/null; then
    skip "Kubernetes" "there is no module yaml of Python"
elif command=$(python3 "$top_srcdir/tests/cli/check_job.py" "$scripts/kubernetes.yaml" job.ini 2>wrong.txt); then
    pass "fields of the Job"
    succeeds "its configuration is right" gbrun check -c job.ini
    command=${command//\/results\//}
    command=${command//\/config\//}
    for ((i = 0; i < 8; i++)); do
        JOB_COMPLETION_INDEX=$i NODE=n HOSTNAME=h sh -c "$command --label 'why=two words'" >command.txt 2>&1 ||
            fail "index $i" "$(cat command.txt)"
    done
    union "indices of the Job"
else
    fail "fields of the Job" "$(cat wrong.txt)"
fi

# ---- the image; its base is this machine's shell and C library, as no registry is asked here ----
build()
{
    buildah --storage-driver vfs --root "$TMPDIR/root" --runroot "$TMPDIR/runroot" "$@"
}
make_base()
{
    local file
    mkdir -p base/usr/local/bin base/tmp
    for file in /bin/sh "$(command -v ln)" $(ldd /bin/sh "$(command -v ln)" | grep -o '/lib[^ ]*' | sort -u) \
        "$(ldconfig -p | sed -n 's|.*libm.so.6 .*=> ||p' | head -n 1)"; do
        mkdir -p "base/$(dirname "$file")" && cp -L "$file" "base/$file" || return
    done
    printf 'FROM scratch\nCOPY base/ /\n' >Base
    build build --isolation chroot -t base -f Base .
}
make_image()
{
    flock "$top_builddir/Makefile" "${MAKE:-make}" -C "$top_builddir" --no-print-directory bundle-archive || return
    bundle=$(basename "$top_builddir"/gbrun-*-linux-*.tar.gz)
    cp "$top_builddir/$bundle" .
    build build --isolation chroot --pull-never --build-arg BASE=localhost/base --build-arg "BUNDLE=$bundle" -t gbrun \
        -f "$scripts/Containerfile" .
}
why=
if ! command -v buildah >/dev/null; then
    why="buildah is not installed"
elif [ -n "${SANITIZE:-}" ]; then
    why="the sanitizers' libraries are the machine's"
elif ! make_base >base.txt 2>&1; then
    why="buildah cannot build here: $(tail -n 1 base.txt)"
fi
if [ -n "$why" ]; then
    skip "the image" "$why"
else
    succeeds "the image is built" make_image
    container=$(build from --pull-never localhost/gbrun)
    equals "its entry point" '[gbrun]' "$(build inspect --format '{{.OCIv1.Config.Entrypoint}}' "$container")"
    succeeds "it measures" build run --isolation chroot --volume "$PWD:/work" "$container" -- \
        gbrun -q -c sweep.ini -o part-1.gbr --label 'why=two words'
    union "what it measured"
    build rm "$container" >/dev/null
fi
finish
