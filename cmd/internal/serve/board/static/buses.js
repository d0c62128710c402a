// The mixer: a strip for each bus, with its meter, its fader, the listener's volume, mute and solo.

import { byId, make, mark, write } from './element.js';
import { Fader } from './fader.js';
import { decibels, height, place } from './scale.js';

const HELD = 1500;  // hold time of a peak mark in ms
const SPOKEN = 1000; // ms between two spoken values of a meter for screen readers

const MARKS = [6, 0, -10, -20, -40];

export class Buses {
	#order; #strips = new Map(); #names = ''; #peaks = new Map(); #reductions = new Map();

	// order sends an order and reports a failure.
	constructor(order) { this.#order = order; }

	state(s) {
		const names = s.buses.map(b => [b.bus, ...(b.effects ?? []).map(e => e.effect)].join('\t')).join('\n');
		if (names !== this.#names) {
			this.#names = names;
			this.#strips = new Map(s.buses.map(b => [b.bus, this.#strip(b)]));
			byId('strips').replaceChildren(...[...this.#strips.values()].map(x => x.element));
		}
		const solo = s.buses.some(b => b.solo);
		for (const b of s.buses) {
			const strip = this.#strips.get(b.bus);
			strip.fader.show(b.gain);
			strip.volume.show(b.volume);
			mark(strip.mute, 'aria-pressed', b.mute);
			mark(strip.solo, 'aria-pressed', b.solo);
			for (const e of b.effects ?? []) mark(strip.effects.get(e.effect), 'aria-pressed', !e.bypass);
			strip.element.classList.toggle('off', b.mute || solo && !b.solo && !strip.top);
		}
		this.levels(s);
	}

	levels(l) {
		for (const b of l.buses) {
			this.#peaks.set(b.bus, b.peak);
			this.#reductions.set(b.bus, b.reduction ?? 0);
		}
	}

	// draw moves the meters, and reports whether any of them is above silence.
	draw(now) {
		let up = false;
		for (const [bus, s] of this.#strips) {
			const level = this.#peaks.get(bus) ?? -120;
			const at = height(level);
			if (at >= s.held || now - s.since > HELD) {
				if (at !== s.held) s.peak.style.setProperty('--at', at.toFixed(4));
				s.held = at;
				s.since = now;
			}
			if (at !== s.at) {
				s.at = at;
				s.bar.style.setProperty('--at', at.toFixed(3));
				s.meter.classList.toggle('hot', level > -0.2);
			}
			if (now - s.spoken > SPOKEN) {
				s.spoken = now;
				mark(s.meter, 'aria-valuenow', Math.round(Math.max(level, -60)));
				mark(s.meter, 'aria-valuetext', at > 0 ? decibels(Math.round(level)) : 'silent');
			}
			if (s.reduction) {
				const taken = Math.round(10 * (this.#reductions.get(bus) ?? 0)) / 10;
				write(s.reduction, taken > 0 ? `−${taken.toFixed(1)} dB` : '0 dB');
			}
			up ||= s.at > 0 || s.held > 0;
		}
		return up;
	}

	clear() {
		this.#peaks.clear();
		this.#reductions.clear();
	}

	#strip(b) {
		const bar = make('i'), peak = make('b');
		const meter = make('div', { className: 'meter', role: 'meter', 'aria-label': `Peak of ${b.bus}`, 'aria-valuemin': -60, 'aria-valuemax': 6, 'aria-valuenow': -60 }, bar, peak);
		const thumb = make('div', { className: 'fader' }, make('span', { className: 'thumb' }));
		const ticks = make('div', { className: 'ticks', 'aria-hidden': 'true' }, ...MARKS.map(db => {
			const tick = make('span', { textContent: Math.abs(db) });
			tick.style.setProperty('--at', place(db));
			return tick;
		}));
		const value = make('output', { className: 'value', 'aria-hidden': 'true' });
		thumb.addEventListener('gain', e => write(value, e.detail));
		const fader = new Fader(thumb, `Gain of ${b.bus}`, gain => this.#set(b.bus, { gain }));
		const slider = make('div', { className: 'fader volume', title: 'Volume: no sheet and no scene changes it' }, make('span', { className: 'thumb' }));
		const loudness = make('output', { className: 'value loudness', 'aria-hidden': 'true' });
		slider.addEventListener('gain', e => write(loudness, `vol ${e.detail}`));
		const volume = new Fader(slider, `Volume of ${b.bus}`, volume => this.#set(b.bus, { volume }));
		const toggle = (text, name, field) => {
			const button = make('button', { type: 'button', className: `small ${field}`, textContent: text, title: name, 'aria-label': `${name} ${b.bus}`, 'aria-pressed': 'false' });
			button.addEventListener('click', () => this.#set(b.bus, { [field]: button.getAttribute('aria-pressed') !== 'true' }));
			return button;
		};
		const mute = toggle('M', 'Mute', 'mute'), solo = toggle('S', 'Solo', 'solo');
		const effects = new Map((b.effects ?? []).map(e => [e.effect, this.#effect(b.bus, e)]));
		const element = make('div', { className: 'strip', role: 'group', 'aria-label': `Bus ${b.bus}` },
			make('h3', { textContent: b.bus, title: b.parent ? `${b.bus}, into ${b.parent}` : b.bus }),
			make('div', { className: 'travel' }, ticks, thumb, meter, slider), value, loudness, make('div', { className: 'switches' }, mute, solo));
		if (effects.size > 0) element.append(make('div', { className: 'rack' }, ...effects.values()));
		const compresses = (b.effects ?? []).some(e => e.kind === 'compressor');
		const reduction = compresses ? make('output', { className: 'reduction', title: `Gain reduction by compressors on ${b.bus}`, 'aria-live': 'off' }) : null;
		if (reduction) element.append(reduction);
		element.dataset.bus = b.bus;
		return { element, fader, volume, mute, solo, effects, reduction, meter, bar, peak, top: b.bus === 'master', at: -1, held: -1, since: 0, spoken: 0 };
	}

	// #effect returns the switch of an effect: pressed while it is not bypassed.
	#effect(bus, e) {
		const button = make('button', { type: 'button', className: 'small', textContent: e.effect, title: e.kind, 'aria-label': `${e.effect} of ${bus}`, 'aria-pressed': 'true' });
		button.addEventListener('click', () => this.#set(bus, { effects: { [e.effect]: { bypass: button.getAttribute('aria-pressed') === 'true' } } }));
		return button;
	}

	#set(bus, to) { this.#order({ do: 'bus', bus, with: to }); }
}
