package timeline

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// TestGame loads the game in a browser and starts it by a click. The mix must advance, voices must change, and
// the console must stay empty.
func TestGame(t *testing.T) {
	const source = "../../examples/game"
	folder := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(folder, "game.wasm"), ".")
	build.Dir, build.Env = source, append(os.Environ(), "GOWORK=", "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(strings.TrimSpace(string(root)), "lib/wasm/wasm_exec.js")
	for to, from := range map[string]string{"index.html": source + "/index.html", "wasm_exec.js": script} {
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, to), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(folder)))
	defer server.Close()

	ctx, end := context3D(t)
	defer end()
	p := &page{T: t, ctx: ctx}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	call(p, log.Enable, cdp.Empty{})
	call(p, runtime.Enable, cdp.Empty{})
	p.do(chromedp.Navigate(server.URL))
	p.do(chromedp.Click("#start"))
	var last, now map[string]float64
	const state = `for (let i = 0; i < 600 && !(window.voicepool && voicepool.asked > %ASKED); i++)
		await new Promise(requestAnimationFrame);
		return window.voicepool || {};`
	eval(p, strings.ReplaceAll(state, "%ASKED", "10"), &last)
	eval(p, strings.ReplaceAll(state, "%ASKED", "40"), &now)
	if last["playing"] == 0 || now["frame"] <= last["frame"] || now["asked"] <= 40 {
		t.Errorf("the mix stands: %v, then %v", last, now)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, said := range p.said {
		t.Errorf("the console says %q", said)
	}
}

// context3D returns a tab of a Chromium that draws WebGL on the CPU.
func context3D(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.WindowSize(1280, 800),
		chromedp.Flag("use-gl", "angle"), chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true))
	allocator, end := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(end)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return context.WithTimeout(ctx, patience)
}
