// A button that acts only when it is held for a second: by pointer, by Space or Enter, or by a key of
// the whole page.

const LONG = 1000; // ms
const TWICE = 4000; // ms

// hold makes a button one. done is called after a second, tapped when it was let go before, and sure
// when a program for the blind, which cannot hold, asks: a second time does it.
export function hold(button, { done, tapped, sure }) {
	let timer = 0, asked = -TWICE;
	const press = () => {
		if (timer) return;
		button.classList.add('holding');
		timer = setTimeout(() => {
			stop();
			done();
		}, LONG);
	};
	const stop = () => {
		clearTimeout(timer);
		timer = 0;
		button.classList.remove('holding');
	};
	const release = () => {
		if (!timer) return;
		stop();
		tapped();
	};
	button.addEventListener('pointerdown', e => {
		if (e.button !== 0) return;
		button.setPointerCapture(e.pointerId);
		press();
	});
	button.addEventListener('pointerup', release);
	button.addEventListener('pointercancel', stop);
	button.addEventListener('contextmenu', e => e.preventDefault());
	button.addEventListener('blur', stop);
	button.addEventListener('keydown', e => {
		if (e.key !== ' ' && e.key !== 'Enter') return;
		e.preventDefault(); // it would click
		if (!e.repeat) press();
	});
	button.addEventListener('keyup', e => {
		if (e.key !== ' ' && e.key !== 'Enter') return;
		e.preventDefault();
		release();
	});
	button.addEventListener('click', e => {
		if (e.detail > 0) return; // by a pointer
		const again = performance.now() - asked < TWICE;
		asked = again ? -TWICE : performance.now();
		if (again) done();
		else sure();
	});
	return { press, release, stop };
}
