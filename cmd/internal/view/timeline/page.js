// The interaction of the page.
const byId = id => document.getElementById(id);
const tip = byId('tip'), pin = byId('pin'), search = byId('search'), line = byId('line'), now = byId('now'), picture = byId('picture');
let list = [], current = -1, what = '', fitted = true; // found, index of the current one, search text; rows fit the height

const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
const safe = s => s.replace(/[&<>"']/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' })[c]);
const coarse = () => matchMedia('(pointer: coarse)').matches;

async function load() {
  const packed = new Blob([bytes(byId('data').textContent)]).stream();
  const read = JSON.parse(await new Response(packed.pipeThrough(new DecompressionStream('gzip'))).text());
  for (const v of read.voices) {
    byNumber.set(v.n, v);
    v.levels = v.l ? bytes(v.l) : null;
    for (let i = 0; i < v.x.length; i += 4) if (v.x[i + 1]) took.set(v.x[i + 1], [...took.get(v.x[i + 1]) || [], v]);
  }
  read.peakLevels = bytes(read.peaks);
  read.rgb = read.colours.map(rgb);
  read.most = read.pool;
  for (let i = 0; i < read.steps.length; i += 3) read.most = Math.max(read.most, read.steps[i + 1] + read.steps[i + 2]);
  D = read;
  document.title = D.title;
  byId('title').textContent = D.title;
  byId('about').textContent = D.about;
  makeKey();
  makeLegend();
  new ResizeObserver(resize).observe(picture);
  resize();
  whole();
  follow();
}
// follow searches for the fragment of the address, as in voices.html#57.
function follow() {
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (wanted) { search.value = wanted; find(); if (current < 0) go(1); }
}
function makeKey() {
  const add = (text, style, name) => {
    const s = document.createElement('span'), i = document.createElement('i');
    if (name) i.className = name; else i.style.background = style;
    s.append(i, text);
    byId('key').append(s);
  };
  add('stolen', STOLEN);
  if (D.lanes) { add('became virtual', VIRTUAL); add('came back', REAL); }
  if (D.refused.some(m => m.k !== 'coalesced')) add('refused', REFUSAL);
  if (D.refused.some(m => m.k === 'coalesced')) add('coalesced: a part of another start', JOINED);
  for (const g of D.gaps.slice(0, 3)) add(`shaded: ${clock(g.a / D.rate)}, ${g.t}`, STOLEN);
  if (D.step) add(`audibility ${D.bottom} to ${D.top} dB`, '', 'ramp');
  else byId('key').append('levels were not recorded');
}
function makeLegend() {
  const all = D.sounds.map((name, i) => {
    const b = document.createElement('button'), c = document.createElement('i');
    c.style.background = D.colours[i];
    b.append(c, name);
    b.title = name + ': dim or show (shift: show this one only)';
    b.onclick = e => {
      if (e.shiftKey) off = off.size === D.sounds.length - 1 && !off.has(i) ? new Set() : new Set([...D.sounds.keys()].filter(k => k !== i));
      else if (!off.delete(i)) off.add(i);
      all.forEach((b, k) => b.setAttribute('aria-pressed', String(!off.has(k))));
      later();
    };
    b.setAttribute('aria-pressed', 'true');
    return b;
  });
  byId('legend').append(...all);
}

function resize() {
  const r = picture.getBoundingClientRect(), all = scale <= least() * 1.001;
  ratio = window.devicePixelRatio || 1;
  width = Math.max(r.width, 160); height = Math.max(r.height, 120);
  view.width = Math.round(width * ratio); view.height = Math.round(height * ratio);
  if (fitted) fit();
  if (all) scale = 0;
  clamp(); draw(); // at once, because resizing has cleared the canvas
}
function whole() { start = 0; scale = 0; scroll = 0; fitted = true; fit(); clamp(); later(); }
function zoom(by, px) { const f = frame(px); scale *= by; clamp(); start = f - (px - LEFT) / scale; clamp(); quiet(); later(); }
function rows(by) { fitted = false; row = Math.min(Math.max(row + by, 2), 60); clamp(); quiet(); later(); }

// hit returns the object at a position: a voice, the mark of a refused start, or a voice with the frame
// of its loss.
function hit(px, py) {
  const f = frame(px), reach = (coarse() ? 12 : 4) / scale;
  if (px < LEFT) return null;
  if (py >= AXIS - 4 && py < rowsTop() && D.refused.length) {
    let best = null;
    for (const m of D.refused) if (!off.has(m.s) && Math.abs(m.a - f) < reach * 1.5 && (!best || Math.abs(m.a - f) < Math.abs(best.a - f))) best = m;
    return best && { o: best };
  }
  if (py < rowsTop() || py > rowsTop() + roomForRows()) return null;
  let best = null, distance = Infinity, lost = null, near = reach, longest = -1;
  for (const v of D.voices) {
    if (v.a > f + reach || v.b < f - reach || off.has(v.s)) continue;
    for (let i = 0; i < v.p.length; i += 4) {
      const [y0, h] = place(v, i);
      if (py < y0 || py > y0 + h) continue;
      const d = Math.max(v.p[i] - f, f - v.p[i + 1], 0);
      if (d < reach && d <= distance) { best = { o: v }; distance = d; }
      const gap = Math.abs(v.p[i + 1] - f), length = v.p[i + 1] - v.p[i];
      if (gap > near || gap === near && length <= longest) continue; // of simultaneous losses, the longest part
      for (let k = 0; k < v.x.length; k += 4) if (v.x[k] === v.p[i + 1]) { lost = { o: v, lost: v.x[k] }; near = gap; longest = length; }
    }
  }
  return lost || best;
}

// words describes a voice or a mark. With short, it describes events near a frame only.
function words(o, f, short) {
  const mark = s => short ? safe(s) : safe(s).replace(/#(\d+)/g, (s, n) => byNumber.has(+n) && +n !== o.n ? `<a href="" data-voice="${n}">${s}</a>` : s);
  if (o.k) return `<b>${safe(D.sounds[o.s])}</b> <time>${clock(o.a / D.rate)}</time><p>${mark(o.t)}</p>`;
  let events = o.t.events, out = `<b>${mark(o.t.title)}</b>`, left = 0;
  const close = e => Math.abs(e[0] * D.rate - f) <= D.rate / 1000;
  if (short && events.length > 2) {
    const i = events.findLastIndex(([s]) => s * D.rate <= f + D.rate / 1000), few = events.slice(Math.max(i, 0), Math.max(i, 0) + 2);
    left = events.length - few.length; events = few;
  }
  for (const e of events) out += `<p${f !== undefined && !short && close(e) ? ' class="meant"' : ''}><time>${clock(e[0])}</time> ${mark(e[1])}</p>`;
  if (left) out += `<p><time>${left} more: ${coarse() ? 'tap' : 'click'}</time></p>`;
  else if (!short) for (const a of o.t.advice || []) out += `<p class="advice">${safe(a)}</p>`;
  return out;
}
// keep shows an explanation beside the picture.
function keep(o, f) {
  kept = o; beside = new Set();
  if (o && !o.k) {
    for (let i = 0; i < o.x.length; i += 4) if (byNumber.has(o.x[i + 1])) beside.add(byNumber.get(o.x[i + 1]));
    for (const v of took.get(o.n) || []) beside.add(v);
    beside.delete(o);
  }
  quiet();
  pin.style.display = o ? 'block' : 'none';
  if (o) {
    pin.innerHTML = '<button id="shut" title="close (esc)" aria-label="close">&times;</button>' + words(o, f, false);
    byId('shut').onclick = () => { keep(null); view.focus(); };
    pin.scrollTop = 0;
    pin.querySelector('.meant')?.scrollIntoView({ block: 'nearest' });
  }
  later();
}
// show scrolls to a voice or a mark, and explains it.
function show(o, f = o.a) {
  keep(o, f === o.a ? undefined : f);
  resize(); // the explanation may have changed the size
  const end = o.b === undefined ? o.a : o.b, want = Math.max(end - o.a, D.rate / 5);
  if (want * scale < 60) scale = Math.min(120 / want, 4);
  const px = (f - start) * scale;
  if (px < 40 || px > room() - 80) start = f - room() / scale / 3;
  clamp();
  if (o.p && o.p.length) {
    const p = Math.max(partAt(o, f, f !== o.a), 0), py = y(o.p[p + 2], o.p[p + 3]);
    if (py < rowsTop() || py > rowsTop() + roomForRows() - row) scroll += py - rowsTop() - roomForRows() / 2;
  }
  clamp(); later();
}
// at returns the frame of a search result.
function at(o) {
  if (o.k) return o.a;
  if (what === o.t.fate && what === 'stolen') return o.b;
  for (let i = 0; what === 'virtual' && i < o.x.length; i += 4) if (o.x[i + 2]) return o.x[i];
  return o.a;
}
function find() {
  const q = what = search.value.trim().toLowerCase(), number = /^#?(\d+)$/.exec(q);
  current = -1; matches = null; list = [];
  if (q) {
    const named = new Set([...D.sounds.keys()].filter(i => D.sounds[i].toLowerCase().includes(q)));
    list = D.voices.filter(v => number && v.n === +number[1] || named.has(v.s) || v.t.fate === q || q === 'virtual' && v.p.some((p, i) => i % 4 === 3 && p));
    list = list.concat(D.refused.filter(m => named.has(m.s) || m.k === q || q === 'refused' && m.k !== 'coalesced'));
    list.sort((a, b) => at(a) - at(b));
    matches = new Set(list);
  }
  const found = byId('found');
  found.textContent = q ? list.length ? `${list.length} found` : 'nothing found' : '';
  found.className = q && !list.length ? 'none' : '';
  if (number && list.length === 1) { current = 0; show(list[0]); }
  later();
}
function go(by) {
  if (!list.length) return;
  current = current < 0 && by < 0 ? list.length - 1 : (current + by + list.length) % list.length;
  byId('found').textContent = `${current + 1} of ${list.length}`;
  show(list[current], at(list[current]));
}

// quiet hides the elements that follow the mouse.
function quiet() { tip.style.display = line.style.display = now.style.display = 'none'; }
function point(px, py) {
  quiet();
  if (!D || px < LEFT || px > Math.min(x(D.frames), width)) return;
  const f = frame(px), i = stepAt(f), peak = D.step ? peakAt(f, f + 1) : 0;
  now.textContent = clock(f / D.rate) + ` \u00b7 ${i < 0 ? 0 : D.steps[i + 1]}` + (D.lanes ? ` + ${i < 0 ? 0 : D.steps[i + 2]}` : '') + ' voices' + (D.step ? ` \u00b7 ${peak > -100 ? peak.toFixed(1) : '-\u221e'} dB` : '');
  line.style.display = now.style.display = 'block';
  line.style.left = px + 'px';
  now.style.left = Math.max(Math.min(px - now.offsetWidth / 2, width - now.offsetWidth), 0) + 'px';
  const h = hit(px, py);
  if (!h) return;
  tip.innerHTML = words(h.o, h.lost === undefined ? f : h.lost, true);
  tip.style.display = 'block';
  const under = py + 16 + tip.offsetHeight < height;
  tip.style.left = Math.max(Math.min(px + 14, width - tip.offsetWidth - 8), 0) + 'px';
  tip.style.top = Math.max(under ? py + 16 : py - tip.offsetHeight - 12, 0) + 'px';
}

const fingers = new Map();
let drag = null;
view.addEventListener('wheel', e => {
  e.preventDefault();
  if (!D) return;
  const unit = e.deltaMode === 1 ? 30 : e.deltaMode === 2 ? 400 : 1, dx = e.deltaX * unit, dy = e.deltaY * unit;
  if (e.shiftKey || e.offsetX < LEFT) scroll += dy + dx;
  else if (Math.abs(dx) > Math.abs(dy)) start += dx / scale;
  else return zoom(Math.exp(-Math.min(Math.max(dy, -600), 600) / (e.ctrlKey ? 100 : 400)), e.offsetX);
  clamp(); quiet(); later();
}, { passive: false });
view.addEventListener('pointerdown', e => {
  if (!D || e.button) return;
  fingers.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
  const t = thumbs(), part = e.offsetY < 9 && t.zoomed ? 'time' : e.offsetX > width - 12 && t.hidden ? 'rows' : 'picture';
  drag = fingers.size > 1 ? { part: 'pinch' } : { part, x: e.offsetX, y: e.offsetY, start, scroll, moved: false };
  if (part === 'time' && (e.offsetX < t.left || e.offsetX > t.left + t.wide)) { // the thumb jumps to the mouse
    start = (e.offsetX - LEFT) / room() * D.frames - room() / scale / 2;
    clamp(); drag.start = start; later();
  }
  view.setPointerCapture(e.pointerId);
});
function pinch(e) {
  const before = fingers.get(e.pointerId), other = [...fingers].find(([id]) => id !== e.pointerId)[1];
  const gap = p => Math.max(Math.hypot(p.x - other.x, p.y - other.y), 10), here = { x: e.offsetX, y: e.offsetY };
  start -= (here.x - before.x) / 2 / scale; scroll -= (here.y - before.y) / 2;
  zoom(gap(here) / gap(before), (here.x + other.x) / 2);
}
view.addEventListener('pointermove', e => {
  if (!D) return;
  if (fingers.has(e.pointerId) && drag) {
    if (drag.part === 'pinch') { if (fingers.size > 1) pinch(e); }
    else {
      const dx = e.offsetX - drag.x, dy = e.offsetY - drag.y, t = thumbs();
      drag.moved = drag.moved || Math.abs(dx) + Math.abs(dy) > (e.pointerType === 'touch' ? 8 : 3);
      if (drag.part === 'time') start = drag.start + dx * Math.max(D.frames - room() / scale, 0) / Math.max(room() - t.wide, 1);
      else if (drag.part === 'rows') scroll = drag.scroll + dy * (rowsHeight() - roomForRows()) / Math.max(roomForRows() - t.high, 1);
      else if (drag.moved) { start = drag.start - dx / scale; scroll = drag.scroll - dy; }
      clamp(); later();
    }
    fingers.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
  }
  if (e.pointerType === 'touch' || drag) quiet();
  else point(e.offsetX, e.offsetY);
});
function release(e) {
  if (!fingers.delete(e.pointerId) || !drag) return;
  if (e.type === 'pointerup' && drag.part === 'picture' && !drag.moved) {
    const h = hit(e.offsetX, e.offsetY);
    keep(h && h.o, h ? h.lost : undefined);
  }
  if (!fingers.size) drag = null;
}
view.addEventListener('pointerup', release);
view.addEventListener('pointercancel', release);
view.addEventListener('pointerleave', quiet);
pin.addEventListener('click', e => {
  const n = e.target.dataset.voice;
  if (!n) return;
  e.preventDefault();
  show(byNumber.get(+n));
});
search.addEventListener('input', find);
search.addEventListener('keydown', e => {
  if (e.key === 'Enter') go(e.shiftKey ? -1 : 1);
  if (e.key === 'Escape') { search.value = ''; find(); view.focus(); }
});
byId('after').onclick = () => go(1);
byId('before').onclick = () => go(-1);
byId('in').onclick = () => zoom(1.6, LEFT + room() / 2);
byId('out').onclick = () => zoom(1 / 1.6, LEFT + room() / 2);
byId('whole').onclick = whole;
byId('higher').onclick = () => rows(3);
byId('lower').onclick = () => rows(-3);
window.addEventListener('keydown', e => {
  if (e.target === search || !D || e.ctrlKey || e.metaKey || e.altKey) return;
  const span = room() / scale;
  switch (e.key) {
    case 'ArrowLeft': start -= span / 8; break;
    case 'ArrowRight': start += span / 8; break;
    case 'ArrowUp': scroll -= 60; break;
    case 'ArrowDown': scroll += 60; break;
    case 'PageUp': scroll -= roomForRows(); break;
    case 'PageDown': scroll += roomForRows(); break;
    case 'Home': start = 0; break;
    case 'End': start = D.frames; break;
    case '+': case '=': zoom(1.5, LEFT + room() / 2); break;
    case '-': zoom(1 / 1.5, LEFT + room() / 2); break;
    case '0': whole(); break;
    case '[': rows(-3); break;
    case ']': rows(3); break;
    case 'n': go(1); break;
    case 'p': go(-1); break;
    case '/': search.focus(); search.select(); break;
    case 'Escape': keep(null); break;
    default: return;
  }
  e.preventDefault(); clamp(); quiet(); later();
});
window.addEventListener('hashchange', () => { if (D) follow(); });
load().catch(e => { byId('title').textContent = 'This page cannot be shown: ' + e.message; });
