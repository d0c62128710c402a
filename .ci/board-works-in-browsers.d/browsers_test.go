package board

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// tab is a browser tab. Its methods fail the test on errors.
type tab interface {
	name() string
	visit(address string)
	script(to any, body string) error // decodes the result of an async JavaScript function; fails if the page navigates away
	press(selector string)            // by mouse
	write(selector, text string)      // by keyboard
	size(width, height int)           // of the viewport
	picture() (png []byte)
}

// inBrowsers runs a test in Chromium and in Firefox.
func inBrowsers(t *testing.T, test func(*testing.T, tab)) {
	for name, start := range map[string]func(*testing.T) tab{
		"Chromium": func(t *testing.T) tab { return startChromium(t) },
		"Firefox":  func(t *testing.T) tab { return startFirefox(t) },
	} {
		t.Run(name, func(t *testing.T) { test(t, start(t)) })
	}
}

// chromium is a tab of a headless Chromium.
type chromium struct{ *page }

func startChromium(t *testing.T) chromium {
	ctx, end := chromedp.NewContext(browser(t))
	t.Cleanup(end)
	return chromium{&page{T: t, ctx: ctx}}
}

func (c chromium) name() string { return "Chromium" }

func (c chromium) visit(address string) {
	c.Helper()
	c.do(chromedp.Navigate(address))
}

func (c chromium) script(to any, body string) error {
	text, err := chromedp.Run(c.ctx, chromedp.Evaluate[json.RawMessage]("(async () => {"+body+"})()", chromedp.EvalAwaitPromise))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

func (c chromium) press(selector string) {
	c.Helper()
	c.click(selector)
}

func (c chromium) write(selector, text string) {
	c.Helper()
	c.click(selector)
	c.keys(text)
}

func (c chromium) size(width, height int) {
	c.Helper()
	c.see(window{int64(width), int64(height), "dark", false})
}

func (c chromium) picture() (png []byte) {
	c.Helper()
	png, err := chromedp.Run(c.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		c.Fatal(err)
	}
	return png
}

// run runs a script in a page that does not navigate away.
func run(t *testing.T, tab tab, to any, body string) {
	t.Helper()
	if err := tab.script(to, body); err != nil {
		t.Fatalf("%s: %v", tab.name(), err)
	}
}

// until waits until an expression is true in the page, also across navigations.
func until(t *testing.T, tab tab, expression string) {
	t.Helper()
	var err error
	for end := time.Now().Add(soon); time.Now().Before(end); {
		var met bool
		err = tab.script(&met, fmt.Sprintf(`for (let i = 0; i < 10; i++) {
			if (%s) return true;
			await new Promise(r => setTimeout(r, 20));
		}
		return false;`, expression))
		if met && err == nil {
			return
		}
	}
	var text string
	run(t, tab, &text, `return location.href + '\n' + document.title + '\n' + (document.body?.innerText ?? '');`)
	t.Fatalf("%s: %s is never true (%v); the page is %s", tab.name(), expression, err, text)
}
