// The board: it shows a room and sends orders to it.

import { Buses } from './buses.js';
import { Colours } from './colours.js';
import { byId, make, mark, write } from './element.js';
import { Explain } from './explain.js';
import { Link } from './link.js';
import { List } from './list.js';
import { Listen } from './listen.js';
import { Pads } from './pads.js';
import { clock, height } from './scale.js';
import { showRest } from './rest.js';
import { Slots } from './slots.js';
import { Timeline } from './timeline.js';

const FRAME = 1000 / 30 - 4; // minimum ms between two pictures
const SAID = 7000;           // display time of a sentence in ms

let status = 0, told = null, is = '', drawn = 0, wanted = false;

function say(text) {
	clearTimeout(status);
	byId('status').textContent = text;
	status = setTimeout(() => { byId('status').textContent = ''; }, SAID);
}

// order sends an order and shows a failure, except for the status codes in fine.
async function order(message, fine = []) {
	const { status, body } = await link.order(message);
	if ((status < 200 || status > 299) && !fine.includes(status)) say(body.detail ?? body.title ?? `It failed (${status}).`);
	return status;
}

const path = of => link.path(of);
const stop = voice => order({ do: 'stop', voice: String(voice), with: { over: 0.3 } }, [404]);

const colours = new Colours(), explain = new Explain(path, stop);
const list = new List(order, say), buses = new Buses(order), pads = new Pads(order, colours);
const slots = new Slots(colours, v => explain.show(v)), timeline = new Timeline(path, colours), listen = new Listen(path, say);
for (const list of ['cues', 'slots', 'sounds', 'strips']) showRest(byId(list), byId(`${list}-rest`));
const drawers = [list, slots, buses, pads, timeline];

const link = new Link({
	session(role) { byId('session').hidden = !role; },
	rooms(rooms, room) {
		byId('room-choice').hidden = rooms.length < 2;
		byId('room-name').hidden = rooms.length > 1;
		write(byId('room-name'), room || 'no room');
		const names = rooms.map(r => r.room);
		if (room && !names.includes(room)) names.unshift(room);
		if (names.join('\n') !== [...byId('rooms').options].map(o => o.value).join('\n')) {
			byId('rooms').replaceChildren(...names.map(value => make('option', { value, textContent: value })));
		}
		byId('rooms').value = room;
		document.title = room ? `${room} – voicepool` : 'voicepool';
		byId('whole').href = path('timeline.html');
	},
	state(s) {
		for (const part of [colours, list, slots, buses, pads, timeline, explain, listen]) part.state(s);
		document.body.classList.remove('waiting');
		write(byId('pool'), s.pool);
		write(byId('device'), s.device && s.device !== 'none' ? s.sink || s.device : 'the network');
		alarm(is, s.lost ? `Nothing is heard: ${s.lost}` : '');
		tell({ ...s, stolen: s.totals?.stolen ?? 0 });
	},
	levels(l) {
		for (const part of [list, slots, buses, pads, timeline, explain]) part.levels(l);
		tell(l);
	},
	event(e, number) {
		slots.event(e);
		timeline.event(e, number);
		if (e.kind === 'rejected') say(`${e.text ?? `${e.sound} was refused`}`);
		want();
	},
	is(how, why = '') {
		if (how === 'open' && is === how) return;
		is = how;
		if (how === 'open') timeline.begin();
		mark(byId('link'), 'data-link', how);
		write(byId('link-text'), { open: 'live', lost: 'lost', ended: 'ended', asleep: 'asleep' }[how]);
		alarm(how, why ? `${why} Trying to come back …` : '');
		if (how !== 'open') {
			byId('status').textContent = '';
			buses.clear();
			want();
		}
	},
}, new URLSearchParams(location.search).get('room') ?? '');

// alarm shows an error, once for each.
function alarm(how, text) {
	document.body.dataset.link = how;
	write(byId('banner'), text);
}

function tell(l) {
	told = l;
	want();
}

// want requests a picture. A page without changes draws no pictures.
function want() {
	if (wanted) return;
	wanted = true;
	requestAnimationFrame(draw);
}

function draw(now) {
	if (now - drawn < FRAME) {
		requestAnimationFrame(draw);
		return;
	}
	drawn = now;
	wanted = false;
	if (told) {
		write(byId('clock'), clock(told.time));
		write(byId('playing'), told.playing);
		write(byId('stolen'), told.stolen);
		for (const side of ['left', 'right']) byId(side).style.transform = `translateX(${(100 * height(is === 'open' ? told[side] ?? -120 : -120)).toFixed(1)}%)`;
	}
	let moves = false;
	for (const part of drawers) moves = part.draw(now) || moves;
	if (moves) want();
}

byId('rooms').addEventListener('change', e => {
	const room = e.target.value, address = new URL(location);
	address.searchParams.set('room', room);
	history.replaceState(null, '', address);
	slots.clear();
	timeline.clear();
	link.change(room);
	listen.change();
});

// A click must not focus a button, because the next Space is GO and would otherwise press the button again.
addEventListener('click', e => {
	if (e.detail > 0) e.target.closest?.('button')?.blur();
});

const busy = e => e.target.closest?.('input, select, textarea, button, a, [role="slider"], dialog') || byId('explain').open;

addEventListener('keydown', e => {
	if (e.ctrlKey || e.altKey || e.metaKey) return;
	if (e.key === 'Escape' && !byId('explain').open && !e.target.closest?.('input, select')) {
		e.preventDefault();
		if (!e.repeat) list.panic.press();
		return;
	}
	const digit = /^(?:Digit|Numpad)([1-9])$/.exec(e.code);
	if (digit && !byId('explain').open && !e.target.closest?.('input, select, [role="slider"]')) {
		e.preventDefault();
		if (!e.repeat) pads.fire(digit[1] - 1, e.shiftKey);
		return;
	}
	if (busy(e)) return;
	const act = { ' ': () => list.go(), 'ArrowDown': () => list.step(1), 'ArrowUp': () => list.step(-1), 'p': () => byId('pause').click(), '/': () => byId('search').focus() }[e.key];
	if (!act) return;
	if (e.key.startsWith('Arrow') && byId('show').classList.contains('listless')) return; // arrow keys scroll
	e.preventDefault();
	if (!e.repeat || e.key.startsWith('Arrow')) act();
});
addEventListener('keyup', e => {
	if (e.key === 'Escape') list.panic.release();
});
addEventListener('blur', () => list.panic.stop());

// board gives tests and curious users access to the page.
window.board = { link, listen, say };
