package archtest

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPatches checks that each block of diff on the pages applies to the files. For a reader who follows a page, the
// block may have been applied.
func TestPatches(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err) // the tests need no program but Go; CI has git
	}
	apply := func(p part, direction ...string) ([]byte, error) {
		c := exec.Command("git", append([]string{"apply", "--check"}, direction...)...)
		c.Stdin = strings.NewReader(p.text())
		return c.CombinedOutput()
	}
	found := false
	for at, p := range blocks(t, "diff") {
		found = true
		printed, err := apply(p)
		if err == nil {
			continue
		}
		if _, applied := apply(p, "--reverse"); applied != nil {
			t.Errorf("%s: %v\n%s", at, err, printed)
		}
	}
	if !found {
		t.Error("no page has a block of diff")
	}
}
