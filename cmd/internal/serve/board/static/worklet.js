// Plays the room in the browser: a ring of frames, filled by messages and emptied by process. It starts
// when TARGET is filled, plays slightly faster or slower to keep it, and counts drop-outs.

const KEPT = 2;        // length of the ring in s
const TARGET = 0.3;    // target fill in s
const MOST = 0.9;      // maximum fill in s; older frames are skipped
const ASTRAY = 0.1;    // a larger deviation in s changes the speed
const SPEED = 0.004;   // relative change of the speed
const TOLD = 0.2;      // s between two messages

class Ear extends AudioWorkletProcessor {
	constructor({ processorOptions: { rate } }) {
		super();
		this.ratio = rate / sampleRate;
		this.rate = rate;
		this.size = rate * KEPT;
		this.ring = [new Float32Array(this.size), new Float32Array(this.size)];
		this.read = 0;      // frames played, with a fraction
		this.write = 0;     // frames received
		this.plays = false;
		this.gain = 0;
		this.drops = this.left = this.peak = this.said = 0;
		this.port.onmessage = e => this.take(new Int16Array(e.data));
	}

	take(data) {
		const [l, r] = this.ring, frames = data.length >> 1;
		for (let i = 0; i < frames; i++) {
			const at = (this.write + i) % this.size;
			l[at] = data[2 * i] / 32768;
			r[at] = data[2 * i + 1] / 32768;
		}
		this.write += frames;
		if (this.write - this.read > MOST * this.rate) {
			this.read = this.write - TARGET * this.rate;
			this.left++;
			this.gain = 0;
		}
	}

	process(_, [out]) {
		const frames = out[0].length;
		let waits = this.write - this.read;
		if (!this.plays && waits >= TARGET * this.rate) this.plays = true;
		if (this.plays) {
			const off = waits / this.rate - TARGET;
			const step = this.ratio * (Math.abs(off) < ASTRAY ? 1 : off > 0 ? 1 + SPEED : 1 - SPEED);
			const rise = 1 / (0.005 * sampleRate);
			const last = waits - 4 - 0.005 * this.rate < frames * step; // fades out before it runs dry
			for (let i = 0; i < frames; i++) {
				this.gain = last ? Math.max(this.gain - rise, 0) : Math.min(this.gain + rise, 1);
				for (let c = 0; c < out.length; c++) {
					const x = this.gain * this.at(this.ring[c & 1]);
					out[c][i] = x;
					this.peak = Math.max(this.peak, Math.abs(x));
				}
				if (this.read + step < this.write - 3) this.read += step;
			}
			if (last && this.gain === 0) {
				this.plays = false;
				this.drops++;
			}
		}
		if (currentTime - this.said >= TOLD) {
			this.said = currentTime;
			waits = this.write - this.read;
			this.port.postMessage({ peak: this.peak, drops: this.drops, left: this.left, plays: this.plays, waits: waits / this.rate });
			this.peak = 0;
		}
		return true;
	}

	// at returns the sample at the fractional position, by cubic interpolation of four frames.
	at(ring) {
		const whole = Math.floor(this.read), t = this.read - whole, n = this.size;
		const b = ring[whole % n];
		if (t === 0) return b;
		const a = ring[(whole + n - 1) % n], c = ring[(whole + 1) % n], d = ring[(whole + 2) % n];
		return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
	}
}

registerProcessor('ear', Ear);
