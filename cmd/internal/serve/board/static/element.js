// Helpers for elements of the page.

export const byId = id => document.getElementById(id);

// make returns a new element with properties, attributes (those with a dash, and role) and children.
export function make(name, properties = {}, ...children) {
	const e = document.createElement(name);
	for (const [key, value] of Object.entries(properties)) {
		if (key.includes('-') || key === 'role') e.setAttribute(key, value);
		else e[key] = value;
	}
	e.append(...children);
	return e;
}

// write changes an element's text if it is different. An unchanged text costs no layout.
export function write(element, text) {
	if (element.textContent !== text) element.textContent = text;
}

// mark changes an attribute if it is different.
export function mark(element, name, value) {
	if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

// rove adds arrow keys to the buttons of a toolbar, which is one stop of the Tab key. It returns a
// function to call when the buttons have changed.
export function rove(toolbar) {
	const buttons = () => [...toolbar.querySelectorAll('button:not([hidden])')];
	const settle = chosen => {
		for (const b of buttons()) b.tabIndex = b === chosen ? 0 : -1;
	};
	toolbar.addEventListener('focusin', e => settle(e.target.closest('button')));
	toolbar.addEventListener('keydown', e => {
		const all = buttons(), at = all.indexOf(document.activeElement);
		if (at < 0 || e.ctrlKey || e.altKey || e.metaKey) return;
		const to = aim(all, at, e.key);
		if (to === undefined) return;
		e.preventDefault();
		e.stopPropagation();
		all[to].focus();
	});
	return () => {
		const stops = buttons().filter(b => b.tabIndex === 0);
		if (stops.length !== 1) settle(stops[0] ?? buttons()[0]);
	};
}

// aim returns the button for a key: the next one in the line, or the nearest one above or below.
function aim(all, at, key) {
	const box = all[at].getBoundingClientRect();
	const nearest = side => {
		let best, least = Infinity;
		all.forEach((b, i) => {
			const r = b.getBoundingClientRect(), gap = side * (r.top - box.top);
			const cost = gap + 4 * Math.abs(r.left - box.left);
			if (gap > 4 && cost < least) [best, least] = [i, cost];
		});
		return best;
	};
	switch (key) {
	case 'ArrowRight': return Math.min(at + 1, all.length - 1);
	case 'ArrowLeft': return Math.max(at - 1, 0);
	case 'ArrowDown': return nearest(1) ?? at;
	case 'ArrowUp': return nearest(-1) ?? at;
	case 'Home': return 0;
	case 'End': return all.length - 1;
	}
}
