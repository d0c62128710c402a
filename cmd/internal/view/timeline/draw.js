// The data of the page and its drawing. Frames are audio frames. Other lengths are pixels of the page, but x
// and y of shade are pixels of the screen and rows.
const LEFT = 62, RIGHT = 14, AXIS = 26, GAP = 8, LEAST_STRIP = 60, MOST_STRIP = 180, REFUSED = 18;
const STOLEN = '#ff5a5a', VIRTUAL = '#ffc24a', REAL = '#6ef08f', REFUSAL = '#ff7ad9', JOINED = '#7e8a9a';
const PAPER = '#10141b', FIELD = '#181e28', LANE = '#131820', GRID = '#2e3846', WORDS = '#c8d0dc', FAINT = '#8c98a8', BRIGHT = '#f2f5f9';
const view = document.getElementById('view'), ctx = view.getContext('2d');
const under = document.createElement('canvas'), shades = under.getContext('2d', { willReadFrequently: true });

let D, byNumber = new Map(), took = new Map(); // took: by voice, the voices that lost slots to it
let start = 0, scale = 1, row = 18, scroll = 0; // the first frame, pixels per frame, pixels per row, pixels hidden above
let width = 0, height = 0, ratio = 1, strip = LEAST_STRIP;
let matches = null, off = new Set(), kept = null, beside = new Set(); // found, hidden, explained, and the other voices of its explanation
let asked = false, widths = [];

const rgb = colour => [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16));
const clock = s => s < 60 ? s.toFixed(3) + ' s' : Math.floor(s / 60) + ':' + (s % 60).toFixed(3).padStart(6, '0');

const room = () => Math.max(width - LEFT - RIGHT, 1);
const least = () => room() / Math.max(D.frames, 1);
const lane = () => Math.max(Math.round(row * .6), 3);
const rowsHeight = () => D.slots * row + (D.lanes ? 6 + D.lanes * lane() : 0);
const rowsTop = () => AXIS + (D.refused.length ? REFUSED : 0);
const strips = () => 1 + (D.step ? 1 : 0) + (D.lost.length ? 1 : 0);
const roomForRows = () => Math.max(Math.min(height - rowsTop() - strips() * (LEAST_STRIP + GAP) - 4, rowsHeight()), 20);
const x = f => LEFT + (f - start) * scale;
const frame = px => start + (px - LEFT) / scale;
const y = (r, virtual) => rowsTop() - scroll + (virtual ? D.slots * row + 6 + r * lane() : r * row);

function clamp() {
  scale = Math.min(Math.max(scale, least()), 4);
  start = Math.min(Math.max(start, 0), Math.max(D.frames - room() / scale, 0));
  scroll = Math.min(Math.max(scroll, 0), Math.max(rowsHeight() - roomForRows(), 0));
  strip = Math.min(Math.max(Math.floor((height - rowsTop() - roomForRows() - 4) / strips()) - GAP, LEAST_STRIP), MOST_STRIP);
}
// fit chooses the row height so that all rows are visible, if they stay readable.
function fit() {
  row = 60; // the maximum
  row = Math.min(Math.max(Math.floor((roomForRows() - 6) / (D.slots + .6 * D.lanes)), 13), 36);
  while (row > 13 && rowsHeight() > roomForRows()) row--;
}

// heard returns the opacity of a level.
const heard = db => Math.min(Math.max((db - D.bottom) / (D.top - D.bottom), 0), 1);
function opacity(v, f) {
  if (!D.step) return .6;
  if (!v.levels || !v.levels.length) return .1;
  const b = v.levels[Math.min(Math.max(Math.floor(f / D.step) - v.f, 0), v.levels.length - 1)];
  return b ? .1 + .9 * heard(b / 2 + D.floor) : .1;
}
const lit = v => !off.has(v.s) && (!matches || matches.has(v));

function fill(a, b, w, h, colour, alpha) { ctx.globalAlpha = alpha; ctx.fillStyle = colour; ctx.fillRect(a, b, w, h); }
function text(a, b, s, colour) { ctx.globalAlpha = 1; ctx.fillStyle = colour; ctx.fillText(s, a, b); }
function textTo(right, b, s, colour) { ctx.textAlign = 'right'; text(right, b, s, colour); ctx.textAlign = 'left'; }

// later draws once before the next repaint.
function later() { if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; draw(); }); } }

// A row is a line of shades with one pixel per screen pixel, stretched to the row's height. So the drawing
// time hardly depends on the number of voices.
let image, pixels;
function shade(line, from, to, [r, g, b], alpha) {
  from = Math.max(from, 0); to = Math.min(to, under.width);
  for (let k = 4 * (line * under.width + from), end = 4 * (line * under.width + to); k < end; k += 4) {
    pixels[k] += (r - pixels[k]) * alpha; pixels[k + 1] += (g - pixels[k + 1]) * alpha; pixels[k + 2] += (b - pixels[k + 2]) * alpha;
  }
}
const column = f => Math.round((f - start) * scale * ratio);
const dots = n => Math.max(Math.round(n * ratio), 1);

function draw() {
  if (!D) return;
  clamp();
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.textBaseline = 'middle'; ctx.textAlign = 'left'; ctx.font = '11px ui-monospace, Menlo, Consolas, monospace';
  fill(0, 0, width, height, PAPER, 1);
  const top = rowsTop(), bottom = top + roomForRows(), from = start, to = frame(width), ticks = times();
  const shown = [];
  for (const v of D.voices) if (v.b >= from && v.a <= to) shown.push(v);
  shadeRows(shown, from, to, ticks);
  ctx.imageSmoothingEnabled = false;
  if (D.refused.length) {
    ctx.drawImage(under, 0, 0, under.width, 1, LEFT, AXIS, under.width / ratio, 6);
    ctx.drawImage(under, 0, 1, under.width, 1, LEFT, AXIS + 7, under.width / ratio, 6);
    textTo(LEFT - 6, AXIS + 7, D.refused.some(m => m.k !== 'coalesced') ? 'refused' : 'coalesced', REFUSAL);
  }
  ctx.save(); ctx.beginPath(); ctx.rect(0, top, width, bottom - top); ctx.clip();
  for (const t of ticks.list) fill(Math.round(x(t * D.rate)), top, 1, bottom - top, GRID, 1);
  for (let r = 0; r < D.slots + D.lanes; r++) {
    const virtual = r >= D.slots, py = y(virtual ? r - D.slots : r, virtual), h = (virtual ? lane() : row) - 1;
    if (py + h > top && py < bottom) ctx.drawImage(under, 0, r + 2, under.width, 1, LEFT, py, under.width / ratio, h);
  }
  const every = Math.max(1, Math.ceil(12 / row));
  for (let r = 0; r < D.slots; r += every) if (y(r) + row > top && y(r) < bottom) textTo(LEFT - 6, y(r) + row / 2, String(r), FAINT);
  if (D.lanes) textTo(LEFT - 6, Math.max(Math.min(y(0, true) + D.lanes * lane() / 2, bottom - 8), y(0, true) + 6), 'virtual', VIRTUAL);
  ctx.beginPath(); ctx.rect(LEFT, top, width - LEFT, bottom - top); ctx.clip();
  drawLinks(shown, from, to);
  for (const v of shown) drawName(v, from, to, top, bottom);
  ctx.restore();
  drawLost(bottom + GAP, from, to, ticks);
  drawStrips(bottom + GAP + (D.lost.length ? strip + GAP : 0), from, to, ticks);
  for (const t of ticks.list) {
    const label = ticks.label(t), px = x(t * D.rate) + 3;
    if (px + ctx.measureText(label).width < width) text(px, 17, label, WORDS);
  }
  drawBars(top, bottom);
}

// shadeRows shades the refused starts (two lines) and all rows.
function shadeRows(shown, from, to, ticks) {
  const w = Math.max(Math.ceil((width - LEFT) * ratio), 1), h = 2 + D.slots + D.lanes;
  if (under.width !== w || under.height !== h || !image) {
    under.width = w; under.height = h;
    image = shades.createImageData(w, h); pixels = image.data;
  }
  const all = new Uint32Array(pixels.buffer), ground = colour => new Uint32Array(new Uint8ClampedArray([...rgb(colour), 255]).buffer)[0];
  all.fill(ground(PAPER), 0, 2 * w); all.fill(ground(FIELD), 2 * w, (2 + D.slots) * w); all.fill(ground(LANE), (2 + D.slots) * w);
  const end = column(D.frames), grid = rgb(GRID), paper = rgb(PAPER);
  for (let r = 2; r < h; r++) {
    shade(r, end, w, paper, .6);
    for (const t of ticks.list) shade(r, column(t * D.rate), column(t * D.rate) + 1, grid, 1);
  }
  for (const v of shown) shadeVoice(v, from, to);
  let losses = 0;
  for (const v of shown) losses += v.x.length / 4;
  const thick = dots(losses * 20 > room() * D.slots ? 1 : 2);
  for (const v of shown) shadeLosses(v, from, to, thick);
  for (const g of D.gaps) {
    if (g.b < from || g.a > to) continue;
    for (let r = 2; r < h; r++) shade(r, column(g.a), Math.max(column(g.b), column(g.a) + 1), rgb(STOLEN), .25);
  }
  const pink = rgb(REFUSAL), grey = rgb(JOINED);
  for (const m of D.refused) {
    if (m.a < from || m.a > to || off.has(m.s)) continue;
    const px = column(m.a), alpha = m === kept ? 1 : !matches || matches.has(m) ? .9 : .15, wide = m === kept ? 2 : 1;
    shade(0, px - dots(wide), px + dots(wide), m.k === 'coalesced' ? grey : pink, alpha);
    shade(1, px - dots(wide), px + dots(wide), D.rgb[m.s], alpha);
  }
  shades.putImageData(image, 0, 0);
}
function shadeVoice(v, from, to) {
  const on = lit(v), colour = D.rgb[v.s], w = under.width;
  for (let i = 0; i < v.p.length; i += 4) {
    const a = v.p[i], b = v.p[i + 1], virtual = v.p[i + 3];
    if (b < from || a > to) continue;
    const line = 2 + (virtual ? D.slots : 0) + v.p[i + 2], dim = (on ? 1 : .12) * (virtual ? .6 : 1);
    const first = column(a), last = column(b);
    if (first >= last) { // less than a pixel
      shade(line, first, first + 1, colour, Math.max(opacity(v, a), .3) * dim * Math.max((b - a) * scale * ratio, .3));
      continue;
    }
    const perPixel = 1 / (scale * ratio);
    for (let px = Math.max(first, 0); px < Math.min(last, w);) {
      const f = Math.max(start + px * perPixel, a), alpha = opacity(v, f);
      let next = px + 1;
      if (!D.step) next = last;
      else next = Math.max(next, Math.min(column((Math.floor(f / D.step) + 1) * D.step), last));
      shade(line, px, next, colour, alpha * dim);
      px = next;
    }
    if (!virtual && last - first > 3 * ratio) shade(line, first, first + dots(1), colour, on ? 1 : .2);
  }
}
function partAt(v, f, ends) {
  for (let i = v.p.length - 4; i >= 0; i -= 4) if (ends ? v.p[i + 1] === f : v.p[i] <= f) return i;
  return -1;
}
function place(v, i) { const virtual = v.p[i + 3]; return [y(v.p[i + 2], virtual), (virtual ? lane() : row) - 1]; }

const markColours = [rgb(STOLEN), rgb(VIRTUAL)], realColour = rgb(REAL);
function shadeLosses(v, from, to, thick) {
  const on = lit(v) || beside.has(v) ? 1 : .15;
  const mark = (i, f, colour, alpha) => {
    const px = column(f) - (thick >> 1);
    shade(2 + (v.p[i + 3] ? D.slots : 0) + v.p[i + 2], px, px + thick, colour, alpha * on);
  };
  for (let i = 0; i < v.x.length; i += 4) {
    const f = v.x[i], p = f < from || f > to ? -1 : partAt(v, f, true);
    if (p >= 0) mark(p, f, markColours[v.x[i + 2]], v === kept ? 1 : D.step ? .25 + .75 * heard(v.x[i + 3]) : .85);
  }
  for (let i = 4; i < v.p.length; i += 4) if (!v.p[i + 3] && v.p[i] >= from && v.p[i] <= to) mark(i, v.p[i], realColour, .9);
}
// drawLinks draws links to other rows, and outlines explained and found voices.
function drawLinks(shown, from, to) {
  let n = 0;
  for (const v of shown) if (lit(v)) n += v.x.length / 4 + v.p.length / 4 - 1;
  const dim = Math.min(1, .05 * width / Math.max(n, 1));
  for (const v of shown) {
    const strength = v === kept ? 1 : beside.has(v) ? .7 : lit(v) ? dim : 0;
    if (strength * .6 >= .02) {
      for (let i = 0; i < v.x.length; i += 4) {
        const f = v.x[i];
        if (f < from || f > to) continue;
        const p = partAt(v, f, true), w = byNumber.get(v.x[i + 1]), q = w ? partAt(w, f) : -1;
        if (p >= 0 && q >= 0) link(x(f), place(v, p), place(w, q), v.x[i + 2] ? VIRTUAL : STOLEN, .6 * strength);
      }
      for (let i = 4; i < v.p.length; i += 4) if (v.p[i] >= from && v.p[i] <= to) link(x(v.p[i]), place(v, i - 4), place(v, i), D.colours[v.s], .5 * strength);
    }
    if (v === kept || beside.has(v)) outline(v, v === kept ? BRIGHT : STOLEN, v === kept ? 2 : 1, 0);
    else if (matches && lit(v)) outline(v, BRIGHT, 1, 3);
  }
}
function outline(v, colour, thick, narrowest) {
  ctx.globalAlpha = .9; ctx.strokeStyle = colour; ctx.lineWidth = thick;
  for (let i = 0; i < v.p.length; i += 4) {
    const a = Math.max(x(v.p[i]), LEFT - 4), b = Math.min(x(v.p[i + 1]), width + 4), [py, h] = place(v, i);
    if (b >= a && b - a >= narrowest) ctx.strokeRect(a + thick / 2, py + thick / 2, Math.max(b - a - thick, 1), h - thick);
  }
}
function link(px, [a, h], [b, k], colour, alpha) {
  const from = a < b ? a + h : b + k, to = a < b ? b : a;
  if (to > from) fill(Math.round(px), from, 1, to - from, colour, alpha);
}

// drawName writes the sound's name into a voice, if there is room.
function drawName(v, from, to, top, bottom) {
  if (row < 12 || !lit(v)) return;
  for (let i = 0; i < v.p.length; i += 4) {
    if (v.p[i + 3] || v.p[i + 1] < from || v.p[i] > to) continue;
    const left = Math.max(x(v.p[i]), LEFT), space = Math.min(x(v.p[i + 1]), width) - left - 8, [py, h] = place(v, i);
    if (space < 16 || py + h < top || py > bottom) continue;
    let label = D.sounds[v.s];
    const wide = widths[v.s] ??= ctx.measureText(label).width;
    if (wide + 7 * (2 + String(v.n).length) <= space) label += '\u200e #' + v.n; // a left-to-right mark, because a name may be right-to-left
    else if (wide > space) {
      const letters = Array.from(label), n = Math.floor((space - 7) * letters.length / wide);
      if (n < 2) continue;
      label = letters.slice(0, n).join('') + '\u2026';
    }
    ctx.globalAlpha = 1; ctx.strokeStyle = '#10141bcc'; ctx.lineWidth = 3; ctx.lineJoin = 'round';
    ctx.strokeText(label, left + 4, py + h / 2 + .5);
    text(left + 4, py + h / 2 + .5, label, BRIGHT);
  }
}

// times returns the times of the grid lines in seconds.
function times() {
  let step = 7200;
  for (const s of [.001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600]) if (s * D.rate * scale >= 80) { step = s; break; }
  while (step * D.rate * scale < 80) step *= 2;
  const out = [];
  for (let k = Math.ceil(start / D.rate / step); k * step * D.rate <= frame(width) && k * step * D.rate <= D.frames; k++) out.push(k * step);
  const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
  return { list: out, label: t => t < 60 ? t.toFixed(digits) + ' s' : Math.floor(t / 60 + 1e-9) + ':' + (t % 60).toFixed(digits).padStart(digits ? 3 + digits : 2, '0') };
}

// stepAt returns the index of a frame in D.steps (frame, real, virtual), or -3 before the first.
function stepAt(f) {
  let lo = 0, hi = D.steps.length / 3;
  while (lo < hi) { const m = lo + hi >> 1; if (D.steps[3 * m] <= f) lo = m + 1; else hi = m; }
  return 3 * (lo - 1);
}
function peakAt(from, to) {
  let peak = 0;
  const a = Math.floor(from / D.step), b = Math.max(a, Math.ceil(to / D.step) - 1);
  for (let k = a; k <= b && k < D.peakLevels.length; k++) peak = Math.max(peak, D.peakLevels[k]);
  return peak ? peak / 2 + D.floor : -Infinity;
}
function drawStrips(top, from, to, ticks) {
  const n = Math.floor(width - LEFT), steps = D.steps, last = Math.min(n, Math.ceil(x(D.frames) - LEFT));
  fill(LEFT, top, n, strip, FIELD, 1);
  if (D.step) fill(LEFT, top + strip + GAP, n, strip, FIELD, 1);
  for (const t of ticks.list) {
    fill(Math.round(x(t * D.rate)), top, 1, strip, GRID, 1);
    if (D.step) fill(Math.round(x(t * D.rate)), top + strip + GAP, 1, strip, GRID, 1);
  }
  const real = new Path2D(), virtual = new Path2D(), peaks = new Path2D();
  let i = stepAt(from);
  for (let px = 0; px < last; px++) {
    const end = frame(LEFT + px + 1);
    let r = i >= 0 ? steps[i + 1] : 0, v = i >= 0 ? steps[i + 2] : 0;
    while (i + 3 < steps.length && steps[i + 3] < end) { i += 3; r = Math.max(r, steps[i + 1]); v = Math.max(v, steps[i + 2]); }
    const a = strip * r / D.most, b = strip * Math.min(v, D.most - r) / D.most;
    if (r) real.rect(LEFT + px, top + strip - a, 1, a);
    if (v) virtual.rect(LEFT + px, top + strip - a - b, 1, b);
    if (!D.step) continue;
    const h = strip * Math.min(Math.max((peakAt(frame(LEFT + px), end) + 60) / 60, 0), 1);
    if (h) peaks.rect(LEFT + px, top + strip + GAP + strip - h, 1, h);
  }
  for (const [path, colour, alpha] of [[real, '#5ca8d8', .8], [virtual, VIRTUAL, .45], [peaks, REAL, .55]]) { ctx.globalAlpha = alpha; ctx.fillStyle = colour; ctx.fill(path); }
  const pool = Math.round(top + strip - strip * D.pool / D.most);
  fill(LEFT, pool, n, 1, STOLEN, .7);
  textTo(LEFT - 6, top + 7, 'voices', WORDS);
  textTo(LEFT - 6, Math.max(pool, top + 21), String(D.pool), STOLEN);
  if (!D.step) return;
  top += strip + GAP;
  textTo(LEFT - 6, top + 7, 'peak dB', WORDS);
  levels(top, n);
}
function levels(top, n) {
  for (const db of [-20, -40]) { fill(LEFT, top - strip * db / 60, n, 1, GRID, 1); textTo(LEFT - 6, top - strip * db / 60, String(db), FAINT); }
}
// drawLost draws each loss with a height by its level, and labels the loudest visible one.
function drawLost(top, from, to, ticks) {
  if (!D.lost.length) return;
  const n = Math.floor(width - LEFT);
  fill(LEFT, top, n, strip, FIELD, 1);
  for (const t of ticks.list) fill(Math.round(x(t * D.rate)), top, 1, strip, GRID, 1);
  levels(top, n);
  textTo(LEFT - 6, top + 7, 'lost dB', WORDS);
  let worst = null;
  for (const l of D.lost) {
    const [f, , sound, kind, db] = l;
    if (f < from || f > to || off.has(sound)) continue;
    const h = Math.max(strip * Math.min(Math.max((db + 60) / 60, 0), 1), 1), px = Math.round(x(f)) - 1;
    fill(Math.max(px, LEFT), top + strip - h, 2, h, kind === 'stolen' ? STOLEN : kind === 'virtual' ? VIRTUAL : REFUSAL, .9);
    if (db > D.floor) worst = l;
  }
  if (!worst) return;
  const label = `worst: ${D.sounds[worst[2]]}${worst[1] ? '\u200e #' + worst[1] : ''} at ${Math.round(worst[4])} dB`, wide = ctx.measureText(label).width;
  const left = Math.max(x(worst[0]) + 5 + wide > width ? x(worst[0]) - 5 - wide : x(worst[0]) + 5, LEFT);
  ctx.globalAlpha = 1; ctx.strokeStyle = '#10141bcc'; ctx.lineWidth = 3; ctx.lineJoin = 'round';
  ctx.strokeText(label, left, top + 7);
  text(left, top + 7, label, BRIGHT);
}

// thumbs returns the positions of the thumbs of both scroll bars.
function thumbs() {
  const h = roomForRows(), all = Math.max(rowsHeight(), h), wide = Math.max(room() * Math.min(room() / scale / Math.max(D.frames, 1), 1), 16), high = Math.max(h * h / all, 16);
  return {
    zoomed: scale > least() * 1.001, wide, left: LEFT + (room() - wide) * start / Math.max(D.frames - room() / scale, 1),
    hidden: all > h, high, top: rowsTop() + (h - high) * scroll / Math.max(all - h, 1),
  };
}
function drawBars(top, bottom) {
  const t = thumbs();
  fill(LEFT, 1, room(), 5, FIELD, 1);
  if (matches && list.length) for (const o of list.length > 3000 ? [] : list) fill(LEFT + Math.floor(room() * at(o) / Math.max(D.frames, 1)), 1, 1, 5, BRIGHT, .7);
  if (t.zoomed) fill(t.left, 1, t.wide, 5, '#8cc4ff', .6);
  if (!t.hidden) return;
  fill(width - 9, top, 8, bottom - top, FIELD, .9);
  fill(width - 9, t.top, 8, t.high, '#5a6a80', 1);
}
