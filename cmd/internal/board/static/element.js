// Elements of the page.

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

// write changes an element's text, where it is another: what does not change costs no layout.
export function write(element, text) {
	if (element.textContent !== text) element.textContent = text;
}

// mark changes an attribute, where it is another.
export function mark(element, name, value) {
	if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
}

// rove lets the arrow keys move within the buttons of a toolbar, which is one stop of the Tab key. It
// returns what has to be called when the buttons are others.
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

// aim returns the button that a key leads to: the next one in a line, or the nearest in a column.
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
