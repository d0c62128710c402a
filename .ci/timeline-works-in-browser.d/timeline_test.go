// Package timeline opens pages of --timeline in a headless Chromium and uses them as a person would. It needs
// chromium, which .ci/timeline-works-in-browser installs.
package timeline

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestPages(t *testing.T) {
	folder := t.TempDir()
	run := func(args ...string) []byte {
		t.Helper()
		c := exec.Command(args[0], args[1:]...)
		c.Dir, c.Env, c.Stderr = "../..", append(os.Environ(), "GOWORK="), os.Stderr
		out, err := c.Output()
		if err != nil {
			t.Fatalf("%q: %v", args, err)
		}
		return out
	}
	voicepool := filepath.Join(folder, "voicepool")
	run("go", "build", "-o", voicepool, "./cmd/voicepool")
	names, err := os.ReadFile("testdata/names.yaml")
	if err != nil {
		t.Fatal(err)
	}
	chromium := browser(t)
	for _, test := range []struct {
		name    string
		sheet   []byte
		virtual string
		hash    string // of the address
		uses    []use
	}{
		{
			name: "demo", sheet: run(voicepool, "demo", "--sheet"), virtual: "8",
			uses: []use{{"shows", (*page).shows}, {"zooms", (*page).zooms}, {"finds", (*page).finds}, {"tells", (*page).tells}, {"phone", (*page).fitsPhone}},
		},
		{
			name: "names", sheet: names, virtual: "0",
			uses: []use{{"shows", (*page).shows}, {"phone", (*page).fitsPhone}},
		},
		{name: "voice", sheet: names, virtual: "0", hash: "#2", uses: []use{{"follows", (*page).follows}}},
		{
			name: "empty", sheet: []byte("voices: 4\ncues: []\n"), virtual: "0",
			uses: []use{{"shows", (*page).shows}, {"phone", (*page).fitsPhone}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(folder, test.name)
			if err := os.WriteFile(path+".yaml", test.sheet, 0o600); err != nil {
				t.Fatal(err)
			}
			run(voicepool, "render", "-q", path+".yaml", "-o", path+".wav", "--virtual", test.virtual, "--timeline", path+".html")
			for _, u := range test.uses {
				t.Run(u.name, func(t *testing.T) { u.do(open(t, chromium, "file://"+path+".html"+test.hash)) })
			}
		})
	}
}

// use is an action of a person on a page.
type use struct {
	name string
	do   func(*page)
}
