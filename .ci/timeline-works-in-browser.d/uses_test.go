package timeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// state is the visible state of a page.
type state struct {
	Start, Scale, Least float64
	Frames              float64
	Picture             string // the pixels
	Found, Pin          string
	Dimmed              int
}

func (p *page) state() (s state) {
	p.Helper()
	eval(p, `return { Start: start, Scale: scale, Least: least(), Frames: D.frames, Picture: view.toDataURL(), Found: byId('found').textContent,
		Pin: getComputedStyle(pin).display === 'none' ? '' : pin.innerText, Dimmed: D.voices.filter(v => !lit(v)).length };`, &s)
	return s
}

// shows checks the names, and the colors of the bars.
func (p *page) shows() {
	var got struct {
		Title, About   string
		Sounds, Legend []string
		Bars, Wrong    int
	}
	// Every bar that is wide enough has the color of its sound, with an opacity that follows its audibility.
	// Links are drawn over bars, so they are hidden during the check.
	eval(p, `if (!D) return { Title: byId('title').textContent };
		const got = { Title: byId('title').textContent, About: byId('about').textContent, Sounds: D.sounds, Legend: [...document.querySelectorAll('#legend button')].map(b => b.textContent), Bars: 0, Wrong: 0 };
		const right = (v, share) => {
			const f = v.p[0] + share * (v.p[1] - v.p[0]), ground = [0x18, 0x1e, 0x28];
			const seen = ctx.getImageData(Math.floor(x(f)) * ratio, place(v, 0)[0] * ratio, 1, 1).data;
			const may = Array.from({ length: 17 }, (_, i) => opacity(v, f + (i - 8) / 4 / scale)); // what is heard within two pixels
			return D.rgb[v.s].every((c, k) => {
				const some = [Math.min(...may), Math.max(...may)].map(o => ground[k] + (c - ground[k]) * o);
				return seen[k] > Math.min(...some) - 4 && seen[k] < Math.max(...some) + 4;
			});
		};
		const links = drawLinks;
		drawLinks = () => {};
		draw();
		for (const v of D.voices) {
			if (!v.p.length || v.p[3] || (v.p[1] - v.p[0]) * scale < 16) continue; // one without a part never had a slot
			got.Bars++;
			if (![.3, .4, .5, .6, .7].some(share => right(v, share))) got.Wrong++;
		}
		drawLinks = links;
		draw();
		return got;`, &got)
	switch {
	case !strings.HasPrefix(got.Title, "render ") || !strings.Contains(got.About, "asked"):
		p.Fatalf("it says %q, %q", got.Title, got.About)
	case !slices.Equal(got.Sounds, got.Legend) || slices.Contains(got.Sounds, ""):
		p.Fatalf("the legend names %q, the sounds are %q", got.Legend, got.Sounds)
	case got.Wrong > 0 || len(got.Sounds) > 0 && got.Bars == 0:
		p.Fatalf("%d of %d bars have another colour than their sounds", got.Wrong, got.Bars)
	}
}

// zooms checks that the wheel, keys and the mouse zoom and scroll, and that 0 shows the whole timeline again.
func (p *page) zooms() {
	whole := p.state()
	if whole.Scale != whole.Least {
		p.Fatalf("it does not begin with the whole: %v pixels a frame, not %v", whole.Scale, whole.Least)
	}
	before := whole
	for _, step := range []struct {
		name string
		do   func()
		good func(now state) bool
	}{
		{
			name: "the wheel", do: func() { p.wheel(700, 300, -400) },
			good: func(s state) bool { return s.Scale > 2*before.Scale && s.Start > 0 },
		},
		{name: "+", do: func() { p.keys("+") }, good: func(s state) bool { return s.Scale > 1.4*before.Scale }},
		{
			name: "an arrow", do: func() { p.keys(kb.ArrowRight) },
			good: func(s state) bool { return s.Scale == before.Scale && s.Start > before.Start },
		},
		{
			name: "dragging", do: func() { p.drag(500, 300, 700, 300) },
			good: func(s state) bool { return s.Start < before.Start && s.Pin == "" },
		},
		{name: "-", do: func() { p.keys("-") }, good: func(s state) bool { return s.Scale < before.Scale }},
		{
			name: "0", do: func() { p.keys("0") },
			good: func(s state) bool { return s.Start == 0 && s.Scale == whole.Scale && s.Picture == whole.Picture },
		},
	} {
		step.do()
		now := p.state()
		if !step.good(now) || now.Picture == before.Picture {
			p.Fatalf("after %s it shows from %v, %v pixels a frame; before from %v, %v", step.name, now.Start, now.Scale, before.Start, before.Scale)
		}
		before = now
	}
}

// finds checks the search box: it shows the number of matching voices, dims the others, and steps through the
// matches. Clearing it restores the page.
func (p *page) finds() {
	before := p.state()
	var want struct {
		Name         string
		Voices, Rest int
	}
	eval(p, `const name = D.sounds[0], n = o => D.sounds[o.s].includes(name);
		return { Name: name, Voices: D.voices.filter(n).length + D.refused.filter(n).length, Rest: D.voices.filter(v => !n(v)).length };`, &want)
	p.keys("/" + strings.ToUpper(want.Name))
	now := p.state()
	if now.Found != fmt.Sprintf("%d found", want.Voices) || now.Dimmed != want.Rest || now.Picture == before.Picture {
		p.Fatalf("the search for %q says %q and dims %d voices, want %d and %d", want.Name, now.Found, now.Dimmed, want.Voices, want.Rest)
	}
	p.keys(kb.Enter + kb.Enter)
	now = p.state()
	if now.Found != fmt.Sprintf("2 of %d", want.Voices) || !strings.Contains(now.Pin, want.Name) {
		p.Fatalf("enter, twice, says %q and explains %q", now.Found, now.Pin)
	}
	p.keys(kb.Escape + kb.Escape + "0")
	now = p.state()
	if now.Found != "" || now.Pin != "" || now.Dimmed != 0 || now.Picture != before.Picture {
		p.Fatalf("after escape it says %q, %q, dims %d", now.Found, now.Pin, now.Dimmed)
	}
}

// tells clicks on the mark of a steal. The page must explain it with the names of victim and winner, outline
// both, and link to the winner.
func (p *page) tells() {
	var steal struct {
		X, Y           float64
		Victim, Winner int
		Names          []string
	}
	eval(p, `let best = null, longest = 0;
		for (const v of D.voices) for (let i = 0; i < v.x.length; i += 4) {
			const p = partAt(v, v.x[i], true), w = byNumber.get(v.x[i + 1]);
			if (p < 0 || v.p[p + 3] || !w || v.p[p + 1] - v.p[p] < longest) continue;
			longest = v.p[p + 1] - v.p[p]; best = { v, w, f: v.x[i], p };
		}
		if (!best) return {};
		const [top, h] = place(best.v, best.p), r = view.getBoundingClientRect();
		return { X: Math.round(r.left + x(best.f)), Y: Math.round(r.top + top + h / 2), Victim: best.v.n, Winner: best.w.n, Names: [D.sounds[best.v.s], D.sounds[best.w.s]] };`, &steal)
	if steal.Victim == 0 {
		p.Fatal("it has no steal to look at")
	}
	p.do(chromedp.MouseEvent(chromedp.MouseMoved, steal.X, steal.Y))
	var tip struct {
		Text                     string
		Left, Top, Right, Bottom float64
	}
	eval(p, `const r = tip.getBoundingClientRect(), v = picture.getBoundingClientRect();
		return { Text: tip.innerText, Left: r.left - v.left, Top: r.top - v.top, Right: v.right - r.right, Bottom: v.bottom - r.bottom };`, &tip)
	if !strings.Contains(tip.Text, fmt.Sprintf("%s #%d", steal.Names[0], steal.Victim)) || min(tip.Left, tip.Top, tip.Right, tip.Bottom) < 0 {
		p.Fatalf("the mouse on the steal of #%d shows %+v", steal.Victim, tip)
	}
	p.drag(steal.X, steal.Y, steal.X, steal.Y)
	now := p.state()
	for i, n := range []int{steal.Victim, steal.Winner} {
		if want := fmt.Sprintf("%s #%d", steal.Names[i], n); !strings.Contains(now.Pin, want) {
			p.Fatalf("a click on the steal of #%d by #%d does not tell %q but %q", steal.Victim, steal.Winner, want, now.Pin)
		}
	}
	var inks [2][3]int // the smallest color difference on the outlines of both
	eval(p, fmt.Sprintf(`return [%d, %d].map(n => {
		const v = byNumber.get(n), i = v.x.length && n === %[1]d ? partAt(v, v.x[0], true) : 0, a = Math.max(x(v.p[i]), LEFT), b = Math.min(x(v.p[i + 1]), width);
		return [...ctx.getImageData(Math.round(a + .4 * (b - a)) * ratio, place(v, i)[0] * ratio, 1, 1).data].slice(0, 3);
	});`, steal.Victim, steal.Winner), &inks)
	if v, w := inks[0], inks[1]; min(v[0], v[1], v[2]) < 200 || w[0] < w[1]+80 {
		p.Fatalf("after the click #%d is outlined in %v, not white, #%d in %v, not red", steal.Victim, v, steal.Winner, w)
	}
	var followed int
	eval(p, fmt.Sprintf(`pin.querySelector('[data-voice="%d"]').click(); return kept.n;`, steal.Winner), &followed)
	if followed != steal.Winner {
		p.Fatalf("the link to #%d leads to #%d", steal.Winner, followed)
	}
	p.keys(kb.Escape)
}

// follows checks that the address selected and explained voice 2, and returns to the whole timeline.
func (p *page) follows() {
	now := p.state()
	if now.Found != "1 of 1" && now.Found != "1 found" || !strings.Contains(now.Pin, "#2") {
		p.Fatalf("it says %q and explains %q", now.Found, now.Pin)
	}
	p.keys("/" + kb.Escape + kb.Escape + "0")
	p.shows()
}

// fitsPhone checks that a narrow window cuts off no element.
func (p *page) fitsPhone() {
	p.do(chromedp.EmulateViewport(500, 800))
	var got struct{ Right, Room, Rows, All float64 }
	eval(p, `const right = [...document.querySelectorAll('header *')].map(e => e.getBoundingClientRect().right);
		return { Right: Math.max(...right), Room: innerWidth, Rows: roomForRows(), All: rowsHeight() };`, &got)
	if got.Right > got.Room || got.Rows < min(got.All, 100) {
		p.Fatalf("a window %v pixels wide is filled to %v, with %v pixels for rows of %v", got.Room, got.Right, got.Rows, got.All)
	}
}
