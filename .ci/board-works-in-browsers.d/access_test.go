package board

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// faults returns the accessibility faults of the page: controls without a name, duplicate ids, references to
// missing ids, skipped heading levels, and text with less contrast than WCAG AA requires.
const faults = `
const out = [], all = [...document.querySelectorAll('body *')];
const shown = e => e.checkVisibility({ opacityProperty: false, visibilityProperty: true }) && e.getBoundingClientRect().width > 1;
const named = e => (e.getAttribute('aria-label') || document.getElementById(e.getAttribute('aria-labelledby'))?.textContent
	|| [...(e.labels ?? [])].map(l => l.textContent).join('') || (e.matches('button, a') ? e.textContent : '') || e.title || '').trim();
for (const e of document.querySelectorAll('button, a, input, select, canvas, dialog, section, [role="slider"], [role="meter"], [role="toolbar"], [role="group"]')) {
	if (!e.hidden && !named(e)) out.push('no name: ' + e.outerHTML.slice(0, 120));
}
for (const e of document.querySelectorAll('[aria-labelledby], [aria-describedby]')) {
	for (const id of (e.getAttribute('aria-labelledby') + ' ' + e.getAttribute('aria-describedby')).split(' ')) {
		if (id && id !== 'null' && !document.getElementById(id)) out.push('points nowhere: ' + id);
	}
}
const ids = all.map(e => e.id).filter(Boolean);
ids.filter((id, i) => ids.indexOf(id) < i).forEach(id => out.push('stands twice: ' + id));
for (const e of document.querySelectorAll('[role="slider"], [role="meter"]')) {
	for (const a of ['aria-valuenow', 'aria-valuemin', 'aria-valuemax', 'aria-valuetext']) if (!e.hasAttribute(a)) out.push(e.className + ' has no ' + a);
}
if (document.querySelectorAll('main').length !== 1 || document.querySelectorAll('h1').length !== 1) out.push('not one main and one h1');
for (const bar of document.querySelectorAll('[role="toolbar"]')) {
	const n = [...bar.querySelectorAll('button')].filter(b => b.tabIndex === 0).length;
	if (bar.querySelector('button') && shown(bar) && n !== 1) out.push(bar.id + ' has ' + n + ' stops of the Tab key');
}

const paint = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
const rgba = css => {
	paint.clearRect(0, 0, 1, 1);
	paint.fillStyle = css;
	paint.fillRect(0, 0, 1, 1);
	const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
	return [r, g, b, a / 255];
};
const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
const light = c => { const [r, g, b] = c.map(x => (x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const below = e => {
	const chain = [];
	for (let at = e; at; at = at.parentElement) chain.unshift(at);
	return chain.reduce((c, at) => over(rgba(getComputedStyle(at).backgroundColor), c), [255, 255, 255, 1]);
};
let least = Infinity, texts = 0;
for (const e of all) {
	if (!shown(e) || e.closest('dialog:not([open]), .unseen, .skip, noscript') || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
	const style = getComputedStyle(e), grounds = [below(e)];
	const fill = e.closest('.slot:not(.empty)')?.querySelector('i') ?? e.closest('.running li')?.querySelector('i');
	if (fill) grounds.push(over(rgba(getComputedStyle(fill).backgroundColor), below(fill.parentElement)));
	const need = parseFloat(style.fontSize) >= 24 || parseFloat(style.fontSize) >= 18.6 && style.fontWeight >= 700 ? 3 : 4.5;
	for (const ground of grounds) {
		const ink = over(rgba(style.color).map((x, i) => i === 3 ? x * style.opacity : x), ground);
		const [a, b] = [light(ink), light(ground)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
		texts++;
		least = Math.min(least, ratio);
		if (ratio < need) out.push('contrast ' + ratio.toFixed(2) + ' of ' + JSON.stringify(e.textContent.trim().slice(0, 30)) + ' in ' + (e.className || e.id || e.localName));
	}
}
if (texts < 60) out.push('only ' + texts + ' texts were looked at');
return [...new Set(out)];`

// TestAccess checks the page with a full pool, in dark and light, wide and narrow.
func TestAccess(t *testing.T) {
	p := open(t, browser(t), serve(t, build(t), "127.0.0.1:0", show...).address, desk)
	p.click("#go")
	eval[bool](p, storm)
	p.click(`[data-bus="steps"] .mute`)
	p.click(`[data-bus="music"] .solo`)
	p.until(`document.querySelector('.strip.off') && document.querySelector('#running li')`)
	for _, l := range []window{desk, {1280, 800, "light", false}, {390, 844, "dark", false}, {390, 844, "light", true}} {
		p.see(l)
		eval[bool](p, `await new Promise(r => setTimeout(r, 1800)); return true;`) // wait until flashes have ended and values are announced
		for _, fault := range eval[[]string](p, faults) {
			t.Errorf("%d %s: %s", l.width, l.scheme, fault)
		}
	}
}

// TestNews checks that steals are announced in few messages: one or two sentences for a burst.
func TestNews(t *testing.T) {
	p := open(t, browser(t), serve(t, build(t), "127.0.0.1:0", show...).address, desk)
	eval[bool](p, `window.news = 0; new MutationObserver(m => window.news += m.length).observe(document.getElementById('news'), {childList: true, characterData: true, subtree: true}); return true;`)
	eval[bool](p, storm)
	eval[bool](p, storm)
	p.until(`/took .*slot/.test(document.getElementById('news').textContent)`)
	if n := eval[int](p, `return window.news`); n > 4 {
		t.Errorf("%d changes of the live region in a storm of steals", n)
	}
}

// TestRooms chooses one of several rooms, by the menu and by the address.
func TestRooms(t *testing.T) {
	s := serve(t, build(t), "127.0.0.1:0", "--config", "testdata/rooms.yaml")
	p := open(t, browser(t), s.address, desk)
	p.until(`document.title === 'main – voicepool'`)
	eval[bool](p, `const e = document.getElementById('rooms'); e.value = 'bar'; e.dispatchEvent(new Event('change')); return true;`)
	p.until(`document.title === 'bar – voicepool' && document.getElementById('show').classList.contains('listless') && location.search === '?room=bar'`)
	p.until(`document.querySelectorAll('.slot').length === 4 && document.querySelectorAll('.pad').length === 2`)
	p.click(".pad")
	p.until(`document.querySelector('.slot b').textContent === 'bell'`)
	p.do(chromedp.Reload())
	p.until(`document.body?.dataset.link === 'open' && document.getElementById('rooms').value === 'bar'`)
}

// TestHidden checks that a hidden page disconnects and reconnects when it becomes visible. A visible page draws
// no frames while no sound plays.
func TestHidden(t *testing.T) {
	p := open(t, browser(t), serve(t, build(t), "127.0.0.1:0", show...).address, desk)
	const hide = `Object.defineProperty(document, 'hidden', {value: %s, configurable: true}); document.dispatchEvent(new Event('visibilitychange')); return true;`
	drawn := eval[int](p, `await new Promise(r => setTimeout(r, 3000));
		let n = 0; const real = window.requestAnimationFrame; window.requestAnimationFrame = f => { n++; return real(f); };
		await new Promise(r => setTimeout(r, 2000)); window.requestAnimationFrame = real; return n;`)
	if drawn > 30 {
		t.Errorf("a silent page asks for %d pictures in 2 s", drawn)
	}
	eval[bool](p, strings.Replace(hide, "%s", "true", 1))
	p.until(`document.body.dataset.link === 'asleep' && document.getElementById('banner').textContent === ''`)
	eval[bool](p, strings.Replace(hide, "%s", "false", 1))
	p.until(`document.body.dataset.link === 'open'`)
}
