// A button that acts only after it is held for a second: with the pointer, with Space or Enter, or with a
// key of the whole page.

const LONG = 1000; // ms
const TWICE = 4000; // ms

// hold adds this behavior to a button. done is called after a second, and tapped after a shorter press. A
// screen reader cannot hold: its first activation calls sure, and a second one calls done.
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
		e.preventDefault(); // prevents a click
		if (!e.repeat) press();
	});
	button.addEventListener('keyup', e => {
		if (e.key !== ' ' && e.key !== 'Enter') return;
		e.preventDefault();
		release();
	});
	button.addEventListener('click', e => {
		if (e.detail > 0) return; // from a pointer
		const again = performance.now() - asked < TWICE;
		asked = again ? -TWICE : performance.now();
		if (again) done();
		else sure();
	});
	return { press, release, stop };
}
