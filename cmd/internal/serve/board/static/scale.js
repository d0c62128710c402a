// Decibel scales for faders, meters and text.

export const BOTTOM = -80; // less is silence
export const TOP = 12;

// LAW maps gains to fader positions from 0 to 1: fine around 0 dB, coarse below.
const LAW = [[BOTTOM, 0], [-60, 0.06], [-40, 0.17], [-20, 0.42], [-10, 0.6], [0, 0.8], [TOP, 1]];

const between = (x, from, to) => Math.min(Math.max(x, from), to);

function along(x, of, at) {
	for (let i = 1; i < LAW.length; i++) {
		const [a, b] = [LAW[i - 1], LAW[i]];
		if (x <= b[of] || i === LAW.length - 1) return a[at] + (x - a[of]) / (b[of] - a[of]) * (b[at] - a[at]);
	}
	return 0;
}

// place returns the fader position of a gain.
export const place = gain => along(between(gain, BOTTOM, TOP), 0, 1);

// gainAt returns the gain at a fader position, in tenths of a decibel.
export const gainAt = at => Math.round(along(between(at, 0, 1), 1, 0) * 10) / 10;

// height returns the height of a meter from 0 to 1: -60 dB to +6 dB.
export const height = level => between((level + 60) / 66, 0, 1);

// loudness returns the length of a voice's bar from 0 to 1: -60 dB to 0 dB.
export const loudness = level => between((level + 60) / 60, 0, 1);

// short returns a level as a short text: -18, +3, or empty for silence.
export const short = level => level <= BOTTOM ? '' : signed(Math.round(level), 0);

// decibels returns a gain as text: -6.0 dB.
export const decibels = gain => gain <= BOTTOM ? 'silent' : `${signed(gain, 1)} dB`;

function signed(x, digits) {
	const text = Math.abs(x).toFixed(digits);
	return Number(text) === 0 ? text : (x < 0 ? '−' : '+') + text;
}

// clock returns seconds as m:ss or h:mm:ss.
export function clock(seconds) {
	const s = Math.max(0, Math.floor(seconds)), two = x => String(x).padStart(2, '0');
	const rest = `${Math.floor(s / 60) % 60}:${two(s % 60)}`;
	return s < 3600 ? rest : `${Math.floor(s / 3600)}:${rest.padStart(5, '0')}`;
}
