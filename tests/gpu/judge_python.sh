#!/usr/bin/env bash
# Submissions in Python on a GPU, with PyTorch, CuPy and Triton: no cheat gains, nothing honest is refused.
. "$top_srcdir/tests/gpu/common.sh"
begin
need_triton
export GPU=1 XDG_CACHE_HOME=$TMPDIR/cache
. "$top_srcdir/tests/judge/test_suite.sh"
