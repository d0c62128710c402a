package tmpdir

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

const ownFolder = "voicepool-test-"

// TestFolders checks that folders of ended processes are removed. Folders of running processes
// stay, and so do young ones, which may not be locked yet.
func TestFolders(t *testing.T) {
	parent, old := t.TempDir(), time.Now().Add(-time.Minute)
	age := func(folder string, mod time.Time) {
		t.Helper()
		if err := os.Chtimes(folder, mod, mod); err != nil {
			t.Fatal(err)
		}
	}
	for name, mod := range map[string]time.Time{ownFolder + "dead": old, ownFolder + "new": time.Now(), "other": old} {
		at := filepath.Join(parent, name)
		if err := os.MkdirAll(filepath.Join(at, "cache"), 0o700); err != nil {
			t.Fatal(err)
		}
		age(at, mod)
	}
	if err := os.Symlink(parent, filepath.Join(parent, ownFolder+"link")); err != nil {
		t.Fatal(err)
	}
	first, free, err := New(parent, ownFolder)
	if err != nil {
		t.Fatal(err)
	}
	age(first, old)
	second, freeSecond, err := New(parent, ownFolder)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		filepath.Join(parent, ownFolder+"dead"): false, filepath.Join(parent, ownFolder+"new"): true, filepath.Join(parent, "other"): true,
		filepath.Join(parent, ownFolder+"link"): true, first: true, second: true,
	} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(path), err == nil, want)
		}
	}
	free()
	freeSecond()
	if _, err := os.Lstat(first); err == nil {
		t.Error("a folder is there that is free")
	}
}
