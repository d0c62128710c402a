package board

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"voicepool/internal/lateness"
)

// show is a sheet of nine cues.
var show = []string{"testdata/show.yaml", "--device", "none"}

// storm fills the pool until voices are stolen.
const storm = `for (let i = 0; i < 40; i++) await board.link.order({do: 'play', with: {sound: i % 2 ? 'bell' : 'gong'}}); return true;`

// TestGo starts the next cue by the GO button and by the space bar. A click leaves no focus behind.
func TestGo(t *testing.T) {
	p := open(t, browser(t), serve(t, build(t), "127.0.0.1:0", show...).address, desk)
	p.until(`document.querySelector('.cue[aria-current] .number').textContent === '1'`)
	p.click("#go")
	p.until(`document.querySelector('#running li b')?.textContent === 'House music'`)
	p.until(`document.querySelector('.cue[aria-current] .number').textContent === '2'`)
	p.until(`document.querySelector('.slot b').textContent === 'theme'`)
	p.until(`document.activeElement === document.body`)
	eval[bool](p, `await new Promise(r => setTimeout(r, 1500)); return true;`) // the minimum time between two GOs
	p.keys(" ")
	p.until(`[...document.querySelectorAll('.slot b')].some(b => b.textContent === 'rain')`)
	p.click("#next")
	p.until(`document.querySelector('.cue[aria-current] .number').textContent === '3'`)
	p.keys(kb.ArrowUp)
	p.until(`document.querySelector('.cue[aria-current] .number').textContent === '2.5'`)
	p.click(".cue:nth-child(5)")
	p.until(`document.getElementById('go-next').textContent === '4 The tower'`)
	p.click("#pause")
	p.until(`document.getElementById('pause').textContent === 'Resume'`)
	p.click("#pause")
	p.until(`document.getElementById('pause').textContent === 'Pause'`)
}

// TestRack checks that a compressor's gain reduction is displayed, and that an effect switch moves in all
// windows.
func TestRack(t *testing.T) {
	server := serve(t, build(t), "127.0.0.1:0", "testdata/rack.yaml", "--device", "none")
	b := browser(t)
	p, other := open(t, b, server.address, desk), open(t, b, server.address, desk)
	p.until(`document.querySelector('[data-bus=sfx] .reduction').textContent === '0 dB'`)
	p.keys("1")
	p.until(`/^−[1-9]/.test(document.querySelector('[data-bus=sfx] .reduction').textContent)`)
	p.click("[data-bus=sfx] .rack button:nth-child(2)")
	for _, window := range []*page{p, other} {
		window.until(`document.querySelector('[data-bus=sfx] .rack button:nth-child(2)').getAttribute('aria-pressed') === 'false'`)
		window.until(`document.querySelector('[data-bus=sfx] .rack button:nth-child(1)').getAttribute('aria-pressed') === 'true'`)
	}
}

// TestStealsAndPads checks that a steal appears in its slot and in a line, and that both explain it. Pads play,
// loop and stop.
func TestStealsAndPads(t *testing.T) {
	p := open(t, browser(t), serve(t, build(t), "127.0.0.1:0", show...).address, desk)
	p.click(".place:nth-child(6) .pad")
	p.until(`document.querySelector('.slot b').textContent === 'bell'`)
	p.keys("1")
	p.until(`[...document.querySelectorAll('.slot b')].some(b => b.textContent === 'theme')`)
	p.click(".place:nth-child(2) .pad")
	p.until(`document.querySelector('.place:nth-child(2) .pad').getAttribute('aria-pressed') === 'true'`)
	p.click(".place:nth-child(2) .pad")
	p.until(`document.querySelector('.place:nth-child(2) .pad').getAttribute('aria-pressed') === 'false'`)
	p.click("#loop")
	p.click(".place:nth-child(6) .pad") // the bell is not prepared for the loop, and the page reports that
	p.until(`document.getElementById('status').textContent.includes('loop')`)
	p.click("#loop")
	eval[bool](p, storm)
	p.until(`/took (bell|gong)'s slot/.test(document.querySelector('#steals button')?.textContent)`)
	p.until(`Number(document.getElementById('stolen').textContent) > 0`)
	p.until(`[...document.querySelectorAll('.slot .note')].some(n => n.textContent.startsWith('took '))`)
	p.click("#steals button")
	p.until(`document.getElementById('explain').open && document.getElementById('explain-text').innerText.length > 40`)
	p.Log(eval[string](p, `return document.getElementById('explain').innerText`))
	p.click("#explain-other")
	p.until(`document.getElementById('explain-text').innerText.length > 20 && document.getElementById('explain-text').innerText !== 'Loading …'`)
	p.click("#explain-close")
	p.until(`!document.getElementById('explain').open`)
	p.click(".slot:nth-child(3)")
	p.until(`document.getElementById('explain').open`)
	p.keys(kb.Escape)
	p.until(`!document.getElementById('explain').open`)
	colours := `const c = document.getElementById('timeline'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
		const all = new Set(); for (let i = 0; i < d.length; i += 4) if (d[i + 3] > 200) all.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return all.size;`
	if n := eval[int](p, colours); n < 4 {
		t.Errorf("the timeline has %d colours", n)
	}
	p.do(chromedp.Reload())
	p.until(`document.body?.dataset.link === 'open'`)
	eval[bool](p, `await new Promise(r => setTimeout(r, 1500)); return true;`)
	if n := eval[int](p, colours); n < 4 {
		t.Errorf("the timeline has %d colours after the page was opened anew", n)
	}
}

// TestTwoWindows moves a fader in one window, and the other window follows.
func TestTwoWindows(t *testing.T) {
	s, b := serve(t, build(t), "127.0.0.1:0", show...), browser(t)
	p, q := open(t, b, s.address, desk), open(t, b, s.address, desk)
	fader := `document.querySelector('[data-bus="music"] .fader')`
	x, y := p.middle(`[data-bus="music"] .thumb`)
	p.mouse(chromedp.MousePressed, x, y)
	for i := range 10 {
		p.mouse(chromedp.MouseMoved, x, y+float64(4*(i+1)))
	}
	p.mouse(chromedp.MouseReleased, x, y+40)
	moved := eval[string](p, `return `+fader+`.getAttribute('aria-valuetext')`)
	if moved == "−6.0 dB" {
		t.Fatal("the fader stands still")
	}
	q.until(fader + `.getAttribute('aria-valuetext') === ` + fmt.Sprintf("%q", moved))
	p.until(fader + `.getAttribute('aria-valuetext') === ` + fmt.Sprintf("%q", moved)) // it does not jump back

	// The latency by a single clock: the first window returns when it sends, the second when it receives.
	const far = 2 * time.Second
	eval[bool](q, `window.seen = new Promise(r => `+fader+`.addEventListener('gain', () => r(Date.now()), {once: true})); return true;`)
	control, began := lateness.Start(), time.Now()
	defer control.Stop()
	sent := eval[float64](p, `const at = Date.now(); `+fader+`.dispatchEvent(new KeyboardEvent('keydown', {key: 'PageDown', bubbles: true})); return at;`)
	took := time.Duration(eval[float64](q, `return await window.seen;`)-sent) * time.Millisecond
	lost := control.Lost(began, time.Now())
	t.Logf("the other window shows it after %v, of which a control lost %v", took, lost)
	if took-lost > far {
		t.Errorf("the other window shows it after %v, of which a control lost %v, want %v at most", took, lost, far)
	}
	q.click(`[data-bus="music"] .mute`)
	p.until(`document.querySelector('[data-bus="music"] .mute').getAttribute('aria-pressed') === 'true'`)
	q.click(`[data-bus="bells"] .solo`)
	p.until(`document.querySelector('[data-bus="bells"] .solo').getAttribute('aria-pressed') === 'true' && document.querySelector('[data-bus="steps"]').classList.contains('off')`)
}

// TestListen receives the sound of the room by a worklet. On a page that is not secure, where browsers have no
// worklets, an audio element plays it.
func TestListen(t *testing.T) {
	b := browser(t, chromedp.Flag("host-resolver-rules", "MAP board.test 127.0.0.1"), chromedp.Flag("autoplay-policy", "no-user-gesture-required"))
	s := serve(t, build(t), "127.0.0.1:0", show...)
	p := open(t, b, s.address, desk)
	p.click("#listen")
	p.until(`board.listen.heard.plays`)
	p.keys("6")
	p.until(`board.listen.heard.peak > 0.01`)
	t.Logf("%s", eval[string](p, `return JSON.stringify(board.listen.heard) + ' ' + document.getElementById('ear').textContent;`))
	p.keys("1")
	p.until(`(() => { const x = new Float32Array(2048); board.listen.analyser.getFloatTimeDomainData(x); return x.some(v => v > 0.005); })()`)
	p.click("#listen")
	p.until(`!board.listen.on && document.getElementById('ear').textContent === ''`)

	p = open(t, b, strings.Replace(s.address, "127.0.0.1", "board.test", 1), desk)
	if eval[bool](p, `return window.isSecureContext`) {
		t.Fatal("the context is secure: there is nothing to test")
	}
	p.keys("1")
	p.click("#listen")
	p.until(`document.getElementById('plain').currentTime > 0.1`)
}

// TestLost checks that a lost server is reported at once, and that the page reconnects when the server is back.
func TestLost(t *testing.T) {
	program := build(t)
	s := serve(t, program, "127.0.0.1:0", show...)
	p := open(t, browser(t), s.address, desk)
	p.mu.Lock()
	p.cut = true
	p.mu.Unlock()
	s.kill()
	p.until(`document.getElementById('banner').textContent.includes('Trying to come back')`)
	p.until(`document.getElementById('link-text').textContent === 'lost'`)
	p.click("#go")
	p.until(`document.getElementById('status').textContent.includes('The command was not sent')`)
	serve(t, program, strings.TrimSuffix(strings.TrimPrefix(s.address, "http://"), "/"), show...)
	p.until(`document.body.dataset.link === 'open' && document.getElementById('banner').textContent === ''`)
	p.until(`document.getElementById('playing').textContent === '0'`) // the earlier GO is not repeated
	p.click("#go")
	p.until(`document.querySelector('.slot b').textContent === 'theme'`)
}

// TestPanic checks that panic needs a long press, by pointer, by key on the button, and by Escape anywhere. A
// short press explains this.
func TestPanic(t *testing.T) {
	p := open(t, browser(t), serve(t, build(t), "127.0.0.1:0", show...).address, desk)
	play := func() {
		t.Helper()
		p.keys("1")
		p.until(`document.getElementById('playing').textContent === '1'`)
		p.until(`document.querySelector('.slot b').textContent === 'theme'`)
	}
	silent := func() {
		t.Helper()
		p.until(`document.getElementById('playing').textContent === '0' && document.querySelector('.slot b').textContent === ''`)
	}
	play()
	p.click("#panic")
	p.until(`document.getElementById('status').textContent.includes('Hold Panic')`)
	p.press(kb.Escape, 10*time.Millisecond)
	eval[bool](p, `await new Promise(r => setTimeout(r, 1500)); return true;`)
	p.until(`document.getElementById('playing').textContent === '1'`)

	x, y := p.middle("#panic")
	p.mouse(chromedp.MousePressed, x, y)
	p.until(`document.getElementById('panic').classList.contains('holding')`)
	eval[bool](p, `await new Promise(r => setTimeout(r, 1800)); return true;`)
	p.mouse(chromedp.MouseReleased, x, y)
	silent()
	play()
	p.press(kb.Escape, 1800*time.Millisecond)
	silent()
	play()
	eval[bool](p, `document.getElementById('panic').focus(); return true;`)
	p.press(" ", 1800*time.Millisecond)
	silent()
}

// TestKeyboard reaches and plays every control by the keyboard.
func TestKeyboard(t *testing.T) {
	p := open(t, browser(t), serve(t, build(t), "127.0.0.1:0", show...).address, desk)
	reached := map[string]bool{}
	for range 60 {
		p.keys("\t")
		reached[eval[string](p, `const e = document.activeElement; return e.id || e.className.split(' ')[0];`)] = true
	}
	for _, want := range []string{"listen", "go", "next", "pause", "panic", "cue", "slot", "pad", "loop", "fader", "small", "whole"} {
		if !reached[want] {
			t.Errorf("the Tab key does not reach %s, but %v", want, reached)
		}
	}
	eval[bool](p, `document.querySelector('.pad').focus(); return true;`)
	p.keys(kb.ArrowRight + kb.ArrowRight + kb.ArrowDown)
	if got := eval[string](p, `return document.activeElement.querySelector('b').textContent`); got == "theme" || got == "wind" {
		t.Errorf("the arrows lead to %s", got)
	}
	eval[bool](p, `document.querySelectorAll('.pad')[5].focus(); return true;`)
	p.keys(kb.Enter)
	p.until(`document.querySelector('.slot b').textContent === 'bell'`)
	eval[bool](p, `document.querySelector('.slot').focus(); return true;`)
	p.keys(kb.Enter)
	p.until(`document.getElementById('explain').open && document.activeElement.id === 'explain-close'`)
	p.keys(kb.Enter)
	p.until(`!document.getElementById('explain').open && document.activeElement.classList.contains('slot')`)
	eval[bool](p, `document.querySelector('[data-bus="bells"] .fader').focus(); return true;`)
	p.keys(kb.ArrowUp)
	p.until(`document.activeElement.getAttribute('aria-valuetext') === '−5.0 dB'`)
	p.keys("0")
	p.until(`document.activeElement.getAttribute('aria-valuetext') === '0.0 dB'`)
	p.keys(kb.Home)
	p.until(`document.activeElement.getAttribute('aria-valuetext') === 'silent'`)
}

// TestPhone checks that the page fits a phone and that controls are large enough for a finger.
func TestPhone(t *testing.T) {
	p := open(t, browser(t), serve(t, build(t), "127.0.0.1:0", show...).address, desk)
	eval[bool](p, storm)
	for _, width := range []int64{360, 390, 600, 800, 1100} {
		p.see(window{width, 780, "light", false})
		wide := eval[[]string](p, `await new Promise(r => setTimeout(r, 200));
			if (document.documentElement.scrollWidth <= innerWidth) return [];
			return [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.id || e.className);`)
		if len(wide) > 0 {
			t.Errorf("in a window of %d stick out %q", width, wide)
		}
	}
	p.see(window{360, 740, "dark", true})
	small := eval[[]string](p, `return ['#go', '#next', '#back', '#pause', '#panic', '.pad', '.mute', '.solo'].filter(s => {
		const r = document.querySelector(s).getBoundingClientRect(); return r.height < 44 || r.width < 44; });`)
	if len(small) > 0 {
		t.Errorf("too small for a finger: %q", small)
	}
}
