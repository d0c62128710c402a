// Listening to a room in the browser: with an AudioWorklet, or with an audio element if AudioWorklet is
// missing. It is missing on plain HTTP from another machine.

import { byId, mark, write } from './element.js';

const FIRST = 300, LONGEST = 5000; // ms between attempts

export class Listen {
	#path; #say; #rate = 48000; #on = false; #context = null; #node = null; #socket = null; #again = 0; #wait = FIRST; #heard = {};

	constructor(path, say) {
		this.#path = path;
		this.#say = say;
		byId('listen').addEventListener('click', () => this.#toggle());
		byId('plain').addEventListener('error', () => this.#on && byId('plain').src && this.#later());
	}

	// heard holds the figures of the worklet: peak, drops, left, plays, waits.
	get heard() { return this.#heard; }

	// on reports whether the room is being listened to.
	get on() { return this.#on; }

	// analyser is a node before the loudspeaker, for tests.
	analyser = null;

	state(s) { this.#rate = s.rate; }

	// change switches to the room of the current path.
	change() {
		if (!this.#on) return;
		this.#end();
		this.#begin();
	}

	#toggle() {
		this.#on = !this.#on;
		mark(byId('listen'), 'aria-pressed', this.#on);
		this.#end();
		this.#tell('');
		this.#wait = FIRST;
		if (this.#on) this.#begin();
	}

	async #begin() {
		if (!window.isSecureContext || !window.AudioWorkletNode) {
			const plain = byId('plain');
			plain.src = this.#path('audio.wav');
			plain.play().then(() => this.#on && this.#tell('by the browser’s player, some seconds late'), () => this.#on && this.#later());
			return;
		}
		const context = new AudioContext({ sampleRate: this.#rate, latencyHint: 'interactive' });
		this.#context = context;
		try {
			await context.resume();
			await context.audioWorklet.addModule('board/worklet.js');
			if (context === this.#context) this.#connect(context);
		} catch {
			if (context !== this.#context) return;
			this.#say('The browser plays no sound here.');
			this.#toggle();
		}
	}

	#connect(context) {
		const address = this.#path('audio');
		address.protocol = address.protocol.replace('http', 'ws');
		const socket = new WebSocket(address);
		socket.binaryType = 'arraybuffer';
		this.#socket = socket;
		socket.onmessage = e => {
			if (socket !== this.#socket) return;
			if (typeof e.data === 'string') this.#open(context, JSON.parse(e.data));
			else this.#node?.port.postMessage(e.data, [e.data]);
		};
		socket.onclose = () => {
			if (socket === this.#socket) this.#later();
		};
	}

	#open(context, format) {
		this.#wait = FIRST;
		const node = new AudioWorkletNode(context, 'ear', { numberOfInputs: 0, outputChannelCount: [2], processorOptions: { rate: format.rate } });
		node.port.onmessage = e => {
			if (node !== this.#node) return;
			this.#heard = e.data;
			const { drops, left, plays } = e.data, lost = drops + left;
			this.#tell(!plays ? 'waits for sound' : lost ? `${lost} drop-out${lost > 1 ? 's' : ''}` : 'no drop-outs');
		};
		this.analyser = context.createAnalyser();
		node.connect(this.analyser).connect(context.destination);
		this.#node = node;
	}

	#later() {
		this.#end();
		if (!this.#on) return;
		this.#tell('the sound is lost, reconnecting');
		this.#again = setTimeout(() => this.#begin(), this.#wait);
		this.#wait = Math.min(this.#wait * 1.7, LONGEST);
	}

	#end() {
		clearTimeout(this.#again);
		const plain = byId('plain');
		plain.pause();
		if (plain.src) {
			plain.removeAttribute('src');
			plain.load();
		}
		const socket = this.#socket;
		this.#socket = this.#node = this.analyser = null;
		this.#heard = {};
		socket?.close();
		this.#context?.close();
		this.#context = null;
	}

	#tell(text) { write(byId('ear'), text); }
}
