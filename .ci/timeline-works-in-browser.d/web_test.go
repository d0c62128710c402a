package timeline

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

var picture = flag.String("picture", "", "write what examples/web looks like to this PNG")

// ears attaches an AnalyserNode to every connection to the loudspeaker. listen returns the largest RMS of 40
// measurements, or -1 without a connection.
const ears = `window.ears = [];
	const connect = AudioNode.prototype.connect;
	AudioNode.prototype.connect = function (to, ...rest) {
		if (to instanceof AudioDestinationNode) {
			const ear = this.context.createAnalyser();
			connect.call(this, ear);
			ears.push(ear);
		}
		return connect.call(this, to, ...rest);
	};
	window.listen = async () => {
		let loudest = -1;
		const samples = new Float32Array(2048);
		for (let i = 0; i < 40; i++) {
			for (const ear of ears) {
				ear.getFloatTimeDomainData(samples);
				loudest = Math.max(loudest, Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length));
			}
			await new Promise(requestAnimationFrame);
		}
		return loudest;
	};`

// TestWeb serves the page of examples/web by the command in the README. The page is silent before the click and
// plays after it. Its keys play sounds, its pool steals voices, and the console stays empty.
func TestWeb(t *testing.T) {
	p := &page{T: t, ctx: browser(t)}
	if err := chromedp.Listen(p.ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	call(p, log.Enable, cdp.Empty{})
	call(p, runtime.Enable, cdp.Empty{})
	call(p, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: ears})
	p.do(chromedp.EmulateViewport(1400, 800), chromedp.Navigate(serveWeb(t)), chromedp.WaitEnabled("#start"))

	var heard float64
	eval(p, `return await listen();`, &heard)
	if heard > 0 {
		t.Errorf("before the click the RMS is %v, want silence", heard)
	}
	p.do(chromedp.Click("#start"))
	p.until("page.seen && page.seen.gave >= 8")
	eval(p, `return await listen();`, &heard)
	if heard < 0.003 {
		t.Errorf("after the click the RMS is %v: nothing is heard", heard)
	}
	t.Logf("RMS %.4f", heard)
	p.marksTakes()
	if *picture != "" {
		p.until("page.seen.gave >= 60 && page.seen.playing === page.seen.voices")
		png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
		if err == nil {
			err = os.WriteFile(*picture, png, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	p.useKeys()
	p.fitsWindows()

	p.mu.Lock()
	defer p.mu.Unlock()
	for _, said := range p.said {
		t.Errorf("the console says %q", said)
	}
}

// until waits until a condition is true in the page.
func (p *page) until(so string) {
	p.Helper()
	var met bool
	eval(p, fmt.Sprintf(`for (let i = 0; i < 1200; i++) {
		if (%s) return true;
		await new Promise(requestAnimationFrame);
	} return false;`, so), &met)
	if !met {
		p.Fatalf("it never comes to %s", so)
	}
}

// marksTakes checks that a red mark is in every row with a recent steal, and in no other row.
func (p *page) marksTakes() {
	p.Helper()
	var wrong []string
	eval(p, `const wrong = [], row = (view.clientHeight - 12) / page.seen.voices, c = view.getContext('2d');
		const recent = takes.filter(t => t.now > performance.now() / 1000 - SECONDS + 1);
		if (recent.length < 4) wrong.push('only ' + recent.length + ' takes are marked');
		page.seen.slots.forEach((_, i) => {
			const line = c.getImageData(0, Math.round((6 + (i + .5) * row - row * .4) * devicePixelRatio), view.width, 1).data;
			let red = false;
			for (let x = 0; x < line.length; x += 4) red ||= line[x] === 0xff && line[x + 1] === 0x3b && line[x + 2] === 0x2f;
			if (recent.some(t => t.slot === i) && !red) wrong.push('no mark in row ' + (i + 1));
			if (red && !takes.some(t => t.slot === i)) wrong.push('a mark in row ' + (i + 1));
		});
		return wrong;`, &wrong)
	for _, w := range wrong {
		p.Error(w)
	}
}

// useKeys checks that each key plays its sound, that storms end, and that the pool shrinks and grows. The score
// plays some of the sounds all the time; the others must be absent before their key.
func (p *page) useKeys() {
	p.keys(" ")
	var storms string
	eval(p, `return byId('storms').getAttribute('aria-pressed');`, &storms)
	if storms != "false" {
		p.Errorf("after the space bar the storms are %q", storms)
	}
	p.until("page.seen.slots.filter(s => s.name).length <= 6") // the sounds of the storms have ended
	absent := 0
	for _, key := range "asdfghjkl" {
		plays := `page.seen.slots.some(s => s.name === document.querySelector('[data-key="` + string(key) + `"]').firstChild.textContent.trim())`
		var before bool
		eval(p, `return `+plays+`;`, &before)
		if !before {
			absent++
		}
		p.keys(string(key))
		p.until(plays)
	}
	if absent < 5 {
		p.Errorf("only %d of 9 sounds were silent before their keys", absent)
	}
	var voices int
	eval(p, `return page.seen.voices;`, &voices)
	for _, step := range []struct {
		key  string
		want int
	}{{key: kb.ArrowDown, want: voices - 1}, {key: kb.ArrowUp, want: voices}, {key: kb.ArrowUp, want: voices + 1}} {
		p.keys(step.key)
		p.until(fmt.Sprintf("page.seen.voices === %d", step.want))
	}
}

// fitsWindows checks that windows of several widths cut off no element and that the rows have room.
func (p *page) fitsWindows() {
	for _, width := range []int64{1400, 800, 500} {
		p.do(chromedp.EmulateViewport(width, 700))
		var got struct {
			Right, Bottom, Row float64
			Lines              int
			Cut                []string // lines of the list
		}
		eval(p, `for (let i = 0; i < 40; i++) tell({ winner: 'marimba', victim: 'thunder', newcomer: -88, loud: -88, returns: true });
			await new Promise(requestAnimationFrame);
			await new Promise(requestAnimationFrame);
			const list = byId('list').getBoundingClientRect(), lines = list.width ? [...document.querySelectorAll('#takes li, #takes li *')] : [];
			const cut = e => { const r = e.getBoundingClientRect(); return r.left < list.left || r.right > list.right || r.bottom > list.bottom || e.scrollWidth > e.clientWidth + 1 && e.clientWidth; };
			const of = [...document.querySelectorAll('header *, #view, #list, footer *')].map(e => e.getBoundingClientRect());
			return { Right: Math.max(...of.map(r => r.right)), Bottom: Math.max(...of.map(r => r.bottom)),
				Row: byId('view').clientHeight / page.seen.voices,
				Lines: lines.length, Cut: lines.filter(cut).map(e => e.textContent) };`, &got)
		if got.Right > float64(width) || got.Bottom > 700 || got.Row < 14 {
			p.Errorf("a window of %d by 700 is filled to %v by %v, with rows of %v pixels", width, got.Right, got.Bottom, got.Row)
		}
		if len(got.Cut) > 0 || width > 640 && got.Lines < 20 {
			p.Errorf("a window of %d by 700 cuts %q, of %d lines", width, got.Cut, got.Lines)
		}
	}
}

// serveWeb runs the server of the page until the test ends, and returns its address.
func serveWeb(t *testing.T) string {
	t.Helper()
	serve := filepath.Join(t.TempDir(), "serve")
	build := exec.Command("go", "build", "-o", serve, "./examples/web/serve")
	build.Dir, build.Env = "../..", append(os.Environ(), "GOWORK=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c := exec.Command(serve, "-address", "127.0.0.1:0")
	c.Dir, c.Env, c.Stderr = build.Dir, build.Env, os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Signal(os.Interrupt)
		if err := c.Wait(); err != nil {
			t.Errorf("the server ends with %v after an interrupt", err)
		}
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(address)
}
