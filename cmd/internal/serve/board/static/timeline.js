// The last minute: the voices in each slot, and the steals.

import { byId } from './element.js';
import { COLOURS } from './colours.js';

const SPAN = 60;     // s
const MOST = 4000;   // maximum number of bars
const MARKS = 500;   // steals
const ROWS = 64;     // slots
const PAST = 2000;   // events requested when the page starts
const EVERY = 100;   // ms between two pictures: a second is about 10 pixels
const SLOWLY = 1000; // with reduced motion

const still = matchMedia('(prefers-reduced-motion: reduce)');

export class Timeline {
	#canvas = byId('timeline'); #colours; #rate = 48000; #pool = 1; #bars = []; #open = new Map(); #steals = [];
	#time = 0; #at = 0; #drawn = -EVERY; #ink = null; #dirty = true; #paused = false;
	#path; #first = Infinity; #turn = 0;

	// path returns the address of a resource of the room.
	constructor(path, colours) {
		this.#path = path;
		this.#colours = colours;
		new ResizeObserver(() => { this.#dirty = true; }).observe(this.#canvas);
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
			this.#ink = null;
			this.#dirty = true;
		});
	}

	state(s) {
		this.#rate = s.rate;
		this.#pool = Math.min(Math.max(s.pool, 1), ROWS);
		this.levels(s);
	}

	// levels updates the clock, and adds what events have missed: voices from before the page was opened, and
	// voices with lost events.
	levels(l) {
		const now = performance.now(), guess = this.#now(now);
		if (Math.abs(guess - l.time) > 0.3 || l.paused !== this.#paused) [this.#time, this.#at] = [l.time, now];
		this.#paused = l.paused;
		const live = new Map(l.voices.filter(v => v.slot >= 0).map(v => [v.voice, v]));
		for (const [voice, bar] of this.#open) {
			if (!live.has(voice) && bar.from < l.time - 0.05) this.#close(voice, l.time);
		}
		for (const [voice, v] of live) {
			if (!this.#open.has(voice)) this.#begin(voice, v.sound, v.slot, v.looping ? l.time : Math.max(l.time - v.position, 0), true);
		}
		this.#dirty ||= live.size > 0;
	}

	// begin starts again with the events of the last minute that the room has stored.
	async begin() {
		this.clear();
		const turn = this.#turn, address = this.#path('events');
		address.searchParams.set('last', PAST);
		try {
			const answer = await fetch(address, { headers: { Accept: 'application/json' }, signal: AbortSignal.timeout(5000) });
			if (!answer.ok) return;
			const { events } = await answer.json();
			if (turn !== this.#turn) return;
			for (const x of events) {
				const e = x.event ?? x, oldest = this.#now(performance.now()) - SPAN;
				if (x.number < this.#first && (e.frame / this.#rate > oldest || e.kind === 'started' || this.#open.has(e.voice))) this.#note(e);
			}
		} catch {} // without stored events, the minute starts now
	}

	// event handles a new event.
	event(e, number) {
		this.#first = Math.min(this.#first, number);
		this.#note(e);
	}

	#note(e) {
		const time = e.frame / this.#rate;
		switch (e.kind) {
		case 'started': case 'real':
			if (e.slot >= 0) this.#begin(e.voice, e.sound, e.slot, time, false);
			break;
		case 'stolen': case 'virtual':
			if (e.by && e.slot >= 0) {
				this.#steals.push({ time, slot: e.slot });
				if (this.#steals.length > MARKS) this.#steals.shift();
			}
			this.#close(e.voice, time);
			break;
		case 'ended': case 'stopped':
			this.#close(e.voice, time);
		}
		this.#dirty = true;
	}

	clear() {
		this.#turn++;
		this.#first = Infinity;
		this.#bars = [];
		this.#open.clear();
		this.#steals = [];
		this.#dirty = true;
	}

	// draw draws, and reports whether the picture moves.
	draw(now) {
		const moves = this.#bars.length > 0;
		if (now - this.#drawn < (still.matches ? SLOWLY : EVERY)) return moves || this.#dirty;
		if (!moves && !this.#dirty) return false;
		this.#drawn = now;
		this.#dirty = false;
		this.#paint(this.#now(now));
		return moves;
	}

	#now(now) { return this.#paused ? this.#time : this.#time + (now - this.#at) / 1000; }

	#begin(voice, sound, slot, from, guessed) {
		const known = this.#open.get(voice);
		if (known) {
			if (known.guessed) [known.from, known.guessed] = [from, guessed];
			return;
		}
		const bar = { slot, sound, from, to: Infinity, colour: this.#colours.of(sound), guessed };
		this.#open.set(voice, bar);
		this.#bars.push(bar);
		if (this.#bars.length > MOST) this.#bars.shift();
	}

	#close(voice, time) {
		const bar = this.#open.get(voice);
		if (!bar) return;
		bar.to = Math.max(time, bar.from);
		this.#open.delete(voice);
	}

	#paint(now) {
		const c = this.#canvas, { clientWidth: width, clientHeight: height } = c;
		if (!width || !height) return;
		const scale = devicePixelRatio, ink = this.#ink ??= inks(c);
		if (c.width !== Math.round(width * scale) || c.height !== Math.round(height * scale)) {
			c.width = Math.round(width * scale);
			c.height = Math.round(height * scale);
		}
		const g = c.getContext('2d'), first = now - SPAN;
		g.setTransform(scale, 0, 0, scale, 0, 0);
		g.clearRect(0, 0, width, height);
		const foot = 16, rows = (height - foot) / this.#pool, x = time => (time - first) / SPAN * width;
		g.font = '11px system-ui, sans-serif';
		g.textBaseline = 'alphabetic';
		for (let s = 0; s <= SPAN; s += 15) {
			const at = width - s / SPAN * width;
			g.fillStyle = ink.line;
			g.fillRect(Math.min(Math.round(at), width - 1), 0, 1, height - foot);
			g.fillStyle = ink.soft;
			g.textAlign = s === 0 ? 'right' : s === SPAN ? 'left' : 'center';
			g.fillText(s ? `−${s} s` : 'now', at, height - 3);
		}
		this.#bars = this.#bars.filter(b => b.to > first);
		this.#steals = this.#steals.filter(s => s.time > first);
		const thick = Math.max(rows - (rows > 5 ? 2 : rows > 3 ? 1 : 0), 1);
		for (const b of this.#bars) {
			if (b.slot >= this.#pool) continue;
			const from = Math.max(x(b.from), 0), to = Math.min(x(b.to), width), top = b.slot * rows;
			g.fillStyle = ink.sounds[b.colour];
			g.globalAlpha = b.to === Infinity ? 1 : 0.62;
			g.fillRect(from, top, Math.max(to - from - 1, 1), thick);
			if (rows < 10 || to - from < 34) continue;
			g.globalAlpha = 1;
			g.fillStyle = ink.on;
			g.textAlign = 'left';
			g.textBaseline = 'middle';
			g.font = `${Math.min(rows - 3, 11)}px system-ui, sans-serif`;
			g.save();
			g.beginPath();
			g.rect(from, top, to - from - 4, thick);
			g.clip();
			g.fillText(b.sound, from + 4, top + thick / 2 + 0.5);
			g.restore();
		}
		g.globalAlpha = 1;
		g.fillStyle = ink.steal;
		for (const s of this.#steals) {
			const at = x(s.time), top = s.slot * rows;
			g.fillRect(at - 0.75, top, 1.5, thick);
			if (rows < 6) continue;
			g.beginPath();
			g.moveTo(at - 3, top);
			g.lineTo(at + 3, top);
			g.lineTo(at, top + 4);
			g.fill();
		}
	}
}

// inks reads the page's colours.
function inks(element) {
	const style = getComputedStyle(element), ink = name => style.getPropertyValue(name).trim();
	return {
		line: ink('--line'), soft: ink('--soft'), steal: ink('--steal'), on: ink('--on-sound'),
		sounds: Array.from({ length: COLOURS }, (_, i) => ink(`--sound-${i}`)),
	};
}
