#!/usr/bin/env bash
# test_page_in_browser.sh - a page of a results file that has markup in each column of text, in a browser: none of it is
# an element or runs, the page's own script does, and nothing is wider than the window.
. "$top_srcdir/tests/tap.sh"
cd "$TMPDIR" || exit 1

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    skip "the page in a browser" "chromium is not installed"
    finish
}
few_samples 6 'device = cpu' '[bench copy]' 'rounds = 2' 'sweep.bytes = 4KiB, 8KiB' 'check.worst = 2' 'env.OMP_NUM_THREADS = 1' >bench.ini
succeeds "measured" "$GBRUN" -q -c bench.ini -o page.gbr
sql() { "$top_builddir/tests/cli/sql" "$@"; }
# What no run of the CPU stores.
sql page.gbr "INSERT INTO message SELECT id, 90, 2, 'x' FROM bench_case;
    INSERT INTO metric SELECT id, 90, 'x', 1, 'x' FROM bench_case;
    UPDATE bench_case SET note = 'x', reading_note = 'x'"

# One column after another, kept if the page is as whole as before: of some, gbrun knows what the words mean.
succeeds "the page without markup" "$GBRUN" report page.gbr -o one.html
parts() { grep -oE '<(h2|canvas|details|figure)' "$1" | sort | uniq -c; }
whole=$(parts one.html)
mark='document.documentElement.setAttribute("data-owned",1)'
markup="x\"''></style></title></svg></script><script>$mark</script><img src=x onerror=$mark><base href=//x><svg onload=$mark><!-- $(printf 'x%.0s' {1..300})"
sql page.gbr "SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
    WHERE t.type = 'table' AND c.type = 'TEXT' ORDER BY 1, 2" >columns.txt
n_marked=0
while IFS='|' read -r table column; do
    cp page.gbr one.gbr
    sql one.gbr "UPDATE OR IGNORE $table SET $column = '$markup' || abs(random())" 2>/dev/null || continue
    if "$GBRUN" report one.gbr -o one.html 2>/dev/null >&2 && [ "$(parts one.html)" = "$whole" ]; then
        mv one.gbr page.gbr
        n_marked=$((n_marked + 1))
    fi
done <columns.txt
succeeds "most columns have markup: $n_marked of $(wc -l <columns.txt)" test $n_marked -gt 45

# The page, and behind it a script that says what came of it, in a frame: windows have a least width.
succeeds "the page" "$GBRUN" report page.gbr -o page.html
has "it has the markup, as text" page.html '&lt;script&gt;document'
# dom FILE: what the browser makes of it.
dom()
{
    "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$TMPDIR/profile" \
        --window-size=1500,1000 --hide-scrollbars --virtual-time-budget=20000 --dump-dom "file://$PWD/$1" 2>err.txt
}
# Markup that came through would run nothing: only the page's own script does.
{ cat page.html && printf '<script>%s</script><img src=x onerror=%s><svg onload=%s></svg>' "$mark" "$mark" "$mark"; } >through.html
equals "of scripts that came through none runs, but its own" '<html lang="en" class="js">' \
    "$(dom through.html | grep -o '<html[^>]*>')"

sed 's/<meta http-equiv="Content-Security-Policy"[^>]*>//' page.html | cat - /dev/fd/3 >probed.html 3<<'PROBE'
<script>
addEventListener('load', () => {
    const all = s => document.querySelectorAll(s).length, root = document.documentElement
    document.querySelectorAll('details').forEach(x => x.open = true)
    const comment = document.createTreeWalker(document, NodeFilter.SHOW_COMMENT).nextNode() ? 1 : 0
    parent.postMessage(`owned=${root.dataset.owned || 0} scripts=${all('script')} img=${all('img')} base=${all('base')}` +
        ` handlers=${all('[onload],[onerror]')} own=${root.classList.contains('js')} comments=${comment}` +
        ` width=${innerWidth} overflow=${Math.max(0, root.scrollWidth - innerWidth)}`, '*')
})
</script>
PROBE
for width in 360 1400; do
    cat >frame.html <<FRAME
<p id="said"></p><iframe src="probed.html" style="border:0;width:${width}px;height:900px"></iframe>
<script>addEventListener('message', e => { document.getElementById('said').textContent = e.data })</script>
FRAME
    dom frame.html >dom.txt
    equals "at $width px" "owned=0 scripts=2 img=0 base=0 handlers=0 own=true comments=0 width=$width overflow=0" \
        "$(sed -n 's/.*<p id="said">\(.*\)<\/p>.*/\1/p' dom.txt)"
done
finish
