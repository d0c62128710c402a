package board

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gamePage starts a program after a click, because a browser plays sound only then. heard is the largest RMS that
// reached the loudspeaker, said holds the lines of the console.
const gamePage = `<!doctype html>
<meta charset="utf-8">
<title>the game of the README</title>
<link rel="icon" href="data:,">
<button id="start">start</button>
<script src="wasm_exec.js"></script>
<script>
window.said = [];
window.heard = 0;
for (const kind of ['log', 'warn', 'error']) console[kind] = (...words) => said.push(words.join(' '));
onerror = message => said.push(message);
onunhandledrejection = event => said.push(String(event.reason));
const connect = AudioNode.prototype.connect, samples = new Float32Array(2048);
AudioNode.prototype.connect = function (to, ...rest) {
	if (to instanceof AudioDestinationNode) {
		const ear = this.context.createAnalyser();
		connect.call(this, ear);
		setInterval(() => {
			ear.getFloatTimeDomainData(samples);
			heard = Math.max(heard, Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length));
		}, 20);
	}
	return connect.call(this, to, ...rest);
};
document.getElementById('start').onclick = async event => {
	event.target.remove();
	const go = new Go();
	const game = await WebAssembly.instantiateStreaming(fetch('game.wasm'), go.importObject);
	await go.run(game.instance);
	window.ended = true;
};
</script>
`

// TestReadmeGame builds the game of the README, unchanged, for browsers and plays it in Chromium and in Firefox. It
// must start its sounds, steal voices, and be heard. The console must stay empty otherwise.
func TestReadmeGame(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	const first = "package main // main.go\n"
	_, source, found := strings.Cut(string(readme), "```go\n"+first)
	source, _, ended := strings.Cut(source, "```")
	if !found || !ended {
		t.Fatalf("README.md has no block of Go that begins with %q", first)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "lib/wasm/wasm_exec.js"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	// The module of the game has the requirements of the library, so that go build needs no network.
	path, requirements, _ := strings.Cut(strings.TrimPrefix(string(module), "module "), "\n")
	module = fmt.Appendf(nil, "module game\n\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %[2]s\n%[3]s", path, root, requirements)
	folder, served := t.TempDir(), t.TempDir()
	for file, text := range map[string][]byte{
		filepath.Join(folder, "main.go"):      []byte(first + source),
		filepath.Join(folder, "go.mod"):       module,
		filepath.Join(folder, "go.sum"):       sums,
		filepath.Join(served, "index.html"):   []byte(gamePage),
		filepath.Join(served, "wasm_exec.js"): script,
	} {
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.Command("go", "build", "-o", filepath.Join(served, "game.wasm"), ".")
	c.Dir, c.Env = folder, append(os.Environ(), "GOWORK=off", "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(served)))
	t.Cleanup(server.Close)

	inBrowsers(t, func(t *testing.T, tab tab) {
		tab.visit(server.URL)
		until(t, tab, `document.getElementById('start')`)
		tab.press("#start")
		until(t, tab, `window.ended && said.length > 0`)
		var got struct {
			Said  []string
			Heard float64
		}
		run(t, tab, &got, `return {said, heard};`)
		t.Logf("%s: %q, RMS %.4f", tab.name(), got.Said, got.Heard)
		for _, line := range got.Said[1:] {
			// The audio thread of the browser may ask for frames after the program has ended.
			if !strings.HasSuffix(line, "Error: Go program has already exited") {
				t.Errorf("%s: the console says %q", tab.name(), line)
			}
		}
		_, counts, found := strings.Cut(got.Said[0], " oto: ")
		var started, stolen int
		fmt.Sscanf(counts, "%d started, %d stolen", &started, &stolen)
		// The last sounds may not have reached the mixer when the program ends.
		if !found || started < 56 || started > 64 || stolen < 24 || stolen > 48 {
			t.Errorf("%s: the game says %q, want oto, 56 to 64 started and 24 to 48 stolen", tab.name(), got.Said[0])
		}
		if got.Heard < 0.003 {
			t.Errorf("%s: the RMS is %v: nothing is heard", tab.name(), got.Heard)
		}
	})
}
