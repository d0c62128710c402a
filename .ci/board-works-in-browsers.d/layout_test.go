package board

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// sizes are the tested viewport sizes, from a small tablet to a large screen.
var sizes = [][2]int{{1024, 768}, {1080, 640}, {1280, 720}, {1280, 800}, {1280, 900}, {1366, 768}, {1440, 900}, {1600, 900}, {1920, 1080}}

// misplaced returns the parts of the page that overlap, are cut off, or cannot be reached. It scrolls each list
// to its end by the button that shows how much is hidden.
const misplaced = `
const out = [], round = n => Math.round(10 * n) / 10;
const named = e => e.id || e.className || e.localName, at = e => e.getBoundingClientRect();
const seen = e => e.checkVisibility() && at(e).width > 1 && at(e).height > 1;
const scrolls = e => ['auto', 'scroll', 'hidden'].some(o => getComputedStyle(e).overflowX === o || getComputedStyle(e).overflowY === o);
const overlap = (a, b) => {
	const p = at(a), q = at(b);
	return Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1;
};
if (document.documentElement.scrollWidth > innerWidth) out.push('the page is wider than the window');
const apart = list => list.filter(seen).forEach((a, i, all) => all.slice(i + 1).forEach(b => { if (overlap(a, b)) out.push(named(a) + ' overlaps ' + named(b)); }));
apart([document.querySelector('header.top'), ...document.querySelectorAll('main > section')]);
for (const parent of [document.querySelector('header.top'), ...document.querySelectorAll('main > section, .bar, .transport, .strip, .out')]) {
	apart([...parent.children]);
	for (const e of parent.children) {
		if (!seen(e)) continue;
		const r = at(e), p = at(parent);
		if (r.left < p.left - 1 || r.right > p.right + 1 || r.top < p.top - 1 || r.bottom > p.bottom + 1) {
			out.push(named(e) + ' sticks out of ' + named(parent) + ' by ' + round(Math.max(p.left - r.left, r.right - p.right, p.top - r.top, r.bottom - p.bottom)));
		}
	}
}
for (const [box, least] of [['#timeline', 40], ['.slots', 100], ['#sounds', 40], ['.cues', 60]]) {
	if (at(document.querySelector(box)).height < least) out.push(box + ' is only ' + round(at(document.querySelector(box)).height) + ' high');
}
for (const [item, least] of [['.pad', 44], ['.slot', 20], ['.cue', 32]]) {
	const all = [...document.querySelectorAll(item)].filter(seen);
	const low = all.filter(e => at(e).height < least - 0.5);
	if (low.length > 0) out.push(low.length + ' of ' + item + ' are lower than ' + least + ', the first ' + round(at(low[0]).height));
	apart(all);
}
const frames = n => new Promise(r => { const step = () => n-- > 0 ? requestAnimationFrame(step) : r(); step(); });
for (const id of ['cues', 'slots', 'sounds', 'strips']) {
	const box = document.getElementById(id), rest = document.getElementById(id + '-rest');
	box.scrollTo(0, 0);
	await frames(3);
	const hidden = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
	if (hidden !== seen(rest)) out.push(id + (hidden ? ' has more than it shows, and no hint' : ' has a hint, and shows all'));
	if (hidden && !/^[1-9][0-9]* more [→↓]$/.test(rest.textContent)) out.push(id + ' says ' + rest.textContent);
	if (hidden) rest.click();
	await frames(3);
	if (hidden && !/^[1-9][0-9]* more [←↑]$/.test(rest.textContent)) out.push(id + ' says at its end ' + rest.textContent);
	const last = box.lastElementChild;
	last.scrollIntoView({ block: 'nearest' }); // of the page, where that scrolls
	await frames(1);
	const r = at(last), hit = document.elementFromPoint(Math.min(r.right, at(box).right) - 6, r.top + r.height / 2);
	if (!last.contains(hit)) out.push('the end of the last of ' + id + ' is not reached, but ' + (hit ? named(hit) : 'nothing'));
	if (hidden) rest.click();
	scrollTo(0, 0);
	await frames(3);
}
return out;`

// TestLayout checks in all usual sizes that with 24 voices no element overlaps another or is cut off without a
// hint. -shots FOLDER keeps the screenshots.
func TestLayout(t *testing.T) {
	program := build(t)
	inBrowsers(t, func(t *testing.T, tab tab) {
		s := guardedServer(t, program, "127.0.0.1:0", t.TempDir(), "operator "+operator+"\n", "testdata/large.yaml", "--device", "none")
		tab.size(1280, 800)
		tab.visit(s.address)
		until(t, tab, onLogin)
		logIn(tab, operator)
		until(t, tab, onBoard)
		var refused []string
		run(t, tab, &refused, `const out = [];
			for (let i = 1; i <= 26; i++) {
				const answer = await board.link.order({do: 'play', with: {sound: 'pad' + String(i).padStart(2, '0')}});
				if (answer.status !== 201) out.push(JSON.stringify(answer));
			}
			return out;`)
		if len(refused) > 0 {
			t.Fatalf("not played: %q", refused)
		}
		until(t, tab, `document.querySelectorAll('.slot').length === 24 && document.querySelectorAll('.strip').length === 7 && document.querySelectorAll('.cue').length === 30`)
		until(t, tab, `document.getElementById('playing').textContent === '26'`)
		for _, size := range sizes {
			tab.size(size[0], size[1])
			var faults []string
			run(t, tab, &faults, misplaced)
			for _, fault := range faults {
				t.Errorf("%s, %d x %d: %s", tab.name(), size[0], size[1], fault)
			}
			picture := tab.picture()
			if len(picture) < 10_000 {
				t.Errorf("%s, %d x %d: the picture has only %d bytes", tab.name(), size[0], size[1], len(picture))
			}
			if *shots != "" {
				name := fmt.Sprintf("%s-%dx%d.png", tab.name(), size[0], size[1])
				if err := os.WriteFile(filepath.Join(*shots, name), picture, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
