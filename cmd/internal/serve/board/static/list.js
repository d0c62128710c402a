// The show: GO, the cue on standby, running cues, the list of cues, pause and panic.

import { byId, make, mark, rove, write } from './element.js';
import { hold } from './hold.js';
import { clock } from './scale.js';

export class List {
	#order; #say; #list = ''; #standby = ''; #rows = new Map(); #running = []; #shown = new Map(); #at = 0; #paused = false; #settle;
	#names = new Map(); #panic;

	// order sends an order and reports a failure. say shows a sentence.
	constructor(order, say) {
		this.#order = order;
		this.#say = say;
		this.#settle = rove(byId('cues'));
		byId('go').addEventListener('click', () => this.go());
		byId('back').addEventListener('click', () => this.step(-1));
		byId('next').addEventListener('click', () => this.step(1));
		byId('pause').addEventListener('click', () => this.#order({ do: 'pause', with: { on: !this.#paused } }));
		this.#panic = hold(byId('panic'), {
			done: () => {
				this.#order({ do: 'panic' });
				this.#say('Panic: everything stops.');
			},
			tapped: () => this.#say('Hold Panic for one second to stop everything.'),
			sure: () => this.#say('Panic stops everything. Activate it again to confirm.'),
		});
	}

	go() {
		if (!byId('show').classList.contains('listless')) this.#order({ do: 'go' });
	}

	step(by) { this.#order({ do: 'standby', with: { step: by } }); }

	// panic returns the panic button, for a key of the whole page.
	get panic() { return this.#panic; }

	state(s) {
		const list = JSON.stringify(s.list);
		if (list !== this.#list) {
			this.#list = list;
			byId('show').classList.toggle('listless', s.list.length === 0);
			write(byId('show-title'), s.list.length ? s.title || 'Show' : 'Transport');
			this.#names = new Map(s.list.map(c => [c.cue, c.name]));
			this.#rows = new Map(s.list.map(c => [c.cue, this.#row(c)]));
			byId('cues').replaceChildren(...this.#rows.values());
			this.#standby = null;
		}
		this.levels(s);
		this.#settle();
	}

	levels(l) {
		this.#running = l.running;
		this.#at = performance.now();
		if (l.paused !== this.#paused) {
			this.#paused = l.paused;
			mark(byId('pause'), 'aria-pressed', l.paused);
			write(byId('pause'), l.paused ? 'Resume' : 'Pause');
			document.body.classList.toggle('paused', l.paused);
		}
		if (l.standby !== this.#standby) this.#stand(l.standby);
	}

	// draw shows the times of running cues, and reports whether they change.
	draw(now) {
		const running = new Map(this.#running.map(r => [r.cue + '\n' + r.name, r]));
		for (const [key, e] of this.#shown) {
			if (running.has(key)) continue;
			e.element.remove();
			this.#shown.delete(key);
		}
		const since = this.#paused ? 0 : Math.min((now - this.#at) / 1000, 1);
		for (const [key, r] of running) {
			let e = this.#shown.get(key);
			if (!e) {
				e = { bar: make('i'), time: make('span', { className: 'time' }) };
				e.element = make('li', {}, e.bar, make('span', { className: 'number', textContent: r.cue }), make('b', { textContent: r.name }), e.time);
				this.#shown.set(key, e);
				byId('running').append(e.element);
			}
			const waits = r.state === 'waiting', past = r.elapsed + (waits ? 0 : since);
			const left = r.remaining === null || r.remaining === undefined ? null : Math.max(0, r.remaining - since);
			write(e.time, waits ? 'waits' : left === null ? clock(past) : `−${clock(left + 0.9)}`);
			e.bar.style.transform = `scaleX(${left === null || waits ? 0 : (past / (past + left || 1)).toFixed(3)})`;
		}
		const sounding = new Set(this.#running.map(r => r.cue));
		for (const [cue, row] of this.#rows) {
			const is = sounding.has(cue);
			if (row.classList.contains('runs') !== is) row.classList.toggle('runs', is);
		}
		return this.#running.length > 0;
	}

	#row(c) {
		const then = { continue: '→', follow: '↘' }[c.then] ?? '';
		const row = make('button', { type: 'button', className: 'cue' },
			make('span', { className: 'number', textContent: c.cue }), make('b', { textContent: c.name }),
			make('span', { className: 'then', textContent: then, 'aria-hidden': 'true' }));
		if (c.note) row.append(make('small', { textContent: c.note }));
		if (c.colour) {
			row.append(make('span', { className: 'chip', 'aria-hidden': 'true' }));
			row.lastChild.style.backgroundColor = c.colour; // from the sheet; an invalid color has no effect
		}
		if (!c.armed) {
			row.classList.add('disarmed');
			row.append(make('small', { textContent: 'not armed' }));
		}
		row.addEventListener('click', () => this.#order({ do: 'standby', with: { cue: c.cue } }));
		return row;
	}

	#stand(cue) {
		this.#standby = cue;
		for (const [name, row] of this.#rows) {
			if (name === cue) {
				mark(row, 'aria-current', 'true');
				const box = byId('cues'), top = row.offsetTop - box.offsetTop; // scroll only this box
				if (top < box.scrollTop || top + row.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top - box.clientHeight / 3;
			} else row.removeAttribute('aria-current');
		}
		write(byId('go-next'), cue ? `${cue} ${this.#names.get(cue) ?? ''}` : 'the list is over');
	}
}
