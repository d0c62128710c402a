package board

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is the time limit of a test, soon the limit for a single condition of the page.
const (
	patience = 3 * time.Minute
	soon     = 2 * time.Minute
)

// browser starts a headless Chromium. It ends with the test.
func browser(t *testing.T, more ...chromedp.ExecAllocatorOption) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1280, 800))
	allocator, end := chromedp.NewExecAllocator(t.Context(), append(options, more...)...)
	t.Cleanup(end)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// page is a page in its own tab.
type page struct {
	*testing.T
	ctx context.Context

	mu   sync.Mutex
	said []string // messages of the console
	cut  bool     // the server was killed, so the console may report connection errors
}

// window holds the size and the media preferences of a browser window.
type window struct {
	width, height int64
	scheme        string
	still         bool
}

var desk = window{1280, 800, "dark", false}

// open opens a page and waits until it is live. At the end, the console must be empty.
func open(t *testing.T, browser context.Context, address string, w window) *page {
	t.Helper()
	ctx, end := chromedp.NewContext(browser)
	t.Cleanup(end)
	ctx, end = context.WithTimeout(ctx, patience)
	t.Cleanup(end)
	p := &page{T: t, ctx: ctx}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	call(p, log.Enable, cdp.Empty{})
	call(p, runtime.Enable, cdp.Empty{})
	call(p, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	p.see(w)
	p.do(chromedp.Navigate(address))
	p.until(`document.body.dataset.link === 'open'`)
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.said) > 0 {
			t.Errorf("the console says %q", p.said)
		}
	})
	return p
}

// see changes the size and the media preferences of the window.
func (p *page) see(w window) {
	p.Helper()
	motion := "no-preference"
	if w.still {
		motion = "reduce"
	}
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: w.scheme}, {Name: "prefers-reduced-motion", Value: motion},
	}})
	p.do(chromedp.EmulateViewport(w.width, w.height))
}

// hear records console messages.
func (p *page) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		for _, arg := range e.Args {
			p.said = append(p.said, string(arg.Value))
		}
	case *runtime.EventExceptionThrown:
		said := e.ExceptionDetails.Text
		if thrown := e.ExceptionDetails.Exception; thrown != nil {
			said += ": " + thrown.Description
		}
		p.said = append(p.said, said)
	case *log.EventEntryAdded:
		gone := strings.Contains(e.Entry.Text, "net::ERR_") || strings.Contains(e.Entry.Text, "WebSocket connection to")
		if !p.cut || !gone {
			p.said = append(p.said, e.Entry.Text)
		}
	}
}

func (p *page) do(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.Fatal(err)
	}
}

// call sends a command of the DevTools protocol.
func call[P, R any](p *page, command cdp.Command[P, R], params P) {
	p.Helper()
	if _, err := chromedp.Call(p.ctx, command, params); err != nil {
		p.Fatal(err)
	}
}

// eval runs a script in the page.
func eval[T any](p *page, script string) T {
	p.Helper()
	answer, err := chromedp.Run(p.ctx, chromedp.Evaluate[T]("(async () => {"+script+"})()", chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatal(err)
	}
	return answer
}

// until waits until a condition is true in the page. On a timeout it fails the test with the text of the page.
func (p *page) until(so string) {
	p.Helper()
	met := eval[bool](p, fmt.Sprintf(`const end = performance.now() + %d;
		for (;;) {
			if (%s) return true;
			if (performance.now() > end) return false;
			await new Promise(r => setTimeout(r, 20));
		}`, soon.Milliseconds(), so))
	if !met {
		p.Fatalf("it never comes to %s; the page says:\n%s", so, eval[string](p, `return document.body?.innerText ?? '';`))
	}
}

// keys presses and releases keys one after the other.
func (p *page) keys(text string) {
	p.Helper()
	for _, r := range text {
		events := kb.Encode(r)
		if len(events) == 3 { // the character is sent with the key event, so that the page can prevent both
			events[0].Text = events[1].Text
			events = slices.Delete(events, 1, 2)
		}
		for _, e := range events {
			call(p, input.DispatchKeyEvent, *e)
		}
	}
}

// press holds a key for a while.
func (p *page) press(key string, long time.Duration) {
	p.Helper()
	events := kb.Encode([]rune(key)[0])
	call(p, input.DispatchKeyEvent, *events[0])
	eval[bool](p, fmt.Sprintf(`await new Promise(r => setTimeout(r, %d)); return true;`, long.Milliseconds()))
	call(p, input.DispatchKeyEvent, *events[len(events)-1])
}

// middle scrolls to an element and returns its center.
func (p *page) middle(selector string) (x, y float64) {
	p.Helper()
	at := eval[[]float64](p, fmt.Sprintf(`const e = document.querySelector(%q); e.scrollIntoView({block: 'nearest'});
		const r = e.getBoundingClientRect(); return [r.left + r.width / 2, r.top + r.height / 2];`, selector))
	return at[0], at[1]
}

func (p *page) mouse(kind input.DispatchMouseEventType, x, y float64) {
	p.Helper()
	p.do(chromedp.MouseEvent(kind, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1), func(e *input.DispatchMouseEventParams) {
		if kind == chromedp.MouseMoved {
			e.Buttons = 1
		}
	}))
}

// click clicks on an element with the mouse.
func (p *page) click(selector string) {
	p.Helper()
	x, y := p.middle(selector)
	p.mouse(chromedp.MousePressed, x, y)
	p.mouse(chromedp.MouseReleased, x, y)
}

// shoot writes a screenshot.
func (p *page) shoot(file string) {
	p.Helper()
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(file, png, 0o644)
	}
	if err != nil {
		p.Fatal(err)
	}
}
