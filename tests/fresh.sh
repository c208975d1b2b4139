#!/usr/bin/env bash
# fresh.sh - what a newcomer sees: a minimal Debian root that has make and git, in it a clone of this tree, and there
# the commands of README.md. Sources of packages, their keys and proxies are those of this machine; nothing else is.
# Output goes to fresh-SUITE.log. The last line counts the tests.
set -euo pipefail

usage()
{
    cat <<'TEXT'
usage: tests/fresh.sh [option]... [COMMAND]...
  --suite NAME   the Debian release (bookworm)
  --optional     with what tests are skipped without: python3, sqlite3, valgrind, ...
  --new-base     make the base root anew; else one that is less than a week old is taken
A COMMAND is run by bash in the clone, in place of those of README.md.
TEXT
}

say()
{
    echo "fresh.sh: $*" >&2
}

# --- Outside: a folder, and a process of its own namespaces in it, which ends with all its mounts and processes ----

outside()
{
    local namespaces=(unshare --mount --pid --fork --kill-child --mount-proc) as_root=() tool code=0
    if [ "$(id -u)" != 0 ]; then
        as_root=(unshare --user --map-auto --map-root-user)
        namespaces=("${as_root[@]}" "${namespaces[@]:1}")
        "${as_root[@]}" true || { say "needs root, or numbers for $(id -un) in /etc/subuid and /etc/subgid" && exit 1; }
    fi
    for tool in mmdebstrap git; do
        command -v "$tool" >/dev/null || { say "$tool is missing: ./bootstrap --developer installs it" && exit 1; }
    done
    scratch=$(mktemp -d "${FRESH_FOLDER:-/var/tmp}/gbrun-fresh.XXXXXX")
    inside=
    # shellcheck disable=SC2064 # the words of now
    trap "[ -z \"\$inside\" ] || kill -KILL \$inside 2>/dev/null || :
          wait; ${as_root[*]} rm -rf --one-file-system '$scratch'" EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    "${namespaces[@]}" bash "$0" --inside "$scratch" "$@" </dev/null &
    inside=$!
    wait "$inside" || code=$?
    inside=
    exit "$code"
}

# --- Inside -------------------------------------------------------------------------------------------------------

# The Debian sources of this machine for the suite, one line each; none elsewhere, where mmdebstrap knows its own.
sources_of()
{
    local ID='' VERSION_CODENAME=''
    # shellcheck source=/dev/null
    . /etc/os-release
    [ "$ID" = debian ] || return 0
    apt-get indextargets --no-release-info --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Identifier: Packages' |
        awk -v own="$VERSION_CODENAME" -v suite="$1" '
            $3 == "main" && ($2 == own || $2 == own "-updates" || $2 == own "-security") && !seen[$0]++ {
                print "deb", $1, suite substr($2, length(own) + 1), $3
            }'
}

# What apt inside needs to reach them: proxies, keys, and certificates where a source is read by TLS.
reach()
{
    mkdir -p "$1/etc/apt/apt.conf.d" "$1/etc/apt/trusted.gpg.d"
    apt-config dump 2>/dev/null | grep -iE '^Acquire::(https?::(Proxy|Ca|Verify|Ssl)|Check-)' \
        >"$1/etc/apt/apt.conf.d/90fresh" || :
    cp -n "$keys"/* "$1/etc/apt/trusted.gpg.d/"
    if grep -qs https: "$1/etc/apt/sources.list" && [ -f /etc/ssl/certs/ca-certificates.crt ]; then
        mkdir -p "$1/etc/ssl/certs"
        cp /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/certs/"
    fi
    cp -L /etc/resolv.conf /etc/hosts "$1/etc/"
    # Nothing here outlives the machine's next failure: the package manager need not wait for the disk.
    echo force-unsafe-io >"$1/etc/dpkg/dpkg.cfg.d/fresh"
}

make_base()
{
    local cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/gbrun sources
    sources=$(sources_of "$suite")
    base=$cache/root-$suite-$(printf '%s\n' "$sources" "$(uname -m)" | cksum | tr ' ' -).tar
    if [ "$new_base" = no ] && [ -n "$(find "$base" -mtime -7 2>/dev/null)" ]; then
        return
    fi
    mkdir -p "$cache"
    step "a base root" mmdebstrap --mode=root --format=tar --variant=minbase --include=make,git \
        --keyring="$keys" "$suite" "$scratch/base.tar" ${sources:+"$sources"}
    mv "$scratch/base.tar" "$base.${scratch##*.}"
    mv "$base.${scratch##*.}" "$base"
}

mount_devices()
{
    local node
    mount -t proc proc "$root/proc"
    mount --rbind /sys "$root/sys"
    mount -t tmpfs -o mode=755 tmpfs "$root/dev"
    for node in null zero full random urandom tty; do
        : >"$root/dev/$node"
        mount --bind "/dev/$node" "$root/dev/$node"
    done
    mkdir "$root/dev/pts" "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
    ln -s pts/ptmx "$root/dev/ptmx"
    ln -s /proc/self/fd "$root/dev/fd"
    ln -s /proc/self/fd/0 "$root/dev/stdin"
    ln -s /proc/self/fd/1 "$root/dev/stdout"
    ln -s /proc/self/fd/2 "$root/dev/stderr"
}

# in_root COMMAND...: with an environment that has nothing of this one but proxies.
in_root()
{
    local proxies name
    proxies=()
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY; do
        [ -z "${!name-}" ] || proxies+=("$name=${!name}")
    done
    env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
        LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive ${proxies[0]+"${proxies[@]}"} chroot "$root" "$@"
}

# The files that git knows, as they are now, in a clone of one commit.
clone_tree()
{
    local commit
    mkdir -p "$clone"
    cd "$top"
    commit=$(git stash create) || :
    git init -q "$clone"
    git -C "$clone" fetch -q --depth 1 --upload-pack 'git -c uploadpack.allowAnySHA1InWant=true upload-pack' \
        "$top" "${commit:-$(git rev-parse HEAD)}"
    git -C "$clone" checkout -q FETCH_HEAD
}

# step NAME COMMAND...: its output goes to the log; what it took is said, and its last words if it fails.
step()
{
    local name=$1 code=0 TIMEFORMAT='%0R s, of processors %0U s + %0S s'
    shift
    echo "# $name" >>"$log"
    { time "$@" >>"$log" 2>&1 </dev/null || code=$?; } 2>"$scratch/took"
    say "$name: $(<"$scratch/took")"
    [ "$code" = 0 ] || tail -n 30 "$log" >&2
    return "$code"
}

inside()
{
    local status=0 command
    root=$scratch/system keys=$scratch/keys clone=$root/srv/gbrun log=$top/fresh-$suite.log
    : >"$log"
    chmod 711 "$scratch" # keys are read by the user that apt downloads as
    mkdir "$root" "$keys"
    find /etc/apt/trusted.gpg.d /etc/apt/keyrings /usr/share/keyrings -name '*.[ga][ps][gc]' \
        -exec cp -n -t "$keys" {} + 2>/dev/null || :
    make_base
    tar -xpf "$base" -C "$root" --exclude='./dev/*'
    reach "$root"
    mount_devices
    clone_tree
    if [ "$optional" = yes ]; then
        step "optional packages" in_root sh -c \
            "apt-get update && apt-get install -y --no-install-recommends ${optional_packages//$'\n'/}"
    fi
    for command; do
        step "$command" in_root bash -c "cd /srv/gbrun && $command" || status=1
        [ "$status" = 0 ] || break
    done
    cd "$clone"
    find . -name '*.trs' | grep -q . || return "$status"
    bash tests/summary.sh | tee "$scratch/summary"
    awk '/ passed, / && $5 > 0.03 * ($1 + $3 + $5) { print "fresh.sh: more than 3 % are skipped"; exit 1 }' \
        "$scratch/summary" >&2 || status=1
    grep ' passed, ' "$scratch/summary"
    return "$status"
}

optional_packages='fish groff-base librsvg2-bin parallel python3 python3-jsonschema python3-numpy
 python3-pandas python3-venv python3-yaml sqlite3 valgrind zsh'
suite=bookworm optional=no new_base=no scratch=
arguments=("$@")
while [ $# -gt 0 ]; do
    case $1 in
    --suite) suite=$2 && shift ;;
    --optional) optional=yes ;;
    --new-base) new_base=yes ;;
    --inside) scratch=$2 && shift ;;
    -h | --help) usage && exit ;;
    -*) usage >&2 && exit 2 ;;
    *) break ;;
    esac
    shift
done
[ -n "$scratch" ] || outside "${arguments[@]}"

top=$(cd "$(dirname "$0")/.." && pwd)
if [ $# = 0 ]; then
    set -- 'make -j"$(nproc)"' 'make demo' 'make check'
    for command; do
        grep -qF "$command" "$top/README.md" || { say "README.md has no $command" && exit 1; }
    done
    set -- "${@:1:2}" 'make check -j"$(nproc)"'
fi
inside "$@"
