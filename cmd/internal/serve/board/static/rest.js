// The hidden part of a list: a button beside its title shows how many entries do not fit, and scrolls there.

import { write } from './element.js';

// showRest updates a button that scrolls a box to its other end. It is hidden while all children fit.
export function showRest(box, button) {
	let asked = false, forward = true;
	const look = () => {
		asked = false;
		const wide = box.scrollWidth - box.clientWidth, high = box.scrollHeight - box.clientHeight;
		const scrolls = ['auto', 'scroll'].includes(getComputedStyle(box)[wide > 1 ? 'overflowX' : 'overflowY']) && (wide > 1 || high > 1);
		button.hidden = !scrolls;
		if (!scrolls) return;
		const frame = box.getBoundingClientRect(), sideways = wide > 1;
		const [start, end] = sideways ? ['left', 'right'] : ['top', 'bottom'];
		let before = 0, after = 0;
		for (const child of box.children) {
			const r = child.getBoundingClientRect();
			if (r[end] > frame[end] + 2) after++;
			else if (r[start] < frame[start] - 2) before++;
		}
		forward = after > 0;
		write(button, `${forward ? after : before} more ${sideways ? forward ? '→' : '←' : forward ? '↓' : '↑'}`);
	};
	const ask = () => {
		if (!asked) requestAnimationFrame(look);
		asked = true;
	};
	button.addEventListener('click', () => {
		box.scrollTo(forward ? { left: box.scrollWidth, top: box.scrollHeight } : { left: 0, top: 0 });
	});
	box.addEventListener('scroll', ask, { passive: true });
	new ResizeObserver(ask).observe(box);
	new MutationObserver(ask).observe(box, { childList: true });
	ask();
}
