// Package mutants puts faults into the mixer, one at a time, and checks that the benchmark of stealing detects
// each. It does not modify the tree: changed files are in an overlay.
package mutants

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const module = "../.." // the root of the module

// TestMutants fails if a mixer with a fault reaches every goal that the real mixer reaches. It prints the table
// of docs/decisions/036-other-scores-and-faults.md. -short uses one seed instead of six.
func TestMutants(t *testing.T) {
	product := measure(t, "", "quietest,oldest+end,gain+end", nil)
	reached := product.reached()
	for _, name := range []string{"fire: oldest", "fire: gain", "fire: cuts", "rts: oldest", "rts: gain", clicks} {
		if !reached[name] {
			t.Errorf("the mixer itself falls short of %q", name)
		}
	}
	all := map[string]bool{}
	for _, g := range goals {
		all[g.name] = true
	}
	table := make([]string, len(mutants)+1)
	table[0] = product.row("**the mixer**", cmp.Or(product.missed(all), "nothing"))
	t.Cleanup(func() { fmt.Print(head, strings.Join(table, "")) })
	for i, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := measure(t, m.overlay(t), "quietest", product)
			missed := r.missed(reached)
			table[i+1] = r.row(m.name, cmp.Or(missed, "**nothing that the mixer reaches**"))
			if missed == "" {
				t.Error("as good as the mixer by its goals")
			}
		})
	}
}

// overlay writes a changed copy of a file and returns the overlay file for go build.
func (m *mutant) overlay(t *testing.T) (file string) {
	return overlay(t, map[string][]edit{m.file: m.edits})
}

// overlay writes changed copies of files, by name, and returns the overlay file for go build.
func overlay(t *testing.T, edits map[string][]edit) (file string) {
	folder, replace := t.TempDir(), map[string]string{}
	for name, list := range edits {
		original, err := filepath.Abs(filepath.Join(module, name))
		if err != nil {
			t.Fatal(err)
		}
		source, err := os.ReadFile(original)
		if err != nil {
			t.Fatal(err)
		}
		text := string(source)
		for _, e := range list {
			if n := strings.Count(text, e.old); n != 1 {
				t.Fatalf("%s has %d times what is to be replaced, want once: %s", name, n, e.old)
			}
			text = strings.Replace(text, e.old, e.new, 1)
		}
		changed := filepath.Join(folder, filepath.Base(name))
		if err := os.WriteFile(changed, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		replace[original] = changed
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// measure builds the command and runs its benchmark.
func measure(t *testing.T, overlay, policies string, product result) result {
	t.Helper()
	seeds := "1,2,3,4,5,6"
	if testing.Short() {
		seeds = "1"
	}
	program := filepath.Join(t.TempDir(), "voicepool.exe")
	var out []byte
	for _, args := range [][]string{
		{"go", "build", "-overlay", overlay, "-o", program, "./cmd/voicepool"},
		{program, "stealbench", "-q", "--json", "--scene", strings.Join(scenes, ","), "--voices", "32", "--seeds", seeds, "--policies", policies},
	} {
		c := exec.Command(args[0], args[1:]...)
		c.Dir = module
		c.Env = append(os.Environ(), "GOWORK=") // the workspace of the module under test
		if product != nil {
			c.Env = append(c.Env, "GOMAXPROCS=1") // several run at once, one per processor
		}
		var messages bytes.Buffer
		c.Stderr = &messages
		var err error
		if out, err = c.Output(); err != nil {
			t.Fatalf("%s: %v: %s", strings.Join(args, " "), err, &messages)
		}
	}
	return read(t, out, product)
}
