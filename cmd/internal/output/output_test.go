package output

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
		r, err := Create(path)
		if err != nil {
			t.Fatal(err)
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
	if r, err := Create("-"); r != nil || err != nil {
		t.Errorf("- makes %v, %v", r, err)
	}
}
