/* html_page.c - see html_page.h: the frame of the page, its style and its script. */
#include "core/report/html_page.h"

#include "core/base/sha256.h"

#include <math.h>
#include <stdio.h>

static const char style[] =
    ":root{--c0:#0072B2;--c1:#D55E00;--c2:#009E73;--c3:#CC79A7;--c4:#56B4E9;--c5:#000;--c6:#E69F00;"
    "--c7:#8C510A;--grey:#909090;--ink:#202020;--grid:#E4E4E4;--paper:#fff;--soft:#f4f5f7;"
    "--bad:#B3261E;--good:#00734f}\n"
    "@media(prefers-color-scheme:dark){:root{--c0:#58B2E8;--c1:#FF8A4C;--c2:#3CCBA0;--c3:#E3A3C8;"
    "--c4:#8FD0F5;--c5:#fff;--c6:#F5BE4B;--c7:#C98F55;--grey:#9a9a9a;--ink:#e6e6e6;--grid:#3a3d42;"
    "--paper:#17191c;--soft:#22252a;--bad:#FF8A80;--good:#5fd3a8}}\n"
    "body{font:14px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);"
    "margin:0 auto;padding:0 1.2em 3em;max-width:1280px;overflow-wrap:anywhere}\n"
    "h1{font-size:1.5em}h2{font-size:1.2em;margin:2em 0 .5em;border-bottom:1px solid var(--grid)}"
    "h3{font-size:1em;margin:1em 0 .3em}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th{text-align:left;background:var(--soft);position:sticky;top:0}"
    "th,td{padding:.15em .7em .15em 0;border-bottom:1px solid var(--grid);vertical-align:middle}"
    "td.n,th.n{text-align:right;white-space:nowrap}td.bad,.bad{color:var(--bad)}td.good{color:var(-"
    "-good)}\n"
    "a{color:inherit}details{content-visibility:auto;contain-intrinsic-size:auto 2em;"
    "border-bottom:1px solid var(--grid)}summary{cursor:pointer;padding:.25em 0}\n"
    "dl{display:grid;grid-template-columns:repeat(2,fit-content(20%) minmax(0,1fr));gap:.1em "
    "1em;margin:.3em 0}@media(max-width:700px){dl{grid-template-columns:fit-content(40%) "
    "minmax(0,1fr)}}li.inner{margin-left:1.4em}"
    "dt{color:var(--grey)}dd{margin:0}\n"
    "pre{background:var(--soft);padding:.7em;overflow:auto}ul{margin:.2em 0;padding-left:1.4em}"
    "figure{margin:.6em 0}svg.plot{width:100%;height:auto;display:block}"
    "svg.mini{width:150px;height:16px;vertical-align:middle}"
    "canvas{width:100%;max-width:1000px;height:190px;display:none}.js canvas{display:block}"
    ".js .nojs{display:none}.trust{background:var(--soft);padding:.3em 1em;margin:.5em 0}"
    ".wide{overflow-x:auto;overflow-wrap:normal}.hint{color:var(--grey)}"
    "input{font:inherit;color:inherit;background:var(--soft);border:1px solid var(--grid);"
    "padding:.2em .5em}\n"
    "@media print{body{max-width:none}input{display:none}details{content-visibility:visible}}\n";

/* Samples on canvases, tables that sort and filter, charts that zoom; details open for print. */
static const char script[] =
    "\n"
    "(()=>{'use strict';const D=document,Q=(s,e)=>[...(e||D).querySelectorAll(s)];"
    "D.documentElement.classList.add('js');\n"
    "const V=n=>getComputedStyle(D.documentElement).getPropertyValue(n).trim();"
    "const N=s=>s?s.split(' ').map(Number):[];\n"
    "function draw(c){const d=c.d||(c.d={l:N(c.dataset.low),h:N(c.dataset.high),"
    "m:N(c.dataset.clock),r:N(c.dataset.rounds),x:N(c.dataset.discarded)}),n=d.l.length;"
    "if(!n)return;if(!c.v)c.v=[0,n];"
    "const W=c.width=c.clientWidth*devicePixelRatio,H=c.height=c.clientHeight*devicePixelRatio,"
    "p=devicePixelRatio,g=c.getContext('2d'),L=86*p,R=W-28*p,T=8*p,hasM=d.m.length==n,"
    "B=H-(hasM?64:22)*p,[a,b]=c.v;\n"
    "const s=[...d.l.slice(a,b),...d.h.slice(a,b)].sort((x,y)=>x-y),k=s.length,"
    "q=f=>s[Math.min(k-1,Math.floor(f*k))],w=4*(q(.75)-q(.25))+.01*q(.5);"
    "let lo=Math.max(s[0],q(.25)-w),hi=Math.min(s[k-1],q(.75)+w);"
    "const e=.06*(hi-lo)||.01*hi;lo-=e;hi+=e;c.s={a,b,L,R,T,B,lo,hi};\n"
    "const X=i=>L+(i-a)/(b-a)*(R-L),Y=v=>B-(Math.min(hi,Math.max(lo,v))-lo)/(hi-lo)*(B-T);"
    "g.font=12*p+'px sans-serif';g.fillStyle=V('--grid');"
    "d.r.forEach((f,i)=>{const z=d.x[i]||0;if(z>0)g.fillRect(X(f),T,X(f+z)-X(f),B-T)});"
    "g.strokeStyle=V('--grey');g.strokeRect(L,T,R-L,B-T);g.fillStyle=V('--ink');"
    "g.textAlign='right';g.textBaseline='middle';"
    "for(const t of[0,.5,1])g.fillText((lo+t*(hi-lo)).toPrecision(4),L-6*p,Y(lo+t*(hi-lo)));"
    "g.fillText(c.dataset.unit,L-6*p,T+(B-T)/4);\n"
    "for(let i=a;i<b;i++){let o=0;while(o+1<d.r.length&&d.r[o+1]<=i)o++;"
    "g.fillStyle=V('--c'+[0,1,2,3,6,7][o%6]);const y=Y(d.h[i]),z=Y(d.l[i]);"
    "g.fillRect(X(i),y-p,Math.max(2*p,X(i+1)-X(i)-p/2),Math.max(2*p,z-y+2*p))}\n"
    "if(hasM){const m=d.m.slice(a,b).filter(x=>x>0),x0=Math.min(...m),x1=Math.max(...m),"
    "S=H-20*p,U=B+10*p;g.strokeStyle=V('--c1');g.beginPath();"
    "for(let i=a;i<b;i++)if(d.m[i]>0)g.lineTo(X(i),S-(d.m[i]-x0)/((x1-x0)||1)*(S-U));g.stroke();"
    "g.fillStyle=V('--ink');g.fillText(x1+' MHz',L-6*p,U);"
    "if(x1>x0)g.fillText(x0+' MHz',L-6*p,S)}\n"
    "g.textAlign='center';g.fillStyle=V('--grey');"
    "g.fillText((c.dataset.per>1?c.dataset.per+' samples a column; ':'')+'samples in order'+"
    "(d.r.length>1?', a colour for each round':'')+(d.x.some(x=>x>0)?', shaded: discarded':'')+"
    "'; drag to zoom, double-click for all',(L+R)/2,H-8*p)}\n"
    "function at(c,e){const s=c.s;return Math.floor(s.a+(e.offsetX*devicePixelRatio-s.L)/(s.R-s.L)*"
    "(s.b-s.a))}\n"
    "Q('canvas').forEach(c=>{c.addEventListener('mousemove',e=>{if(!c.s)return;const i=at(c,e);"
    "if(i<c.s.a||i>=c.s.b){c.title='';return}const u=' '+c.dataset.unit;"
    "c.title='sample '+i*c.dataset.per+': '+(c.d.l[i]==c.d.h[i]?c.d.l[i]:c.d.l[i]+' to "
    "'+c.d.h[i])+u"
    "+(c.d.m[i]?', '+c.d.m[i]+' MHz':'')});"
    "c.addEventListener('mousedown',e=>{if(c.s)c.z=at(c,e)});"
    "c.addEventListener('mouseup',e=>{if(c.z==null)return;const "
    "i=at(c,e),a=Math.max(0,Math.min(i,c.z)),"
    "b=Math.min(c.d.l.length,Math.max(i,c.z)+1);c.z=null;if(b-a>4){c.v=[a,b];draw(c)}});"
    "c.addEventListener('dblclick',()=>{c.v=null;draw(c)})});\n"
    "Q('details').forEach(x=>x.addEventListener('toggle',()=>{if(x.open)Q('canvas',x).forEach(draw)"
    "}));"
    "const all=()=>Q('details[open] canvas').forEach(draw);addEventListener('resize',all);"
    "matchMedia('(prefers-color-scheme:dark)').addEventListener('change',all);"
    "addEventListener('beforeprint',()=>Q('details').forEach(x=>x.open=true));"
    "const go=()=>{const x=D.getElementById(location.hash.slice(1));if(x&&x.tagName=='DETAILS')"
    "{x.open=true;x.scrollIntoView()}};addEventListener('hashchange',go);go();\n"
    "Q('figure svg.plot').forEach(s=>{const b=s.viewBox.baseVal,o=[b.x,b.y,b.width,b.height];let "
    "f=null;"
    "const P=e=>{const r=s.getBoundingClientRect();return b.x+(e.clientX-r.left)/r.width*b.width};"
    "s.addEventListener('mousedown',e=>{f=P(e);e.preventDefault()});"
    "s.addEventListener('mouseup',e=>{if(f==null)return;const t=P(e),x=Math.min(f,t),"
    "w=Math.abs(t-f);f=null;if(w>20)s.setAttribute('viewBox',[x,b.y+b.height*(1-w/b.width)/2,w,"
    "b.height*w/b.width].join(' '))});"
    "s.addEventListener('dblclick',()=>s.setAttribute('viewBox',o.join(' ')))});\n"
    "Q('table.sort').forEach(t=>{const h=Q('th',t);h.forEach((x,i)=>{x.style.cursor='pointer';"
    "let up=-1;x.addEventListener('click',()=>{up=-up;const K=r=>{const d=r.children[i],"
    "v=d.dataset.v;return v!=null?+v:d.textContent};Q('tr',t).slice(1).sort((p,q)=>{"
    "const a=K(p),b=K(q);return up*(a<b?-1:a>b?1:0)}).forEach(r=>r.parentNode.append(r))})})});\n"
    "Q('input.filter').forEach(i=>{i.hidden=false;i.addEventListener('input',()=>{"
    "const w=i.value.toLowerCase();Q('.filtered',i.closest('section')).forEach(r=>"
    "r.hidden=!r.dataset.label.toLowerCase().includes(w))})})})()\n";

static void add_base64(const uint8_t *bytes, size_t n, struct text *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    enum { BITS = 6, GROUP = 3 };
    for (size_t i = 0; i < n; i += GROUP) {
        uint32_t group = 0;
        for (size_t j = 0; j < GROUP; j++)
            group = group << 8 | (i + j < n ? bytes[i + j] : 0);
        for (size_t j = 0; j <= GROUP; j++)
            text_printf(out, "%c",
                        i + j <= n ? digits[group >> BITS * (GROUP - j) & ((1 << BITS) - 1)] : '=');
    }
}

/* No script but ours runs, also if the markup of a value should ever come through. */
static void add_policy(struct text *out)
{
    struct sha256 hash;
    uint8_t digest[SHA256_BYTES];
    sha256_begin(&hash);
    sha256_add(&hash, script, sizeof script - 1);
    sha256_end(&hash, digest);
    text_add(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'; script-src 'sha256-");
    add_base64(digest, sizeof digest, out);
    text_add(out, "'; base-uri 'none'; form-action 'none'; object-src 'none'\">\n");
}

void html_begin(const char *title, struct text *out)
{
    text_add(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    add_policy(out);
    text_add(out, "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
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
        xml_print(out, "<dt>%s</dt><dd><bdi>%s</bdi></dd>\n", name, value);
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

void html_panels(struct text *out, const struct plot_panel *panels, size_t n)
{
    for (size_t i = 0; i < n; i++)
        html_figure(out, &(struct plot_page){.panels = &panels[i], .n_panels = 1, .width = 1000});
}

void html_figure(struct text *out, const struct plot_page *page)
{
    text_add(out, "<figure>\n");
    plot_svg(page, true, out);
    text_add(out, "</figure>\n");
}
