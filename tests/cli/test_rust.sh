#!/usr/bin/env bash
# A plugin in Rust, with structs of its own, is loaded and measured as any other.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1
if ! command -v rustc >/dev/null 2>&1 || ! rustc --version >/dev/null 2>&1; then
    skip "a plugin written in Rust" "no rustc"
    finish
fi
succeeds "it compiles" rustc --edition 2021 -O --crate-type cdylib -o counter.so \
    "$top_srcdir/tests/outside/rust_plugin.rs"
cat >rust.ini <<'INI'
[policy few]
plugin = fixed
samples = 10
[bench counter]
plugin = ./counter.so
policy = few
device = cpu
INI
succeeds "it is measured" "$GBRUN" -q -c rust.ini
equals "and fine" "counter,ok,10" \
    "$("$GBRUN" export --columns bench,status,n_samples | tail -n 1 | tr -d '\r')"
finish
