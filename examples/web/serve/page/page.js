'use strict';
// The page draws the views of the Go program, which sets begin, look, press, resize and storms.
const byId = id => document.getElementById(id);
const SECONDS = 8, LEFT = 34, RIGHT = 118, FLOOR = -60;
const tints = {
  theme: '#63c78f', rain: '#5b8fd6', thunder: '#d6d9e0', gong: '#e0a458', bird: '#a5d65b', coin: '#ffd866',
  bell: '#5ad1e6', chime: '#b58cff', glass: '#f0f6ff', marimba: '#ff9d5c', pluck: '#ff7ab8',
};
window.page = {
  seen: null, // the last view
  device: '',
  ready(keys) {
    for (const { key, sound } of JSON.parse(keys)) {
      const b = document.createElement('button');
      b.dataset.key = key;
      b.style.setProperty('--tint', tints[sound]);
      b.append(sound + ' ', Object.assign(document.createElement('kbd'), { textContent: key.toUpperCase() }));
      b.onpointerdown = () => strike(key);
      byId('keys').append(b);
    }
    byId('start').disabled = false;
    byId('start').textContent = 'play';
    byId('start').focus();
  },
  opened(device) {
    page.device = device;
    byId('cover').hidden = true;
    requestAnimationFrame(frame);
  },
  failed(reason) {
    byId('cover').hidden = false;
    byId('start').hidden = true;
    byId('trouble').textContent = reason;
  },
  draw(text) {
    const now = performance.now() / 1000, v = page.seen = JSON.parse(text);
    v.slots.forEach((s, i) => {
      const track = tracks[i] ??= [];
      let run = track.at(-1);
      if (run?.end === undefined && run?.voice !== s.voice) {
        if (run) run.end = now;
        run = undefined;
      } else if (run?.end !== undefined) run = undefined;
      if (!s.name) return;
      if (!run) track.push(run = { name: s.name, voice: s.voice, at: [] });
      run.at.push([now, Math.max(0, 1 - s.loud / FLOOR), s.pan]);
    });
    tracks.length = v.slots.length;
    for (const t of v.takes) {
      takes.push({ ...t, now });
      tell(t);
    }
    trim();
    for (const track of tracks) while (track.length && track[0].at.at(-1)[0] < now - SECONDS - 1) track.shift();
    while (takes.length && takes[0].now < now - SECONDS) takes.shift();
    for (const id of ['asked', 'playing', 'gave', 'unseen']) byId(id).textContent = v[id];
    byId('rms').textContent = v.rms > -100 ? v.rms.toFixed(1).replace('-', '\u2212') : 'silent';
    byId('voices').textContent = v.voices === 1 ? '1 voice' : v.voices + ' voices';
    paint(now, v);
  },
};
const tracks = []; // the past voices of each slot
const takes = [];

// tell adds a line to the list of takes.
function tell(t) {
  const li = document.createElement('li'), small = document.createElement('small');
  const named = name => Object.assign(document.createElement('b'), { textContent: name, style: 'color:' + tints[name] });
  const dB = x => x <= -100 ? 'silence' : x.toFixed(0).replace('-', '\u2212') + ' dB';
  small.textContent = `${dB(t.newcomer)} for ${dB(t.loud)}` + (t.returns ? ', may return' : '');
  li.append(named(t.winner), ' for ', named(t.victim), small);
  byId('takes').prepend(li);
}

// trim removes the lines that do not fit.
function trim() {
  const room = byId('list'), end = room.getBoundingClientRect().bottom - 8;
  for (let last; (last = byId('takes').lastChild) && last.getBoundingClientRect().bottom > end;) last.remove();
}

// paint draws a row for each slot with its past voices. The thickness is the loudness.
function paint(now, v) {
  const canvas = byId('view'), ratio = devicePixelRatio, c = canvas.getContext('2d');
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  const edge = width - RIGHT, row = (height - 12) / v.slots.length, x = t => edge - (now - t) / SECONDS * (edge - LEFT);
  const middle = i => 6 + (i + .5) * row;
  c.font = `${Math.min(13, row * .7)}px system-ui, "DejaVu Sans", sans-serif`;
  c.textBaseline = 'middle';
  c.save();
  c.beginPath();
  c.rect(LEFT, 0, edge - LEFT, height);
  c.clip();
  v.slots.forEach((_, i) => {
    c.fillStyle = '#232b38';
    c.fillRect(LEFT, Math.round(middle(i)), edge - LEFT, 1);
    for (const run of tracks[i] ?? []) {
      const last = run.end ?? now, half = loud => Math.max(1, loud * row * .44);
      c.fillStyle = tints[run.name];
      c.beginPath();
      c.moveTo(x(run.at[0][0]), middle(i));
      for (const [t, loud] of run.at) c.lineTo(x(t), middle(i) - half(loud));
      c.lineTo(x(last), middle(i) - half(run.at.at(-1)[1]));
      c.lineTo(x(last), middle(i) + half(run.at.at(-1)[1]));
      for (const [t, loud] of run.at.toReversed()) c.lineTo(x(t), middle(i) + half(loud));
      c.fill();
    }
  });
  for (const t of takes) { // a red mark for each stolen voice
    if (t.slot >= v.slots.length) continue;
    const left = Math.round(x(t.now)), top = Math.round(middle(t.slot) - row * .48), tall = Math.round(row * .96);
    c.fillStyle = '#10141b';
    c.fillRect(left - 2, top, 6, tall);
    c.fillStyle = '#ff3b2f';
    c.fillRect(left - 1, top, 4, tall);
  }
  c.restore();
  v.slots.forEach((s, i) => {
    c.textAlign = 'right';
    c.fillStyle = '#93a0b4';
    c.fillText(i + 1, LEFT - 10, middle(i));
    if (!s.name) return;
    c.textAlign = 'left';
    c.fillStyle = tints[s.name];
    c.fillText(s.name, edge + 10, middle(i));
    c.fillStyle = '#2a3342'; // its pan
    c.fillRect(width - 44, middle(i) - 1, 32, 2);
    c.fillStyle = '#e6ebf2';
    c.fillRect(width - 30 + s.pan * 14, middle(i) - 4, 4, 8);
  });
}

function frame() {
  page.update();
  requestAnimationFrame(frame);
}

function strike(key) {
  if (!page.device) return;
  page.press(key);
  const b = document.querySelector(`[data-key="${key}"]`);
  b.classList.add('down');
  setTimeout(() => b.classList.remove('down'), 120);
}

function storms() {
  const on = byId('storms').getAttribute('aria-pressed') !== 'true';
  byId('storms').setAttribute('aria-pressed', on);
  page.storms(on);
}

const resize = by => page.seen && page.resize(page.seen.voices + by);
byId('start').onclick = () => { byId('start').disabled = true; page.begin(); };
byId('storms').onclick = storms;
byId('fewer').onclick = () => resize(-1);
byId('more').onclick = () => resize(1);
addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || !page.device) return;
  const key = event.key.toLowerCase();
  if (key === ' ' && !event.repeat) storms();
  else if (key === 'arrowup') resize(1);
  else if (key === 'arrowdown') resize(-1);
  else if (document.querySelector(`[data-key="${CSS.escape(key)}"]`)) strike(key);
  else return;
  event.preventDefault();
});

const go = new Go();
WebAssembly.instantiateStreaming(fetch('web.wasm'), go.importObject)
  .then(web => go.run(web.instance))
  .catch(err => page.failed(`The page did not load: ${err.message}. Serve it: go run ./examples/web/serve`));
