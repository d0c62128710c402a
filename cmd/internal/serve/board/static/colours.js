// The colors of sounds: the same on pads, in slots and in the timeline, in every window.

export const COLOURS = 8; // --sound-0 to --sound-7 in board.css

export class Colours {
	#of = new Map();

	state(s) { this.#of = new Map(s.sounds.map((x, i) => [x.sound, i % COLOURS])); }

	// of returns the number of a sound's color. A sound unknown to the room has one, too.
	of(sound) {
		const known = this.#of.get(sound);
		if (known !== undefined) return known;
		let sum = 0;
		for (const c of sound) sum = (sum * 31 + c.codePointAt(0)) >>> 0;
		return sum % COLOURS;
	}
}
