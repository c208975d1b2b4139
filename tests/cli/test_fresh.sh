#!/usr/bin/env bash
# What make does in a fresh clone: GNUmakefile bootstraps for what builds, and for nothing else.
. "$top_srcdir/tests/tap.sh"

mkdir "$TMPDIR/clone" && cd "$TMPDIR/clone" && cp "$top_srcdir/GNUmakefile" . || exit 99
cat >bootstrap <<'SH'
#!/bin/sh
printf 'all check:\n\t@echo built $@\nclean:\n\t@echo cleaned\n' >Makefile
SH
chmod +x bootstrap
unset MAKEFLAGS MAKELEVEL

# in_clone ARGUMENT...: what make prints there; it was bootstrapped if there is a Makefile.
in_clone()
{
    rm -f Makefile
    "${MAKE:-make}" "$@" 2>&1 | grep -v '^make\[.*directory'
    [ ! -f Makefile ] || echo bootstrapped
}
equals "make builds" "built all
bootstrapped" "$(in_clone | grep -v '^./bootstrap')"
equals "make check, with variables that look like -n" "built check
bootstrapped" "$(in_clone check CFLAGS=-n --no-print-directory | grep -v '^./bootstrap')"
for target in clean distclean mostlyclean maintainer-clean; do
    equals "make $target finds nothing to do" "make $target: nothing has been built here" \
        "$(in_clone "$target")"
done
equals "make -n only says what it would do" "./bootstrap && make all" "$(in_clone -n)"
equals "so does make -n check" "./bootstrap && make check" "$(in_clone -kn check)"
rm -f Makefile
./bootstrap
equals "make clean after a build cleans" cleaned "$("${MAKE:-make}" clean)"

finish
