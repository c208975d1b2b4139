#!/usr/bin/env bash
# A device with a clock of its own: warm-up, max_time and what policies wait for pass on it and on no other
# clock, so that samples that are computed give the same results on every machine.
. "$top_srcdir/tests/tap.sh"
cp "$top_srcdir"/docs/examples/simulated.* "$TMPDIR" && cd "$TMPDIR" || exit 99
succeeds "the example compiles" "${CC:-cc}" -std=c99 -O2 -fPIC -shared "-I$top_srcdir/include" simulated.c -o simulated.so -lm

"$GBRUN" -q -c simulated.ini >table.txt 2>text.txt
equals "what the policies say" "noise,steady,1000,53126,certified in this visit
noise,single_look,997.5,30,certified in this visit
drift,steady,1004,200000,unconverged
drift,single_look,997.5,30,certified in this visit
step,steady,1047,128121,certified in this visit
step,single_look,997.5,30,certified in this visit
coarse,steady,1000,53126,resolution limited
coarse,single_look,1000,30,resolution limited" "$(column device,policy,median_ns,n_samples,verdict results.gbr)"
"$GBRUN" -q -c simulated.ini -o again.gbr >table.txt 2>text.txt
all=device,policy,median_ns,low_ns,high_ns,n_samples,stop_reason
equals "again, to the last digit" "$(column $all results.gbr)" "$(column $all again.gbr)"

{
    section device simulated ./simulated.so:simulated
    section device drift ./simulated.so:simulated drift=0.02
    section bench work ./simulated.so:simulated_work isolate=yes iterations=1 'sweep.device=simulated, drift'
} >strict.ini
try_each "$GBRUN" run --strict -q -c strict.ini -o strict.gbr <<'TABLE'
--strict: certified|0||-s work.device=simulated
--strict: not certified|3||-s work.device=drift -s work.max_samples=2000
TABLE

# It becomes faster after a second: only a warm-up sees that, and a case whose time is longer.
{
    section policy never fixed samples=100000000
    section device slow_start ./simulated.so:simulated noise=0 'time=990 us' step=-0.5 'step_at=1 s'
    section bench work ./simulated.so:simulated_work device=slow_start policy=never isolate=yes iterations=1 \
        'sweep.warmup=0, 1 s' 'sweep.max_time=100 ms, 10 s'
} >warm.ini
"$GBRUN" -q -c warm.ini -o warm.gbr >table.txt 2>text.txt
equals "warm-up and max_time pass on the device's clock" "0,990000,101,max_time 100 ms
0,495000,19157,max_time 10.0 s
1000000000,495000,202,max_time 100 ms
1000000000,495000,20162,max_time 10.0 s" "$(column warmup,median_ns,n_samples,stop_reason warm.gbr)"
finish
