/* html_page.c - see html_page.h: the frame of the page, its style and its script. */
#include "core/report/html_page.h"

#include "core/base/sha256.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char style[] =
    ":root{--c0:#0072B2;--c1:#D55E00;--c2:#009E73;--c3:#CC79A7;--c4:#56B4E9;--c5:#000;"
    "--c6:#E69F00;"
    "--c7:#8C510A;--grey:#767676;--ink:#202020;--grid:#E4E4E4;--paper:#fff;--soft:#f4f5f7;"
    "--bad:#B3261E;--good:#00734f}"
    "@media(prefers-color-scheme:dark){:root{--c0:#58B2E8;--c1:#FF8A4C;--c2:#3CCBA0;--c3:#E3A3C8;"
    "--c4:#2B6F9E;--c5:#fff;--c6:#F5BE4B;--c7:#C98F55;--grey:#9a9a9a;--ink:#e6e6e6;"
    "--grid:#3a3d42;"
    "--paper:#17191c;--soft:#22252a;--bad:#FF8A80;--good:#5fd3a8}}"
    "*{box-sizing:border-box}body{font:14px/1.45 system-ui,sans-serif;color:var(--ink);"
    "background:var(--paper);margin:0 auto;padding:0 1.2em 3em;max-width:1280px;"
    "overflow-wrap:anywhere}"
    "h1{font-size:1.4em;margin:.8em 0 0}h1+p{margin:.2em 0}h2{font-size:1.2em;"
    "margin:1.6em 0 .5em;"
    "border-bottom:1px solid var(--grid)}h3{font-size:1em;margin:1em 0 .3em}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th{text-align:left;background:var(--soft);position:sticky;top:0}"
    ".js .sort th{cursor:pointer}"
    "th,td{padding:.15em .7em .15em 0;border-bottom:1px solid var(--grid);vertical-align:middle}"
    ".n{text-align:right;white-space:nowrap}.bad{color:var(--bad)}.good{color:var(--good)}"
    "a{color:inherit}details{content-visibility:auto;contain-intrinsic-size:auto 2em;"
    "border-bottom:1px solid var(--grid)}summary{cursor:pointer;padding:.25em 0}"
    "dl{display:grid;grid-template-columns:repeat(2,fit-content(20%) minmax(0,1fr));gap:.1em 1em;"
    "margin:.3em 0}dt{color:var(--grey)}dd{margin:0}"
    "pre{background:var(--soft);padding:.7em;overflow:auto}ul{margin:.2em 0;padding-left:1.4em}"
    "li.inner{margin-left:1.4em}.tiles{display:flex;flex-wrap:wrap;gap:.5em;padding:0;"
    "margin:.6em 0;"
    "list-style:none}.tiles li{background:var(--soft);padding:.3em .9em;border-radius:4px}"
    ".tiles b{font-size:1.5em;margin-right:.2em}"
    ".pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,24em),1fr));"
    "gap:0 2em}"
    "figure{margin:.6em 0}figcaption{font-size:.9em}svg.plot{width:100%;height:auto;"
    "display:block}.narrow{display:none}"
    ".roofs{overflow-x:auto}.roofs svg{min-width:900px}"
    "td.iv{width:150px;padding-right:.4em}.iv i{display:block;height:0;"
    "border-top:2px solid var(--c0);"
    "margin-left:calc(var(--a)*1px);width:max(2px,calc(var(--b)*1px))}"
    "td.iv{background:linear-gradient(var(--grid),var(--grid)) 75px 0/1px 100% no-repeat}"
    ".key{display:inline-block;margin:0 .8em 0 0}.key::before{content:\"\";"
    "display:inline-block;width:1em;height:.2em;margin:0 .3em .25em 0;background:var(--k)}"
    "td.share{background:color-mix(in srgb,var(--c4) var(--s),transparent)}"
    "canvas{width:100%;max-width:1000px;height:200px;display:none}.js canvas{display:block}"
    ".js .nojs{display:none}.trust{background:var(--soft);padding:.2em 1em;margin:.5em 0}"
    "dd,td,summary{unicode-bidi:isolate}"
    ".wide{overflow-x:auto}.wide td,.wide th{white-space:nowrap}"
    ".wide td:first-child,.wide td.bad[colspan]{white-space:normal;min-width:14em}"
    ".hint{color:var(--grey)}"
    "input{font:inherit;color:inherit;background:var(--soft);border:1px solid var(--grid);"
    "padding:.2em .5em;max-width:100%}"
    "@media(max-width:700px){body{padding:0 .7em 2em}dl{grid-template-columns:fit-content(40%) "
    "minmax(0,1fr)}.broad,.iv i{display:none}td.iv{width:0;min-width:0;padding:0;background:none}"
    ".narrow{display:block}"
    "th,td{padding-right:.5em}.wide td:first-child,.wide td.bad[colspan]{min-width:10.5em}}"
    "@media print{body{max-width:none}input,.narrow{display:none}.broad{display:block}"
    "details{content-visibility:visible}}";

/* What the browser draws of data when a case is opened, tables that sort and filter; all of it
 * opens for print. */
static const char script[] =
    "\n"
    "(()=>{'use strict';const D=document,Q=(s,e)=>[...(e||D).querySelectorAll(s)];"
    "D.documentElement.classList.add('js');"
    "const V=n=>getComputedStyle(D.documentElement).getPropertyValue(n).trim(),"
    "N=s=>s?s.split(' ').map(Number):[],"
    "K='0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_',"
    "P=(s,r)=>(s||'').match(/../g)?.map(c=>r[0]+(K.indexOf(c[0])*64+K.indexOf(c[1]))"
    "/4095*(r[1]-r[0]));"
    /* A frame: x from a to b, y from lo to hi, words for places on both axes. */
    "function frame(c,a,b,lo,hi,xs,ys,under,low=0){const p=devicePixelRatio,g=c.getContext('2d'),"
    "W=c.width=c.clientWidth*p,H=c.height=c.clientHeight*p,L=76*p,R=W-12*p,T=10*p;"
    "g.font=12*p+'px sans-serif';const said=under.filter(x=>x).reduce((l,x)=>{const k=l.length-1,"
    "m=l[k]+'; '+x;if(k>=0&&g.measureText(m).width<W)l[k]=m;else l.push(x);return l},[]),"
    "B=H-(22+16*said.length+low)*p,"
    "X=i=>L+(i-a)/(b-a)*(R-L),Y=v=>B-(Math.min(hi,Math.max(lo,v))-lo)/(hi-lo)*(B-T);"
    "g.strokeStyle=V('--grey');g.strokeRect(L,T,R-L,B-T);"
    "g.fillStyle=V('--ink');g.textBaseline='middle';g.textAlign='right';"
    "for(const [v,w] of ys)g.fillText(w,L-6*p,Y(v));"
    "xs.forEach(([v,w],i)=>{g.textAlign=v<=a?'left':v>=b?'right':'center';g.fillText(w,X(v),"
    "B+12*p)});"
    "g.textAlign='center';g.fillStyle=V('--grey');"
    "said.forEach((x,i)=>g.fillText(x,W/2,H-(9+16*(said.length-1-i))*p,W));"
    "return {g,p,L,R,T,B,X,Y,a,b,bar(x,y,w,h,k){g.fillStyle=V(k);g.fillRect(x,y,w,h)},"
    "line(k,q,d=[]){g.strokeStyle=V(k);g.setLineDash(d.map(x=>x*p));g.beginPath();q.forEach(([x,"
    "y])=>"
    "g.lineTo(x,y));g.stroke();g.setLineDash([])}}}"
    "const three=(lo,hi,u)=>[lo,(lo+hi)/2,hi].map((v,i)=>[v,+v.toPrecision(4)+(i==2?' '+u:'')]),"
    "unit=c=>c.closest('details').dataset.unit;"
    "const kinds={"
    /* Shares of the samples in bins, and those up to each. */
    "bins(c){const d=c.dataset,n=N(d.n),[lo,w]=N(d.bins),hi=lo+w*n.length,"
    "all=n.reduce((x,y)=>x+y,0),m=Math.max(...n),top=100*m/all,"
    "f=frame(c,lo,hi,0,m,three(lo,hi,unit(c)),[[0,'0 %'],[m,+top.toPrecision(3)+' %']],"
    "['share of the samples','line: cumulative share',d.out]);"
    "n.forEach((v,i)=>f.bar(f.X(lo+i*w),f.Y(v),f.X(lo+w)-f.X(lo)-1,f.B-f.Y(v),'--c4'));"
    "let s=+d.below||0;f.line('--c0',[[f.L,f.Y(s*m/all)],...n.map((v,i)=>[f.X(lo+(i+1)*w),"
    "f.Y((s+=v)*m/all)])]);"
    "N(d.lines).forEach((v,i)=>{if(v>=lo&&v<=hi)f.line(['--ink','--c2','--c2','--c1'][i],"
    "[[f.X(v),f.T],[f.X(v),f.B]],[[],[2,3],[2,3],[6,3]][i])})},"
    /* Samples in order: least and largest of each bucket. */
    "order(c){const d=c.dataset,r=N(d.range),z=c.z||(c.z={l:P(d.low,r),h:P(d.high||d.low,r),"
    "m:N(d.clock),r:N(d.rounds||'0'),x:N(d.discarded)}),[a,b]=c.v||[0,z.l.length],"
    "s=[...z.l.slice(a,b),...z.h.slice(a,b)];let lo=Math.min(...s),hi=Math.max(...s);"
    "const e=.05*(hi-lo)||.01*hi||1,C=z.m.length==z.l.length,k=d.per>"
    "1&&d.per+' samples per column';"
    "lo-=e;hi+=e;const f=c.f=frame(c,a,b,lo,hi,[],three(lo,hi,unit(c)),['samples in order',k,"
    "z.r.length>1&&'a colour for each round',z.x.some(x=>x>0)&&'shaded: discarded',"
    "'drag to zoom, double-click for all'],C?38:0);"
    "z.r.forEach((i,j)=>{if(z.x[j]>0)f.bar(f.X(i),f.T,f.X(i+z.x[j])-f.X(i),f.B-f.T,'--grid')});"
    "for(let i=a;i<b;i++){let o=0;while(o+1<z.r.length&&z.r[o+1]<=i)o++;const y=f.Y(z.h[i]);"
    "f.bar(f.X(i),y-f.p,Math.max(2*f.p,f.X(i+1)-f.X(i)-f.p/2),Math.max(2*f.p,f.Y(z.l[i])-y+2*f.p)"
    ","
    "'--c'+[0,1,2,3,6,7][o%6])}"
    "if(C){const m=z.m.slice(a,b).filter(x=>x>0),x0=Math.min(...m),x1=Math.max(...m),"
    "S=f.B+52*f.p;"
    "f.line('--c1',z.m.map((v,i)=>[f.X(i),S-(v-x0)/((x1-x0)||1)*28*f.p]).slice(a,b));"
    "f.g.textAlign='right';f.g.fillStyle=V('--ink');f.g.fillText(x1+' MHz',f.L-6*f.p,S-28*f.p);"
    "if(x1>x0)f.g.fillText(x0+' MHz',f.L-6*f.p,S)}},"
    /* The time in earlier runs, with its interval. */
    "runs(c){const d=c.dataset,r=d.runs.split(' '),v=N(d.v),l=N(d.low),h=N(d.high),n=v.length,"
    "s=[...v,...l,...h].filter(x=>x>0),lo=Math.min(...s),hi=Math.max(...s),e=.06*(hi-lo)||.01*hi,"
    "f=frame(c,-.5,n-.5,lo-e,hi+e,r.map((x,i)=>[i,x]),three(lo,hi,unit(c)),"
    "['time in each run of the file']);"
    "f.line('--grey',v.map((y,i)=>[f.X(i),f.Y(y)]));"
    "v.forEach((y,i)=>{if(l[i]>0)f.line('--c0',[[f.X(i),f.Y(l[i])],[f.X(i),f.Y(h[i])]]);"
    "f.bar(f.X(i)-3*f.p,f.Y(y)-3*f.p,6*f.p,6*f.p,'--c0')})}};"
    "const draw=c=>kinds[c.className](c),at=(c,e)=>Math.floor(c.f.a+(e.offsetX*c.f.p-c.f.L)/"
    "(c.f.R-c.f.L)*(c.f.b-c.f.a));"
    "Q('canvas.order').forEach(c=>{let z=null;c.onmousemove=e=>{const i=c.f?at(c,e):-1,d=c.z;"
    "c.title=c.f&&i>=c.f.a&&i<c.f.b?'sample '+i*(c.dataset.per||1)+': '+[...new Set([d.l[i],"
    "d.h[i]])].map(x=>"
    "+x.toPrecision(5)).join(' to ')+' '+unit(c)+(d.m[i]?', '+d.m[i]+' MHz':''):''};"
    "c.onmousedown=e=>{z=c.f?at(c,e):null};c.onmouseup=e=>{if(z==null)return;const i=at(c,e),"
    "a=Math.max(0,Math.min(i,z)),b=Math.min(c.z.l.length,Math.max(i,z)+1);z=null;"
    "if(b-a>4){c.v=[a,b];draw(c)}};c.ondblclick=()=>{c.v=null;draw(c)}});"
    "Q('details').forEach(x=>x.addEventListener('toggle',()=>{if(x.open)Q('canvas',x)"
    ".forEach(draw)}));"
    "const all=()=>Q('details[open] canvas').forEach(draw);addEventListener('resize',all);"
    "matchMedia('(prefers-color-scheme:dark)').addEventListener('change',all);"
    "addEventListener('beforeprint',()=>{Q('details').forEach(x=>x.open=true);all()});"
    "const go=()=>{const x=D.getElementById(location.hash.slice(1));"
    "if(x&&x.tagName=='DETAILS'){x.open=true;x.scrollIntoView()}};addEventListener('hashchange',"
    "go);go();"
    "Q('table.sort').forEach(t=>Q('th',t).forEach((x,i)=>{let up=-1;x.onclick=()=>{up=-up;"
    "const key=r=>{const d=r.children[i];"
    "return d?.dataset.v!=null?+d.dataset.v:d?.textContent||''};"
    "Q('tr',t).slice(1).sort((p,q)=>{const a=key(p),b=key(q);return up*(a<b?-1:a>b?1:0)})"
    ".forEach(r=>"
    "r.parentNode.append(r))}}));"
    "Q('input.filter').forEach(i=>{i.hidden=false;i.oninput=()=>{const w=i.value.toLowerCase();"
    "Q('.sort tr:nth-child(n+2),details[id]',i.closest('section')).forEach(r=>"
    "r.hidden=!r.firstElementChild.textContent.toLowerCase().includes(w))}})})()";

/* The script's own hash, in the base 64 of RFC 4648: no other script of the page runs. */
static void add_script_hash(struct text *out)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t digest[SHA256_BYTES + 1] = {0};
    struct sha256 hash;
    sha256_begin(&hash);
    sha256_add(&hash, script, sizeof script - 1);
    sha256_end(&hash, digest);
    text_add(out, "'sha256-");
    for (size_t i = 0; i < SHA256_BYTES; i += 3) {
        const unsigned bits = (unsigned)digest[i] << 16 | (unsigned)digest[i + 1] << 8 |
                              (i + 2 < SHA256_BYTES ? digest[i + 2] : 0U);
        for (int j = 18; j >= (i + 2 < SHA256_BYTES ? 0 : 6); j -= 6)
            text_add_n(out, &letters[bits >> j & 63], 1);
    }
    text_add(out, "='");
}

void html_begin(const char *title, struct text *out)
{
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'; script-src ");
    add_script_hash(out);
    text_add(out, "; base-uri 'none'; form-action 'none'; object-src 'none'\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    xml_add_words(out, title, 200);
    text_add(out, "</title>\n<style>\n");
    text_add(out, style);
    plot_svg_style(true, out);
    text_add(out, "</style>\n</head>\n<body>\n");
}

void html_end(struct text *out)
{
    text_add(out, "<script>");
    text_add(out, script);
    text_add(out, "</script>\n</body>\n</html>\n");
}

void html_heading(struct text *out, const char *words)
{
    text_printf(out, "<h2>%s</h2>\n", words);
}

void html_fact(struct text *out, const char *name, const char *value)
{
    if (value && *value)
        xml_print(out, "<dt>%s</dt><dd>%s</dd>\n", name, value);
}

void html_table(struct text *out, const char *class, const char *heads)
{
    text_printf(out, "<div class=\"wide\"><table class=\"%s\">\n<tr>", class);
    for (size_t n; n = strcspn(heads, "|"), true; heads += n + 1) {
        const bool is_right = *heads == '>';
        text_printf(out, "<th%s>%.*s</th>", is_right ? " class=\"n\"" : "", (int)(n - is_right),
                    heads + is_right);
        if (!heads[n])
            break;
    }
    text_add(out, "</tr>\n");
}

void html_table_end(struct text *out)
{
    text_add(out, "</table></div>\n");
}

void html_cell(struct text *out, const char *class, const char *words)
{
    text_printf(out, *class ? "<td class=\"%s\">" : "<td>", class);
    xml_print(out, "%s</td>", words);
}

void html_number(struct text *out, const char *class, const char *format, double value)
{
    char number[NUMBER_TEXT_MAX] = "";
    if (!isnan(value) && format)
        snprintf(number, sizeof number, format, value);
    else if (!isnan(value))
        format_double(value, number);
    html_cell(out, class, number);
}

/* What the panel has beside its picture, for windows that have no room for it there. */
static void add_caption(struct text *out, const struct plot_panel *panel)
{
    xml_print(out, "<figcaption><bdi>%s</bdi><br>\n", panel->title ? panel->title : "");
    for (size_t i = 0; i < panel->n_series; i++) {
        const struct plot_series *series = &panel->series[i];
        if (!series->label)
            continue;
        text_printf(out, "<span class=\"key\" style=\"--k:var(--c%u)\">",
                    (unsigned)series->colour % PLOT_COLOURS);
        xml_print(out, "<bdi>%s</bdi></span>\n", series->label);
    }
    text_add(out, "</figcaption>\n");
}

static void add_narrow(struct text *out, const struct plot_panel *panel)
{
    enum { NARROW = 340 };
    CLEANUP(arena_free) struct arena arena = {0};
    struct plot_series *series = ARENA_ARRAY(&arena, struct plot_series, panel->n_series + 1);
    struct plot_panel plain = *panel;
    for (size_t i = 0; i < panel->n_series; i++) {
        series[i] = panel->series[i];
        series[i].label = NULL;
    }
    plain.series = series;
    plain.title = NULL;
    text_add(out, "<div class=\"narrow\">");
    add_caption(out, panel);
    plot_svg(
        &(struct plot_page){.panels = &plain, .n_panels = 1, .width = NARROW, .is_plain = true},
        true, out);
    text_add(out, "</div>\n");
}

void html_panels(struct text *out, const struct plot_panel *panels, size_t n)
{
    enum { BROAD = 1240 };
    for (size_t i = 0; i < n; i++) {
        text_add(out, "<figure>\n<div class=\"broad\">");
        plot_svg(&(struct plot_page){.panels = &panels[i], .n_panels = 1, .width = BROAD}, true,
                 out);
        text_add(out, "</div>\n");
        add_narrow(out, &panels[i]);
        text_add(out, "</figure>\n");
    }
}
