#!/usr/bin/env bash
# Packages: bundles and wheels that are built in two folders are the same; Debian packages are built in a minimal root
# from a clone, pass lintian, can be installed and used, and are the same when another folder is the one they are built in.
. "$top_srcdir/tests/tap.sh"
[ -z "${SANITIZE:-}" ] || { skip "packages" "the sanitizers' libraries are the machine's" && finish; }

# bundle FOLDER: from a copy of the sources there, with other debug information in it than elsewhere: its paths.
bundle()
{
    mkdir -p "$1" && cp -rp source/. "$1" && chmod -R u+w "$1" &&
        (cd "$1" && ./configure -q CFLAGS='-g -O1' CXXFLAGS='-g -O1' && "${MAKE:-make}" -j"$(nproc)" "$target")
}
cd "$TMPDIR" || exit 99
target=bundle-archive
! command -v python3 >/dev/null || target=wheel-archive # of the bundle
succeeds "the sources" flock "$top_builddir/Makefile" "${MAKE:-make}" -C "$top_builddir" distdir distdir="$TMPDIR/source"
succeeds "a bundle" bundle one
succeeds "a bundle in another folder" bundle another/folder
for file in one/gbrun-*.tar.gz one/gbrun-*.whl; do
    [ ! -e "$file" ] || succeeds "both are the same: .${file##*.}" cmp "$file" "another/folder/${file##*/}"
done

if ! command -v mmdebstrap >/dev/null || ! [ -e "$top_srcdir/.git" ]; then
    skip "Debian packages" "there is no mmdebstrap, or no repository"
    finish
fi
succeeds "Debian packages" bash "$top_srcdir/tests/fresh.sh" ./bootstrap \
    'apt-get install -y --no-install-recommends build-essential debhelper fakeroot lintian' \
    'make deb' \
    'apt-get install -y ./build-deb/*.deb' \
    'cd / && gbrun call libm.so.6 "double cbrt(double)" 2 && pkg-config --exists gbrun libgbrun' \
    'cp -r /srv/gbrun /srv/elsewhere && cd /srv/elsewhere && DEB_BUILD_OPTIONS=nocheck make deb' \
    'for file in build-deb/*.deb; do cmp $file ../elsewhere/$file || exit; done'
finish
