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
    equals "make $target finds nothing to do" "make $target: nothing has been built here" "$(in_clone "$target")"
done
equals "make -n only says what it would do" "./bootstrap && make all" "$(in_clone -n)"
equals "so does make -n check" "./bootstrap && make check" "$(in_clone -kn check)"
rm -f Makefile
./bootstrap
equals "make clean after a build cleans" cleaned "$("${MAKE:-make}" clean)"

# Where nothing is built: configure stops before it looks further.
mkdir -p "$TMPDIR/fast/include/gbrun" && cd "$TMPDIR/fast" &&
    cp -R "$top_srcdir/configure" "$top_srcdir/build-aux" . &&
    cp "$top_srcdir/include/gbrun/abi.h" include/gbrun || exit 99
equals "configure refuses -ffast-math" \
    "configure: error: CFLAGS hold -ffast-math or -Ofast: sums would not be those that are checked, and NaN not found" \
    "$(./configure -q CFLAGS=-Ofast 2>&1)"

# On a system without the packages, with the tools of sh alone and one package manager at a time.
mkdir "$TMPDIR/tools" "$TMPDIR/bare" && cd "$TMPDIR/bare" || exit 99
cp "$top_srcdir/bootstrap" "$top_srcdir/GNUmakefile" . || exit 99
for tool in sh awk cat dirname env grep tr; do
    ln -s "$(command -v "$tool")" "$TMPDIR/tools/$tool"
done
ln -s "$(command -v "${MAKE:-make}")" "$TMPDIR/tools/make"

# command_of NAME TEXT: a command that runs the text as a shell does.
command_of()
{
    printf '#!/bin/sh\n%s\n' "$2" >"$TMPDIR/tools/$1"
    chmod +x "$TMPDIR/tools/$1"
}

# bare COMMAND...: what it prints with those tools.
bare()
{
    PATH=$TMPDIR/tools "$@" 2>&1
}
command_of id 'echo 1000'

for manager in apt-get dnf apk; do
    # shellcheck disable=SC2016 # the command's own $@
    command_of "$manager" 'echo "ran $0 $@"'
    said=$(bare ./bootstrap)
    for package in gcc autoconf libtool; do
        equals "$manager is to install $package" yes "$([[ $said = *"$manager "*" $package "* ]] && echo yes || echo "$said")"
    done
    equals "nothing is installed without a password" "" "$(grep '^ran' <<<"$said")"
    equals "make fails where packages are missing" no "$(bare make >"$TMPDIR/out" || echo no)"
    equals "the commands of $manager are make's last words" "and then the same command again" \
        "$(tail -n 1 "$TMPDIR/out")"
    rm "$TMPDIR/tools/$manager"
done

# names_of MANAGER: what it has to install, one line.
names_of()
{
    command_of "$1" :
    bare ./bootstrap --print-packages | tr '\n' ' '
    rm "$TMPDIR/tools/$1"
}
while IFS='|' read -r manager names; do
    equals "names of $manager" "$names " "$(names_of "$manager")"
done <<'LIST'
apt-get|autoconf automake bash g++ gcc libc6-dev libtool make pkg-config check libffi-dev libinih-dev libsqlite3-dev
dnf|autoconf automake bash gcc-c++ gcc glibc-devel libtool make pkgconf-pkg-config check-devel libffi-devel inih-devel sqlite-devel
apk|autoconf automake bash g++ gcc musl-dev libtool make pkgconf check-dev libffi-dev inih-dev sqlite-dev
LIST
has "another system gets the names of Debian" <(bare ./bootstrap) "by the names that Debian gives them"
command_of id 'echo 0'
command_of apk 'echo "ran apk $@"'
succeeds "root installs them" grep -q 'ran apk add .*musl-dev' <(bare ./bootstrap --packages-only)

finish
