package whole

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestFile checks that a kept file exists and that a discarded one leaves no trace.
func TestFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.txt")
	make := func(text string) *File {
		t.Helper()
		f, err := Create(path, ".txt")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil || f.Direct() {
			t.Fatalf("it says %v, and is direct: %v", err, f.Direct())
		}
		return f
	}
	has := func(want string) {
		t.Helper()
		got, err := os.ReadFile(path)
		files, _ := os.ReadDir(folder)
		if err != nil || string(got) != want || len(files) != 1 {
			t.Errorf("there is %q, %v, among %d files; want %q alone", got, err, len(files), want)
		}
	}
	make("lost").Discard()
	if files, _ := os.ReadDir(folder); len(files) != 0 {
		t.Errorf("there are %d files", len(files))
	}
	for _, text := range []string{"one", "two"} {
		f := make(text)
		if err := f.Commit(); err != nil {
			t.Error(err)
		}
		f.Discard()
		has(text)
	}
	make("three").Discard()
	has("two")
	for _, wrong := range []string{"", folder, filepath.Join(folder, "none", "a"), path + string(os.PathSeparator)} {
		if f, err := Create(wrong, ""); err == nil {
			t.Errorf("%q makes %v", wrong, f)
		}
	}
}

// TestKeepFails checks that no file is left behind if a folder has the name.
func TestKeepFails(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	f, err := Create(path, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(path, "b"), fs.ModePerm); err != nil {
		t.Fatal(err)
	}
	if err := f.Commit(); err == nil {
		t.Error("it replaces a folder")
	}
	if files, _ := os.ReadDir(folder); len(files) != 1 {
		t.Errorf("there are %d files, want the folder alone", len(files))
	}
}
