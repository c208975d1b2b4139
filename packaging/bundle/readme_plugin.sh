#!/usr/bin/env bash
# readme_plugin.sh - writes the plugin in CUDA C that README.md shows and builds it by the command that
# stands there. usage: readme_plugin.sh SRCDIR FOLDER, with NVCC set; makes FOLDER/saxpy.cu and saxpy.so.
set -euo pipefail
src=$(cd "$1" && pwd)
blocks=$(mktemp -d)
trap 'rm -rf "$blocks"' EXIT
bash "$src/tests/readme_blocks.sh" "$src/README.md" "$blocks"
cd "$2"
for name in "$blocks"/*.name; do
    [ "$(cat "$name")" != saxpy.cu ] || cp "${name%.name}.file" saxpy.cu
done

# pkg-config and nvcc as README.md means them.
pkg-config()
{
    echo "-I$src/include"
}
nvcc()
{
    "$NVCC" "$@"
}
# What nvcc's C++ needs of the C++ library is a lock around a variable that is set once. The machine
# that the bundle is taken to may have no such library.
export NVCC_APPEND_FLAGS='-Xcompiler -fno-threadsafe-statics -Xlinker --as-needed'
eval "$(grep -h saxpy.cu "$blocks"/*.nvcc)"
