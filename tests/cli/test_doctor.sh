#!/usr/bin/env bash
# `gbrun doctor` asks device plugins what is noisy about their devices, in a process that may die of it.
. "$top_srcdir/tests/tap.sh"
with_modules

# doctor SECTIONS DEVICES: code, out.txt, err.txt; devices.txt is what stands between the machine's own findings and the
# end, of the devices given. (All device plugins that are found are asked, as `device = auto` would.)
doctor()
{
    printf '%s\n' "$1" '[bench good]' "sweep.device = $2" >doctor.ini
    hurry ran "$GBRUN" doctor -c doctor.ini
    awk -v names="$2" '!NF { header = 1; next } { if (header) inside = 0 }
        header { split($1, name, ":"); inside = index(", " names ",", ", " name[1] ",") }
        { header = 0 } inside' out.txt >devices.txt
}

# What went to standard error about the devices of that name.
said()
{
    grep -E "^($1): " err.txt
}

line()
{
    printf '%-7s  %-28s  %s' "$@"
}

doctor "$(section device fake fake n_devices=2)" 'fake, cpu'
equals "findings are no failure" 0 "$code"
equals "nothing is said of devices that examine nothing" "" "$(said 'fake|cpu')"
equals "each device is named, with what was found" "fake:0 Fake 1000
$(line noisy 'persistence of arithmetic' off)
         $(printf '%-28s' '')  numbers are forgotten
         $(printf '%-28s' '')  \$ sudo remember --all
$(line ok 'other programs' 'none at all')
fake:1 Fake 1000
$(line ok 'persistence of arithmetic' on)
$(line ok 'other programs' 'none at all')" "$(cat devices.txt)"
n=$(grep -cE '^(ok|noisy|unknown) ' out.txt)
n_noisy=$(grep -c '^noisy ' out.txt)
n_fixes=$(grep -cE '^ .* \$ ' out.txt)
[ "$n_fixes" -le 5 ] || n_fixes=5
n_unknown=$(grep -cE '^unknown .* not visible here$' out.txt)
equals "they are counted with the machine's" "$n_noisy of $n look noisy, $n_unknown unknown; nothing was changed" \
    "$(grep 'look noisy' out.txt)"
sed -n '/^recommended, /,$p' out.txt >to_do.txt
equals "the end is what to do, five things at most" "$n_fixes $n_fixes" \
    "$(grep -cE '^[1-5]\. ' to_do.txt) $(grep -c '' <(grep -vE '^(recommended|and )' to_do.txt))"
has "also of a device" to_do.txt 'fake:0 Fake 1000: persistence of arithmetic: sudo remember --all'

try_each "$GBRUN" doctor <<'TABLE'
--strict: findings are exit code 3|3||-c doctor.ini --strict
another format is an error of usage|2||--format csv
so is a configuration that cannot be read|2||-c no_such.ini
TABLE
"$GBRUN" doctor -c doctor.ini --format json >doctor.json 2>/dev/null
equals "findings are exit code 3 as JSON, too" 3 $?
if command -v python3 >/dev/null; then
    equals "JSON has the same" "fake:0 persistence of arithmetic: off, noisy, numbers are forgotten, sudo remember --all
fake:0 other programs: none at all, fine
fake:1 persistence of arithmetic: on, fine
fake:1 other programs: none at all, fine" "$(python3 - doctor.json <<'PY'
import json, sys
found = json.load(open(sys.argv[1]))
everything = found["machine"] + [one for device in found["devices"] for one in device["findings"]]
assert found["n_findings"] == len(everything)
assert found["n_noisy"] == sum(one["is_noisy"] for one in everything) >= 1
assert found["n_unknown"] == sum(one["state"] == "not visible here" for one in everything)
for device in found["devices"]:
    for one in device["findings"] if device["name"].startswith("fake") else []:
        words = [one["state"], "noisy" if one["is_noisy"] else "fine", one["why"], one["fix"]]
        print(f"{device['name'].split()[0]} {one['subject']}:", ", ".join(filter(None, words)))
PY
)"
fi
doctor "$(section device old shorter; section device none absent)" 'old, none'
equals "a device by an older header is not asked, an absent one is named with the reason" \
    " none: absent: no such hardware was ever built" "$(cat devices.txt) $(said 'old|none')"

doctor "$(section device dies fake n_devices=1 where=examine
    section device fails fake n_devices=2 where=examine kind=error
    section device fine fake n_devices=1)" 'dies, fails, fine'
equals "devices that break are no failure of doctor" 0 "$code"
equals "a crash and a failure are reported" "dies: cannot be examined: crashed (SIGABRT) while examining devices
fails: cannot be examined: device fails: examining a device: the fake device's planned failure" \
    "$(said 'dies|fails|fine')"
equals "what they had said before is kept, and the others are examined" "dies:0 Fake 1000 1
fails:0 Fake 1000 1
fails:1 Fake 1000 1
fine:0 Fake 1000 2" "$(awk '/^[a-z]+:[0-9] / { name = $0; order[++n] = name }
    /^(ok|noisy) / { count[name]++ }
    END { for (i = 1; i <= n; i++) print order[i], count[order[i]] }' devices.txt)"

doctor "$(section device hangs fake where=examine kind=loop; section device fine fake n_devices=1)" 'hangs, fine'
equals "a device that hangs is left behind, and the others are examined" \
    "hangs: cannot be examined: took more than 10 s while examining devices 2" \
    "$(said 'hangs|fine') $(sed -n '/^fine:0/,$p' devices.txt | grep -cE '^(ok|noisy) ')"

finish
