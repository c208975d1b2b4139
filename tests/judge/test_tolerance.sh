#!/usr/bin/env bash
# Tolerances that are derived from a reference in Python: what is honest is within them, what is trivial is not.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 99
. "$top_srcdir/tests/python/python.sh"
find_python numpy
"$python" -c 'import numpy' 2>/dev/null || { skip "tolerances" "NumPy is missing"; finish; }
"$python" "$top_srcdir/tests/judge/tolerance.py" "$top_srcdir" >out.txt 2>err.txt
equals "each result is where it belongs" 'product float32, in order: within
product float32, split: within
product float32, zeros: outside
product float32, mean: outside
product float32, half of it: outside
product float32, without the last: outside
product float16, in order: within
product float16, split: within
product float16, zeros: outside
product float16, mean: outside
product float16, half of it: outside
product float16, without the last: outside
softmax, two passes: within
softmax, zeros: outside
softmax, uniform: outside
sum, in blocks: within
sum, without a block: outside
casts inside: 1 16 roundings of float32
no doubles: 16 roundings of float32: the reference does not run in float64
inputs stay: True
module: True
own tensors: True' "$(cat out.txt err.txt)"
finish
