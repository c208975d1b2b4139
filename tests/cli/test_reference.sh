#!/usr/bin/env bash
# The pages of docs/reference/ say what the program says.
. "$top_srcdir/tests/tap.sh"

mkdir "$TMPDIR/pages"
if ! sh "$top_srcdir/docs/reference/generate.sh" "$GBRUN" "$TMPDIR/pages" 2>"$TMPDIR/errors"; then
    fail "the pages are written" "$(cat "$TMPDIR/errors")"
    finish
fi
equals "generate.sh complains of nothing" "" "$(cat "$TMPDIR/errors")"
for page in columns configuration plugins verbs; do
    if difference=$(diff -u "$top_srcdir/docs/reference/$page.md" "$TMPDIR/pages/$page.md"); then
        pass "$page.md is the program's"
    else
        fail "$page.md is the program's" "run: make docs" "$(head -n 40 <<<"$difference")"
    fi
done

# A build without CUDA leaves the sections of its plugins as they are, and that others run on a GPU too.
cat >"$TMPDIR/without_cuda" <<'SH'
#!/bin/sh
case "$*" in
'list plugins'*) "$GBRUN" "$@" | grep -v -e '^benchmark,kernel,' -e '^benchmark,nccl,' -e '^device,cuda,' ;;
*) "$GBRUN" "$@" | sed 's/^runs on: cpu cuda$/runs on: cpu/' ;;
esac
SH
chmod +x "$TMPDIR/without_cuda"
mkdir "$TMPDIR/without"
sh "$top_srcdir/docs/reference/generate.sh" "$TMPDIR/without_cuda" "$TMPDIR/without"
equals "without CUDA the pages are the same" "" \
    "$(diff "$top_srcdir/docs/reference/plugins.md" "$TMPDIR/without/plugins.md")"

finish
