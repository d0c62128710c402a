package timeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is the time limit for one use of a page.
const patience = 60 * time.Second

// browser starts a headless Chromium. It ends with the test.
func browser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1280, 800))
	allocator, end := chromedp.NewExecAllocator(t.Context(), options...)
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

	mu    sync.Mutex
	said  []string // messages of the console
	asked []string // requested addresses
}

// open opens a page. At the end, the console must be empty, and the page must have requested only itself.
func open(t *testing.T, browser context.Context, address string) *page {
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
	call(p, network.Enable, network.EnableParams{})
	begun := time.Now()
	p.do(chromedp.Navigate(address))
	for ready := false; !ready; {
		eval(p, `return !!D || byId('title').textContent.startsWith('This page cannot');`, &ready)
	}
	t.Logf("shown after %d ms", time.Since(begun).Milliseconds())
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.said) > 0 {
			t.Errorf("the console says %q", p.said)
		}
		if itself, _, _ := strings.Cut(address, "#"); len(p.asked) != 1 || p.asked[0] != itself {
			t.Errorf("it asks for %q, want %q alone", p.asked, itself)
		}
	})
	return p
}

// hear records the events of the tab.
func (p *page) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		p.asked = append(p.asked, e.Request.URL)
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
		// The test's own reading of pixels causes this message.
		if !strings.Contains(e.Entry.Text, "willReadFrequently") {
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

// eval runs a script in the page after it has drawn, and stores the result in answer.
func eval[T any](p *page, script string, answer *T) {
	p.Helper()
	const drawn = `(async () => { for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame); %s })()`
	var err error
	if *answer, err = chromedp.Run(p.ctx, chromedp.Evaluate[T](fmt.Sprintf(drawn, script), chromedp.EvalAwaitPromise)); err != nil {
		p.Fatal(err)
	}
}

// keys presses and releases keys, one after another.
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

// wheel turns the mouse wheel.
func (p *page) wheel(x, y, by float64) {
	p.Helper()
	// The library omits a delta of 0, which Chromium requires.
	turn := cdp.Command[map[string]any, cdp.Empty]{Method: input.CommandDispatchMouseEvent}
	call(p, turn, map[string]any{"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": by})
}

// drag drags the mouse from one position to another.
func (p *page) drag(x, y, toX, toY float64) {
	p.Helper()
	p.do(
		chromedp.MouseEvent(chromedp.MousePressed, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)),
		chromedp.MouseEvent(chromedp.MouseMoved, toX, toY, chromedp.ButtonLeft, func(e *input.DispatchMouseEventParams) { e.Buttons = 1 }),
		chromedp.MouseEvent(chromedp.MouseReleased, toX, toY, chromedp.ButtonLeft, chromedp.ClickCount(1)),
	)
}
