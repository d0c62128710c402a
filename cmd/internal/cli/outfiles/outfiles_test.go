package outfiles

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.json")
	if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	create := func() *File {
		t.Helper()
		r, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("before it is saved there are %d files, want the old report alone", len(files))
		}
		return r
	}
	has := func(want string) {
		t.Helper()
		got, err := os.ReadFile(path)
		if err != nil || string(got) != want {
			t.Errorf("the file has %q, %v, want %q", got, err, want)
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("there are %d files, want the report alone", len(files))
		}
	}
	create().Discard()
	has("old")
	r := create()
	broken := errors.New("broken")
	if err := r.Save(func(w io.Writer) error { return broken }); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), path+": ") {
		t.Errorf("Save says %v", err)
	}
	r.Discard()
	has("old")
	r = create()
	if err := r.Save(func(w io.Writer) error { _, err := w.Write([]byte("new")); return err }); err != nil {
		t.Fatal(err)
	}
	r.Discard()
	has("new")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if r, err := Create(path); err != nil || r == nil {
		t.Errorf("a new one makes %v, %v", r, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("before it is saved there are %d files, want none", len(files))
	}
	if r, err := Create(filepath.Join(dir, "none", "report.json")); r != nil || err == nil {
		t.Errorf("a folder that is not there makes %v, %v", r, err)
	}
	if r, err := Create("-"); r != nil || err != nil {
		t.Errorf("- makes %v, %v", r, err)
	}
}
