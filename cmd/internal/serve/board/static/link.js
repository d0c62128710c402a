// The connection to a room: a WebSocket that reconnects.
//
// An order that cannot be sent at once fails. A GO that waited for a connection could start a cue at the
// wrong moment.

const FIRST = 200, LONGEST = 5000; // ms between attempts
const QUIET = 4000;                // ms without a message, after which the server is checked
const ANSWER = 3000;               // time limit of its answer in ms
const SLEEP = 10000;               // ms after which a hidden page disconnects

export class Link {
	#on; #room = ''; #socket = null; #wait = FIRST; #again = 0; #sleep = 0; #beat = 0;
	#turn = 0; #ref = 0; #open = new Map(); #heard = 0; #asked = 0;

	// on has session(role), rooms(rooms, room), state, levels, event, and is(how, why): open, lost, asleep, ended.
	constructor(on, room) {
		this.#on = on;
		this.#room = room;
		addEventListener('offline', () => this.#lose('This device is offline.'));
		addEventListener('online', () => this.#retry());
		document.addEventListener('visibilitychange', () => this.#seen());
		this.#connect();
	}

	get room() { return this.#room; }

	// path returns the address of a resource of the room.
	path(of) { return new URL(`v1/rooms/${encodeURIComponent(this.#room)}/${of}`, document.baseURI); }

	// change switches to another room.
	change(room) {
		this.#room = room;
		this.#hang();
		this.#retry();
	}

	// order sends an order, and resolves to its status and body. It never rejects.
	order(message) {
		if (this.#socket?.readyState !== WebSocket.OPEN) {
			return Promise.resolve({ status: 0, body: { detail: 'No connection. The command was not sent.' } });
		}
		const ref = ++this.#ref;
		return new Promise(resolve => {
			this.#open.set(ref, resolve);
			this.#socket.send(JSON.stringify({ ref, ...message }));
		});
	}

	async #connect() {
		const turn = ++this.#turn;
		clearTimeout(this.#again);
		let rooms;
		try {
			// A starting server answers 503 to all calls except this one, and browsers log each 503.
			const health = await (await fetch('healthz', { cache: 'no-store', signal: AbortSignal.timeout(5000) })).json();
			if (turn !== this.#turn) return;
			if (health.status === 'opening') {
				this.#lose('The server is opening its rooms.');
				return;
			}
			const answer = await fetch('v1/rooms', { cache: 'no-store', signal: AbortSignal.timeout(5000) });
			if (turn !== this.#turn) return;
			if (answer.status === 401) {
				location.assign('login?next=' + encodeURIComponent(location.pathname + location.search));
				return;
			}
			if (!answer.ok) throw new Error();
			this.#on.session(answer.headers.get('Voicepool-Session') ?? '');
			rooms = (await answer.json()).rooms ?? [];
		} catch {
			if (turn === this.#turn) this.#lose('The server does not answer.');
			return;
		}
		if (turn !== this.#turn) return;
		this.#room ||= (rooms.find(r => r.room === 'main') ?? rooms[0])?.room ?? '';
		this.#on.rooms(rooms, this.#room);
		if (!rooms.some(r => r.room === this.#room)) {
			this.#on.is('ended', this.#room ? `There is no room ${this.#room}.` : 'The server has no rooms.');
			this.#later();
			return;
		}
		const address = this.path('ws');
		address.protocol = address.protocol.replace('http', 'ws');
		const socket = new WebSocket(address);
		this.#socket = socket;
		socket.onmessage = e => this.#take(socket, e);
		socket.onclose = () => {
			if (socket === this.#socket) this.#lose('The connection is lost.');
		};
		this.#heard = performance.now();
		this.#asked = 0;
		clearInterval(this.#beat);
		this.#beat = setInterval(() => this.#check(), 1000);
	}

	#take(socket, e) {
		if (socket !== this.#socket) return;
		this.#heard = performance.now();
		this.#asked = 0;
		const m = JSON.parse(e.data);
		switch (m.type) {
		case 'reply':
			if (m.body?.list) this.#state(m.body);
			this.#open.get(m.ref)?.({ status: m.status, body: m.body ?? {} });
			this.#open.delete(m.ref);
			break;
		case 'state': this.#state(m.state); break;
		case 'levels': this.#on.levels(m); break;
		case 'event': this.#on.event(m.event, m.number); break;
		case 'end':
			this.#hang();
			this.#on.is('ended', `The room ${this.#room} has ended.`);
			this.#later();
		}
	}

	#state(state) {
		this.#wait = FIRST;
		this.#on.is('open');
		this.#on.state(state);
	}

	// check requests the state if the server has been silent, because an unplugged cable does not close a
	// connection.
	#check() {
		const now = performance.now();
		if (this.#asked && now - this.#asked > ANSWER) this.#lose('The server does not answer.');
		else if (!this.#asked && now - this.#heard > QUIET) {
			this.#asked = now;
			this.order({ do: 'state' });
		}
	}

	#hang() {
		const socket = this.#socket;
		this.#socket = null;
		this.#turn++;
		clearInterval(this.#beat);
		socket?.close();
		for (const resolve of this.#open.values()) {
			resolve({ status: 0, body: { detail: 'The connection was lost before the answer came.' } });
		}
		this.#open.clear();
	}

	#lose(why) {
		this.#hang();
		this.#on.is('lost', why);
		this.#later();
	}

	#later() {
		clearTimeout(this.#again);
		if (document.hidden) return; // #seen connects later
		this.#again = setTimeout(() => this.#connect(), this.#wait * (0.8 + 0.4 * Math.random()));
		this.#wait = Math.min(this.#wait * 1.7, LONGEST);
	}

	#retry() {
		this.#wait = FIRST;
		if (!this.#socket) this.#connect();
	}

	#seen() {
		clearTimeout(this.#sleep);
		if (!document.hidden) {
			this.#retry();
			return;
		}
		this.#sleep = setTimeout(() => {
			this.#hang();
			clearTimeout(this.#again);
			this.#on.is('asleep');
		}, SLEEP);
	}
}
