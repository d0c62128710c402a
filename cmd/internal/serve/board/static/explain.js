// The dialog that explains why a voice plays, was stolen or was refused.

import { byId, make } from './element.js';

export class Explain {
	#path; #stop; #voice = null; #live = new Set(); #asked = 0;

	// path returns the address of a resource of the room, and stop ends a voice.
	constructor(path, stop) {
		this.#path = path;
		this.#stop = stop;
		byId('explain-close').addEventListener('click', () => byId('explain').close());
		byId('explain-stop').addEventListener('click', () => {
			this.#stop(this.#voice.voice);
			byId('explain').close();
		});
		byId('explain').addEventListener('click', e => {
			if (e.target === e.currentTarget) e.currentTarget.close(); // a click outside the dialog
		});
	}

	state(s) { this.levels(s); }

	levels(l) { this.#live = new Set(l.voices.map(v => v.voice)); }

	// show opens the dialog for a voice: {voice, sound}, with by and byName for the voice that took its slot.
	async show(v) {
		const asked = ++this.#asked;
		this.#voice = v;
		byId('explain-title').textContent = `${v.sound}, voice ${v.voice}`;
		byId('explain-text').replaceChildren(make('p', { textContent: 'Loading …' }));
		byId('explain-stop').hidden = !this.#live.has(v.voice);
		const other = v.by ? { voice: v.by, sound: v.byName } : v.took ? { voice: v.took, sound: v.took_name } : null;
		const more = byId('explain-other');
		more.hidden = !other;
		if (other) {
			more.textContent = `And ${other.sound}?`;
			more.onclick = () => this.show(other);
		}
		const dialog = byId('explain');
		if (!dialog.open) dialog.showModal();
		byId('explain-close').focus();
		const lines = await this.#ask(v.voice);
		if (asked === this.#asked) byId('explain-text').replaceChildren(...lines.map(textContent => make('p', { textContent })));
	}

	async #ask(voice) {
		try {
			const answer = await fetch(this.#path(`explain/${voice}`), { signal: AbortSignal.timeout(5000) });
			const body = await answer.json();
			if (answer.ok) return body.text;
			return [body.detail ?? 'This voice is no longer kept.'];
		} catch {
			return ['The server does not answer.'];
		}
	}
}
