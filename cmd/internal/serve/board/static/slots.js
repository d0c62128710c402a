// The slots of the pool: the voice in each, its loudness, and the voice that it has stolen.

import { byId, make, mark, rove, write } from './element.js';
import { loudness, short } from './scale.js';

const MOST = 64;      // maximum number of visible slots; in a larger pool, only used slots are shown
const FLASH = 1400;   // ms
const TOLD = 5;       // steals in the list
const NEWS = 10000;   // ms between two spoken sentences for screen readers
const SPOKEN = 2000;  // ms between two spoken names of a slot for screen readers

export class Slots {
	#colours; #explain; #slots = []; #pool = -1; #voices = []; #settle;
	#steals = []; #untold = 0; #news = -NEWS; #rows = '';

	// explain is called with a voice.
	constructor(colours, explain) {
		this.#colours = colours;
		this.#explain = explain;
		this.#settle = rove(byId('slots'));
	}

	state(s) {
		if (s.pool !== this.#pool) this.#make(s.pool);
		this.levels(s);
	}

	levels(l) { this.#voices = l.voices; }

	// event adds a steal.
	event(e) {
		if ((e.kind !== 'stolen' && e.kind !== 'virtual') || !e.by) return;
		const text = `${e.by_sound} took ${e.sound}'s slot`;
		this.#steals.unshift({ text, voice: e.by, victim: e.voice, sound: e.by_sound, other: e.sound });
		this.#steals.length = Math.min(this.#steals.length, TOLD);
		this.#untold++;
		const slot = this.#slots[e.slot];
		if (slot) slot.flash = performance.now();
		this.#list();
	}

	// draw shows the slots, and reports whether a flash is still running.
	draw(now) {
		const by = new Map(), virtual = new Map();
		let waiting = 0;
		for (const v of this.#voices) {
			if (v.slot >= 0) by.set(v.slot, v);
			else if (v.state === 'pending') waiting++;
			else virtual.set(v.sound, (virtual.get(v.sound) ?? 0) + 1);
		}
		let moves = false, at = 0;
		const few = this.#pool > MOST ? [...by.keys()].sort((a, b) => a - b) : null;
		for (const s of this.#slots) {
			const number = few ? few[at++] ?? -1 : s.place;
			this.#show(s, number, by.get(number), now);
			moves ||= s.flashes;
		}
		const more = [...virtual].map(([sound, n]) => n > 1 ? `${sound} ×${n}` : sound);
		const text = [];
		if (more.length) text.push(`virtual: ${more.slice(0, 6).join(', ')}${more.length > 6 ? ' …' : ''}`);
		if (waiting) text.push(`${waiting} to come`);
		if (few && few.length > MOST) text.push(`${few.length - MOST} more play`);
		write(byId('voices-more'), text.join(' · '));
		if (this.#untold && now - this.#news > NEWS) {
			this.#news = now;
			write(byId('news'), this.#untold > 1 ? `${this.#untold} steals. The last: ${this.#steals[0].text}.` : `${this.#steals[0].text}.`);
			this.#untold = 0;
		}
		return moves;
	}

	clear() {
		this.#steals = [];
		this.#voices = [];
		this.#list();
	}

	#make(pool) {
		this.#pool = pool;
		this.#slots = Array.from({ length: Math.min(pool, MOST) }, (_, place) => {
			const s = {
				place, number: -1, voice: null, last: null, flash: -FLASH, flashes: false, at: -1, spoken: 0,
				index: make('span', { className: 'index' }), fill: make('i'), name: make('b'), note: make('span', { className: 'note' }),
				loop: make('span', { className: 'loop', textContent: '↻', hidden: true }), level: make('span', { className: 'level' }),
			};
			s.button = make('button', { type: 'button', className: 'slot empty' }, s.fill, s.index, s.name, s.loop, s.note, s.level);
			s.button.addEventListener('click', () => s.last && this.#explain(s.last));
			return s;
		});
		const box = byId('slots');
		box.style.setProperty('--rows', Math.ceil(this.#slots.length / 2));
		box.replaceChildren(...this.#slots.map(s => s.button));
		this.#settle();
	}

	#show(s, number, v, now) {
		const b = s.button;
		if (number !== s.number) {
			s.number = number;
			write(s.index, number < 0 ? '' : number + 1);
			b.classList.toggle('none', number < 0);
		}
		const flashes = now - s.flash < FLASH;
		if (flashes !== s.flashes) {
			s.flashes = flashes;
			b.classList.toggle('taken', flashes);
		}
		if (v?.voice !== s.voice) {
			s.voice = v?.voice;
			s.spoken = 0;
			b.classList.toggle('empty', !v);
			if (v) b.dataset.colour = this.#colours.of(v.sound);
			write(s.name, v ? v.sound : '');
		}
		if (v) {
			s.last = v;
			s.loop.hidden = !v.looping;
			write(s.note, v.state !== 'playing' ? v.state : v.took_name ? `took ${v.took_name}` : '');
		} else write(s.note, '');
		const at = v ? Math.round(loudness(v.level) * 500) / 500 : 0;
		if (at !== s.at) {
			s.at = at;
			s.fill.style.transform = `translateX(${((at - 1) * 100).toFixed(1)}%)`;
		}
		write(s.level, v ? short(v.level) || '−∞' : '');
		if (now - s.spoken > SPOKEN) {
			s.spoken = now;
			mark(b, 'aria-label', spoken(number, v, s.last));
		}
	}

	#list() {
		const rows = JSON.stringify(this.#steals);
		if (rows === this.#rows) return;
		this.#rows = rows;
		byId('steals').replaceChildren(...this.#steals.map(s => {
			const button = make('button', { type: 'button', textContent: s.text });
			button.addEventListener('click', () => this.#explain({ voice: s.victim, sound: s.other, by: s.voice, byName: s.sound }));
			return make('li', {}, button);
		}));
	}
}

function spoken(number, v, last) {
	if (!v) return `Slot ${number + 1}: free${last ? `, last ${last.sound}` : ''}`;
	const parts = [`Slot ${number + 1}: ${v.sound}`, v.state];
	if (v.level > -80) parts.push(`${Math.round(v.level)} dB`);
	if (v.looping) parts.push('looping');
	if (v.took_name) parts.push(`took the slot of ${v.took_name}`);
	return parts.join(', ');
}
