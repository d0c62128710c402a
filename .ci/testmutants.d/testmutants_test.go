package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fixture returns a copy of the fixture: a run must not change it, and a test edits its tests.
func fixture(t *testing.T) string {
	folder := filepath.Join(t.TempDir(), "fixture")
	if err := os.CopyFS(folder, os.DirFS("testdata/fixture")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// testmutants runs the program on a fixture. It returns the results by the text of the line and the edit.
func testmutants(t *testing.T, folder string, want int, flags ...string) (results map[string]*result, out string) {
	t.Helper()
	var printed bytes.Buffer
	// Two edits hang, so the limit is short, but a busy machine may stall a quick test for seconds.
	flags = append([]string{"-root", folder, "-tree", "./...", "-wide", "./twice/use", "-limit", "15s"}, flags...)
	code, err := run(t.Context(), flags, &printed)
	if err != nil {
		t.Fatal(err)
	}
	if code != want {
		t.Fatalf("exit code %d, want %d:\n%s", code, want, &printed)
	}
	results = map[string]*result{}
	if i := slices.Index(flags, "-o"); i >= 0 {
		for _, r := range readRecord(t, flags[i+1]).Results {
			name := r.Edit.Kind + ": " + r.Edit.Text
			if r.Edit.Kind != "negate" && r.Edit.Kind != "delete" {
				name += ": " + r.Edit.Old + " " + r.Edit.New
			}
			results[name] = r
		}
	}
	return results, printed.String()
}

func readRecord(t *testing.T, file string) (r record) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAllEditsOfTheFixture applies each edit of a small module and checks its result.
func TestAllEditsOfTheFixture(t *testing.T) {
	t.Parallel()
	folder, file := fixture(t), filepath.Join(t.TempDir(), "all.json")
	results, out := testmutants(t, folder, 1, "-n", "1000", "-j", "2", "-o", file)
	for _, want := range []struct{ name, result, by string }{
		{"negate: if list[i] < limit {", killed, "clamp"},
		{"operator: if list[i] < limit {: < <=", killed, "clamp"},
		{"delete: sum += list[i]", killed, "clamp"},
		{"operator: sum += list[i]: += -=", killed, "clamp"},
		{"constant: for i := 0; i < len(list); i++ {: 0 1", killed, "clamp"},
		{"operator: for i := 0; i < len(list); i++ {: < <=", killed, "clamp"}, // out of range
		{"delete: return sum", invalid, ""},
		{"operator: n++: ++ --", lost, "half"},
		{"delete: n++", lost, "half"},
		{"constant: return n / 2: 2 3", killed, "half"},
		{"negate: if n%2 == 1 {", lost, "half"}, // (8+1)/2 is 4 too
		{"delete: n--", killed, "countdown"},
		{"constant: return n * 2: 2 3", killed, "twice/use"},
		{"operator: return n * 2: * /", killed, "twice/use"},
		{"constant: return n * 3: 3 4", survived, ""},
		{"operator: return n * 3: * /", survived, ""},
	} {
		r := results[want.name]
		if r == nil {
			t.Errorf("%s: no such edit among %q", want.name, slices.Sorted(maps.Keys(results)))
			continue
		}
		if r.Result != want.result || strings.TrimPrefix(r.By, "fixture/") != want.by {
			t.Errorf("%s: %s by %q %q, want %s by %q", want.name, r.Result, r.By, r.Tests, want.result, want.by)
		}
	}
	if hang := results["delete: n--"]; hang != nil && (!hang.Late || !slices.Equal(hang.Tests, []string{"TestSteps"})) {
		t.Errorf("an endless loop: late %t in %q, want TestSteps to be late", hang.Late, hang.Tests)
	}
	_, list, _ := strings.Cut(out, "\nlost:\n")
	if !strings.HasPrefix(list, "half/half.go:") {
		t.Errorf("the lost edits are not listed:\n%s", out)
	}
}

// TestBefore weakens a test, and must find the edits that only the earlier test detected.
func TestBefore(t *testing.T) {
	t.Parallel()
	folder := fixture(t)
	before, after := filepath.Join(t.TempDir(), "before.json"), filepath.Join(t.TempDir(), "after.json")
	testmutants(t, folder, 0, "-n", "1000", "-packages", "./clamp", "-o", before)
	replace(t, filepath.Join(folder, "clamp/clamp_test.go"), "[]int{1, 5, 3, 7, 2}", "[]int{1, 3, 7, 2}")
	replace(t, filepath.Join(folder, "clamp/clamp.go"), "i < len(list)", "i != len(list)")
	replace(t, filepath.Join(folder, "clamp/clamp.go"), "if list[i] < limit {", "if list[i] < limit { // a comment is no code")
	results, out := testmutants(t, folder, 1, "-packages", "./clamp", "-before", before, "-o", after)
	for name, r := range results {
		want := killed
		if name == "operator: if list[i] < limit {: < <=" {
			want = lost
		}
		if r.Result != want || r.By != "fixture/clamp" || !slices.Equal(r.Tests, []string{"TestSum"}) {
			t.Errorf("%s: %s by %q %q, want %s by TestSum", name, r.Result, r.By, r.Tests, want)
		}
	}
	if results["operator: if list[i] < limit {: < <="] == nil {
		t.Errorf("the lost edit is missing:\n%s", out)
	}
	if _, gone, _ := strings.Cut(out, "no longer in the code"); !strings.Contains(gone, "for i := 0; i < len(list); i++ {") {
		t.Errorf("the edits of the changed line are not told:\n%s", out)
	}
}

// TestResume stops a run early and resumes it.
func TestResume(t *testing.T) {
	t.Parallel()
	folder, file := fixture(t), filepath.Join(t.TempDir(), "some.json")
	flags := []string{"-n", "4", "-packages", "./clamp,./half", "-long", "none", "-o", file}
	testmutants(t, folder, 0, append(flags, "-n", "2")...)
	first := readRecord(t, file).Results
	testmutants(t, folder, 0, flags...)
	all := readRecord(t, file).Results
	compiled := func(list []*result) (n int) {
		for _, r := range list {
			if r.Result != invalid {
				n++
			}
		}
		return n
	}
	if len(all) < len(first) || compiled(first) != 2 || compiled(all) != 4 {
		t.Errorf("%d and %d edits, want 2 and 4", compiled(first), compiled(all))
	}
	for i := range first {
		if first[i].Edit.key() != all[i].Edit.key() || first[i].Seconds != all[i].Seconds {
			t.Errorf("edit %d was tested again: %s", i, first[i].Edit.key())
		}
	}
	if _, out := testmutants(t, folder, 0, flags...); strings.HasPrefix(out, killed) || len(readRecord(t, file).Results) != len(all) {
		t.Errorf("a complete run tests more:\n%s", out)
	}
}

// TestReach runs the tests of a package first, and the tests of other packages only for surviving mutants.
func TestReach(t *testing.T) {
	t.Parallel()
	folder, file := fixture(t), filepath.Join(t.TempDir(), "reach.json")
	flags := []string{"-n", "1000", "-packages", "./twice,./half", "-o"}
	first, _ := testmutants(t, folder, 0, append(flags, file, "-reach", "own", "-long", "none")...)
	second, _ := testmutants(t, folder, 1, append(flags, file+".wide", "-long", "own")...)
	for _, want := range []struct{ name, first, second string }{
		{"constant: return n * 2: 2 3", survived, killed},
		{"constant: return n * 3: 3 4", survived, survived},
		{"delete: n++", survived, lost},
		{"constant: return n / 2: 2 3", killed, killed},
	} {
		a, b := first[want.name], second[want.name]
		if a == nil || b == nil || a.Result != want.first || b.Result != want.second {
			t.Errorf("%s: %v and then %v, want %s and %s", want.name, a, b, want.first, want.second)
		}
	}
	if len(first) != len(second) {
		t.Errorf("%d edits and then %d", len(first), len(second))
	}
}

// TestUnfit checks that a test which fails without an edit kills no mutant.
func TestUnfit(t *testing.T) {
	t.Setenv("FIXTURE_UNFIT", "1")
	file := filepath.Join(t.TempDir(), "unfit.json")
	results, out := testmutants(t, fixture(t), 0, "-n", "1000", "-packages", "./twice", "-long", "none", "-o", file)
	if r := results["constant: return n * 3: 3 4"]; r == nil || r.Result != survived {
		t.Errorf("killed by a test that fails without an edit:\n%s", out)
	}
	if r := results["constant: return n * 2: 2 3"]; r == nil || r.Result != killed || slices.Contains(r.Tests, "TestUnfit") {
		t.Errorf("survived beside a test that fails without an edit:\n%s", out)
	}
	if !strings.Contains(out, "left out in fixture/twice/use, because they fail without an edit: TestUnfit") {
		t.Errorf("the test is not told:\n%s", out)
	}
}

// TestLeftProcesses kills a process started by a mutant, and no other process.
func TestLeftProcesses(t *testing.T) {
	t.Parallel()
	start := func(mark string) (*exec.Cmd, io.Closer) {
		c := exec.Command("cat")
		c.Env = append(os.Environ(), mark)
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c, in
	}
	left, _ := start("TESTMUTANTS_RUN=test.1")
	other, in := start("TESTMUTANTS_RUN=test.11")
	killMarked("TESTMUTANTS_RUN=test.1")
	if err := left.Wait(); err == nil || left.ProcessState.Exited() {
		t.Errorf("the process has ended by itself: %v", left.ProcessState)
	}
	in.Close()
	if err := other.Wait(); err != nil {
		t.Errorf("the other process: %v", err)
	}
}

// TestTurns checks that edits are shared out by lines, with at least one for each tested package. A longer run
// extends a shorter one.
func TestTurns(t *testing.T) {
	edits := make([]*edit, 1000)
	small := &pkg{ImportPath: "small", lines: 10, edits: edits[:5], TestGoFiles: []string{"small_test.go"}}
	big := &pkg{ImportPath: "big", lines: 900, edits: edits, TestGoFiles: []string{"big_test.go"}}
	half := &pkg{ImportPath: "half", lines: 450, edits: edits}
	none := &pkg{ImportPath: "none", TestGoFiles: []string{"none_test.go"}}
	list := turns([]*pkg{none, half, small, big}, 1, 30)
	n := map[*pkg]int{}
	for _, p := range list {
		n[p]++
	}
	if n[small] != 1 || n[big] != 19 || n[half] != 10 || len(list) != 30 {
		t.Errorf("small %d, big %d, half %d of 30, want 1, 19, 10", n[small], n[big], n[half])
	}
	if shorter := turns([]*pkg{big, small, half, none}, 1, 7); !slices.Equal(shorter, list[:7]) {
		t.Error("a shorter run is not the beginning of a longer one")
	}
}

func replace(t *testing.T, file, old, text string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(data), old) != 1 {
		t.Fatalf("%s has not one %q", file, old)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(data), old, text, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
}
