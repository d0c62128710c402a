package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// script matches the path of a script, or of its folder, in a page, a comment, a message or a script.
var script = regexp.MustCompile(`\.ci/([a-z][\w-]*(?:\.d)?)`)

// TestScriptsAreListed checks that docs/testing.md names each script of .ci, and that each script that a file of the
// repository names exists.
func TestScriptsAreListed(t *testing.T) {
	page, err := os.ReadFile("docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(".ci")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() || e.Name() == "changed-code-passes" { // .ci/run quick
			continue
		}
		if !regexp.MustCompile(`\.ci/` + regexp.QuoteMeta(e.Name()) + `[ ` + "`" + `\n]`).Match(page) {
			t.Errorf("docs/testing.md does not name .ci/%s", e.Name())
		}
	}
	files, err := exec.Command("git", "ls-files", "-co", "--exclude-standard").Output()
	if err != nil {
		t.Skipf("needs git: %v", err)
	}
	for _, file := range strings.Fields(string(files)) {
		switch filepath.Ext(file) {
		case ".go", ".md", ".yaml", ".mod", "":
		default:
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil { // a deleted file or a link
			continue
		}
		for _, m := range script.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(".ci/" + m[1]); err != nil && file != ".ci/quick-finds-faults" {
				t.Errorf("%s names .ci/%s, which does not exist", file, m[1])
			}
		}
	}
}
