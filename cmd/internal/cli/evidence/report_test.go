package evidence

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFiles checks that each file of docs/evidence, and the file that $VOICEPOOL_EVIDENCE names, is a valid report
// that Encode writes in the same form.
func TestFiles(t *testing.T) {
	files, err := filepath.Glob("../../../../docs/evidence/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*\.json$`)
	for _, file := range files {
		if !name.MatchString(filepath.Base(file)) {
			t.Errorf("%s: want a name of small letters, digits and hyphens", filepath.Base(file))
		}
	}
	if file := os.Getenv("VOICEPOOL_EVIDENCE"); file != "" {
		files = append(files, file)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		var out strings.Builder
		if err := r.Encode(&out); err != nil || out.String() != string(text) {
			t.Errorf("%s: Encode gives %v and\n%s", file, err, out.String())
		}
	}
}
