// A fader in decibels. A drag may start anywhere and never makes it jump. Keys move it, too.

import { mark } from './element.js';
import { BOTTOM, TOP, decibels, gainAt, place } from './scale.js';

const SENT = 33;    // ms between two orders while it moves
const MINE = 400;   // ms after a move during which gains from the server are ignored
const THUMB = 26;   // px, as in board.css

const narrow = matchMedia('(max-width: 760px)'); // then the fader is horizontal

export class Fader {
	#element; #moved; #gain = NaN; #drag = null; #sent = 0; #later = 0; #mine = -MINE; #told = null;

	// element becomes a slider. moved is called with new gains at least SENT apart, and always with the last one.
	constructor(element, label, moved) {
		this.#element = element;
		this.#moved = moved;
		for (const [name, value] of Object.entries({
			'role': 'slider', 'tabindex': 0, 'aria-label': label, 'aria-valuemin': BOTTOM, 'aria-valuemax': TOP,
		})) element.setAttribute(name, value);
		this.#aim();
		narrow.addEventListener('change', () => this.#aim());
		element.addEventListener('pointerdown', e => this.#grab(e));
		element.addEventListener('pointermove', e => this.#pull(e));
		for (const end of ['pointerup', 'pointercancel', 'lostpointercapture']) element.addEventListener(end, () => this.#drop());
		element.addEventListener('dblclick', () => this.#move(0));
		element.addEventListener('keydown', e => this.#key(e));
	}

	// show shows a gain from the server, unless the user is moving the fader.
	show(gain) {
		this.#told = gain;
		const free = MINE - (performance.now() - this.#mine);
		if (this.#drag) return;
		if (free > 0) {
			setTimeout(() => this.#told !== null && this.show(this.#told), free + 1);
			return;
		}
		this.#told = null;
		this.#put(gain);
	}

	#aim() { mark(this.#element, 'aria-orientation', narrow.matches ? 'horizontal' : 'vertical'); }

	#put(gain) {
		if (gain === this.#gain) return;
		this.#gain = gain;
		const e = this.#element, text = decibels(gain);
		e.style.setProperty('--at', place(gain).toFixed(4));
		e.dataset.gain = text;
		mark(e, 'aria-valuenow', Math.min(Math.max(gain, BOTTOM), TOP));
		mark(e, 'aria-valuetext', text);
		e.dispatchEvent(new CustomEvent('gain', { detail: text }));
	}

	#move(gain) {
		gain = Math.round(Math.min(Math.max(gain, BOTTOM), TOP) * 10) / 10;
		this.#mine = performance.now();
		if (gain === this.#gain) return;
		this.#put(gain);
		if (this.#later) return; // the timer sends the latest gain
		const wait = SENT - (performance.now() - this.#sent);
		if (wait <= 0) this.#send();
		else this.#later = setTimeout(() => this.#send(), wait);
	}

	#send() {
		this.#later = 0;
		this.#sent = performance.now();
		this.#moved(this.#gain);
	}

	#grab(e) {
		if (e.button !== 0) return;
		e.preventDefault();
		this.#element.focus({ preventScroll: true });
		this.#element.setPointerCapture(e.pointerId);
		this.#drag = { at: place(this.#gain), x: e.clientX, y: e.clientY };
	}

	#pull(e) {
		if (!this.#drag) return;
		const { at, x, y } = this.#drag, { clientWidth, clientHeight } = this.#element;
		const by = narrow.matches ? (e.clientX - x) / (clientWidth - THUMB) : (y - e.clientY) / (clientHeight - THUMB);
		if (by || this.#drag.moved) this.#move(gainAt(at + by));
		this.#drag.moved ||= by !== 0;
	}

	#drop() {
		if (!this.#drag) return;
		this.#drag = null;
		if (this.#told !== null) this.show(this.#told);
	}

	#key(e) {
		if (e.ctrlKey || e.altKey || e.metaKey) return;
		const fine = e.shiftKey ? 0.1 : 1, from = Math.max(this.#gain, -60);
		const to = {
			ArrowUp: from + fine, ArrowRight: from + fine, ArrowDown: this.#gain - fine, ArrowLeft: this.#gain - fine,
			PageUp: from + 6, PageDown: this.#gain - 6, Home: BOTTOM, End: TOP, 0: 0,
		}[e.key];
		if (to === undefined) return;
		e.preventDefault();
		e.stopPropagation();
		this.#move(to < -60 && to > BOTTOM ? BOTTOM : to);
	}
}
