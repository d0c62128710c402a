package archtest

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneSwitchForLongTests requires tests to use internal/longtest for their long variants instead of go
// test's -short.
func TestOneSwitchForLongTests(t *testing.T) {
	asked := 0
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if bytes.Contains(source, []byte("testing."+"Short()")) {
			t.Errorf("%s calls testing."+"Short, want longtest.Enabled", file)
		}
		if bytes.Contains(source, []byte("longtest.Enabled()")) {
			asked++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if asked < 20 {
		t.Errorf("%d files ask for their long variants, too few to be all", asked)
	}
}
