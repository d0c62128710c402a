// Pads: a button for each sound, and one for each scene.

import { byId, make, mark, rove, write } from './element.js';

const MOST = 240;   // maximum number of visible pads
const MANY = 24;    // number of sounds that shows the search field
const FADE = 0.3;   // fade of a stopped loop in s
const CHANGE = 1;   // fade of a scene change in s

export class Pads {
	#order; #colours; #sounds = []; #pads = new Map(); #playing = new Map(); #known = ''; #scenes = ''; #scene = null; #settle;

	constructor(order, colours) {
		this.#order = order;
		this.#colours = colours;
		this.#settle = rove(byId('sounds'));
		byId('search').addEventListener('input', () => this.#fill());
		byId('search').addEventListener('keydown', e => {
			if (e.key === 'Enter') this.#pads.values().next().value?.button.focus();
			if (e.key === 'Escape' && !e.target.value) e.target.blur();
		});
		byId('loop').addEventListener('click', () => mark(byId('loop'), 'aria-pressed', !this.loops));
	}

	// loops reports whether pads loop without Shift.
	get loops() { return byId('loop').getAttribute('aria-pressed') === 'true'; }

	state(s) {
		const known = JSON.stringify(s.sounds);
		if (known !== this.#known) {
			this.#known = known;
			this.#sounds = s.sounds;
			byId('search').hidden = s.sounds.length < MANY;
			this.#fill();
		}
		const scenes = JSON.stringify(s.scenes ?? []);
		if (scenes !== this.#scenes || s.scene !== this.#scene) this.#change(s, scenes);
		this.levels(s);
	}

	levels(l) {
		this.#playing = new Map();
		for (const v of l.voices) {
			if (v.state === 'pending') continue;
			const p = this.#playing.get(v.sound);
			if (p) p.push(v);
			else this.#playing.set(v.sound, [v]);
		}
	}

	draw() {
		for (const [sound, pad] of this.#pads) {
			const voices = this.#playing.get(sound) ?? [], loops = voices.some(v => v.looping);
			const text = voices.length > 1 ? `×${voices.length}` : '';
			if (pad.sounds !== voices.length > 0) {
				pad.sounds = voices.length > 0;
				pad.element.classList.toggle('sounds', pad.sounds);
				if (!pad.sounds && document.activeElement === pad.stop) pad.button.focus();
				pad.stop.hidden = !pad.sounds;
			}
			mark(pad.button, 'aria-pressed', loops);
			write(pad.count, loops ? `↻${text}` : text);
		}
	}

	// fire acts like a click on a pad. place is its index from 0.
	fire(place, loop) {
		const pad = [...this.#pads.values()][place];
		if (pad) this.#fire(pad.sound, loop);
	}

	#fire(sound, loop) {
		const looping = (this.#playing.get(sound.sound) ?? []).filter(v => v.looping);
		if (looping.length) {
			this.#stop(looping);
			return;
		}
		const order = { sound: sound.sound };
		if (loop || this.loops) order.loop = true;
		this.#order({ do: 'play', with: order });
	}

	#stop(voices) {
		for (const v of voices) this.#order({ do: 'stop', voice: String(v.voice), with: { over: FADE } }, [404]); // it may already have ended
	}

	#fill() {
		const search = byId('search').value.trim().toLowerCase();
		const found = this.#sounds.filter(s => s.sound.toLowerCase().includes(search));
		this.#pads = new Map(found.slice(0, MOST).map((s, i) => [s.sound, this.#pad(s, i)]));
		byId('sounds').replaceChildren(...[...this.#pads.values()].map(p => p.element));
		write(byId('sounds-more'), found.length > MOST ? `${found.length - MOST} more: search for them` : found.length ? '' : search ? `No sound has this name.` : 'The room has no sounds.');
		this.#settle();
		this.draw();
	}

	#pad(sound, place) {
		const count = make('span', { className: 'count' });
		const button = make('button', { type: 'button', className: 'pad', title: `${sound.seconds.toFixed(1)} s${sound.bus ? `, bus ${sound.bus}` : ''}${sound.loop ? ', loops' : ''}`, 'aria-pressed': 'false' },
			make('b', { textContent: sound.sound }), count);
		if (place < 9) {
			button.append(make('kbd', { textContent: place + 1, 'aria-hidden': 'true' }));
			mark(button, 'aria-keyshortcuts', place + 1);
		}
		const stop = make('button', { type: 'button', className: 'stop', textContent: '■', hidden: true, tabIndex: -1, 'aria-label': `Stop ${sound.sound}`, title: `Stop ${sound.sound}` });
		button.addEventListener('click', e => this.#fire(sound, e.shiftKey));
		stop.addEventListener('click', () => this.#stop(this.#playing.get(sound.sound) ?? []));
		const element = make('div', { className: 'place' }, button, stop);
		element.dataset.colour = this.#colours.of(sound.sound);
		return { element, button, stop, count, sound, sounds: false };
	}

	#change(s, scenes) {
		this.#scenes = scenes;
		this.#scene = s.scene;
		const names = s.scenes ?? [], box = byId('scenes');
		box.hidden = names.length === 0;
		if (box.hidden) {
			box.replaceChildren();
			return;
		}
		const focused = box.contains(document.activeElement) ? document.activeElement.dataset.scene : undefined;
		box.replaceChildren(...['', ...names].map(name => {
			const b = make('button', { type: 'button', className: 'small', textContent: name || 'no scene', 'aria-pressed': name === s.scene });
			b.dataset.scene = name;
			b.addEventListener('click', () => this.#order({ do: 'scene', with: { scene: name, over: CHANGE } }));
			return b;
		}));
		if (focused !== undefined) [...box.children].find(b => b.dataset.scene === focused)?.focus();
	}
}
