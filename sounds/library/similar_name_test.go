package library

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// TestNearby checks the suggestion in the error of a missing file: a name that differs only in case, slashes or
// accent encoding. It covers loads and streams, from the disk and from an fs.FS.
func TestNearby(t *testing.T) {
	dir := t.TempDir()
	data := formatFile(t, "flac-8.flac")
	files := fstest.MapFS{}
	for _, name := range []string{"sub/s.flac", "Boom.FLAC", "cafe\u0301.flac", "\u00fcber/Nai\u0308ve.flac"} {
		files[name] = &fstest.MapFile{Data: data}
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "boom.flac")); err == nil {
		t.Skip("a file system without upper and lower case")
	}
	for name, want := range map[string]string{
		`sub\s.flac`:                    `sub/s.flac" is there: write slashes`,
		"boom.flac":                     `Boom.FLAC" is there, which differs in upper and lower case`,
		"SUB/S.flac":                    `sub/s.flac" is there, which differs in upper and lower case`,
		"caf\u00e9.flac":                `cafe\u0301.flac" is there, which differs in how its accents are encoded`,
		"u\u0308ber/na\u00efve.flac":    `\u00fcber/Nai\u0308ve.flac" is there, which differs in how its accents are encoded`,
		"cafe.flac":                     "",
		"sub":                           "",
		"nowhere/s.flac":                "",
		strings.Repeat("../", 20) + "s": "",
	} {
		lib := NewLibrary(Options{})
		for _, src := range []Source{{File: dir + "/" + name}, {File: name, FS: files}} {
			if !fs.ValidPath(name) && src.FS != nil || name == "sub" {
				continue
			}
			_, loaded := lib.Load(t.Context(), src)
			_, streamed := lib.OpenStream(src, StreamOptions{})
			for _, err := range []error{loaded, streamed} {
				if !errors.Is(err, fs.ErrNotExist) || want == "" && strings.Contains(err.Error(), " is there") || want != "" && !strings.Contains(err.Error(), want) {
					t.Errorf("%q: %v, want %s", name, err, want)
				}
			}
		}
	}
}

// TestNearbyIsBounded checks that a library searches only for the first missing files, and not along long
// paths.
func TestNearbyIsBounded(t *testing.T) {
	files := &countedFS{MapFS: fstest.MapFS{"Boom.flac": {Data: nil}}}
	lib := NewLibrary(Options{})
	for range 1000 {
		_, loaded := lib.Load(t.Context(), Source{File: "boom.flac", FS: files})
		_, streamed := lib.OpenStream(Source{File: "boom.flac", FS: files}, StreamOptions{})
		if !errors.Is(loaded, fs.ErrNotExist) || !errors.Is(streamed, fs.ErrNotExist) {
			t.Fatal(loaded, streamed)
		}
	}
	if files.folders != maxSearches {
		t.Errorf("%d folders are listed, want %d", files.folders, maxSearches)
	}
	if near := (Source{File: strings.Repeat("../", 100) + "s"}).similarFile(); near != "" {
		t.Error(near)
	}
}

// countedFS counts how many folders are opened.
type countedFS struct {
	fstest.MapFS
	folders int
}

func (c *countedFS) Open(name string) (fs.File, error) {
	if name == "." {
		c.folders++
	}
	return c.MapFS.Open(name)
}
