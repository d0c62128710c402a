package room

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestPreserve checks that a replaced file keeps its name until the new file takes it, also on a file system
// without hard links. Leftovers of an earlier upload do no harm.
func TestPreserve(t *testing.T) {
	for _, links := range []bool{true, false} {
		path := t.TempDir()
		folder, err := os.OpenRoot(path)
		if err != nil {
			t.Fatal(err)
		}
		defer folder.Close()
		link := folder.Link
		if !links {
			link = func(from, to string) error { return errors.ErrUnsupported }
		}
		for _, text := range []string{"one", "the second"} { // the first one leaves a file behind
			if err := os.WriteFile(filepath.Join(path, "a.wav"), []byte(text), 0o640); err != nil {
				t.Fatal(err)
			}
			if err := preserve(folder, "a.wav", 0o640, link); err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"a.wav", replacedName} {
				if got, err := os.ReadFile(filepath.Join(path, name)); err != nil || string(got) != text {
					t.Errorf("links: %v: %s has %q, %v; want %q", links, name, got, err, text)
				}
			}
		}
		if err := errors.Join(os.Remove(filepath.Join(path, replacedName)), os.MkdirAll(filepath.Join(path, replacedName, "x"), 0o700)); err != nil {
			t.Fatal(err)
		}
		if err := preserve(folder, "a.wav", 0o640, link); err == nil {
			t.Error("the second name is a folder, and there is no error")
		}
		if got, err := os.ReadFile(filepath.Join(path, "a.wav")); err != nil || string(got) != "the second" {
			t.Errorf("after an error the file has %q, %v", got, err)
		}
	}
}
