package blobstore

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"voicepool/bank/rules"
)

// ruled returns rules with sounds from files.
func ruled(paths ...string) *rules.Rules {
	r := &rules.Rules{File: "show.yaml"}
	for i, p := range paths {
		r.Sounds = append(r.Sounds, rules.Sound{Files: []rules.File{{Line: i + 1, Column: 2, Path: p}, {Name: "bell"}}})
	}
	return r
}

// TestPackUnpack checks that after Unpack each path of a sheet leads to its file, and that no file
// is outside the folder.
func TestPackUnpack(t *testing.T) {
	base := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{"..", ".", "a", "b c", "sheet", "sheet_", "Ä", "up.d"})
		paths := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			parts := rapid.SliceOfN(part, 0, 5).Draw(t, "parts")
			return strings.Join(append(parts, rapid.SampledFrom([]string{"x.wav", "y.wav"}).Draw(t, "file")), "/")
		}), 0, 6).Draw(t, "paths")
		content := func(p string) string { return "sound " + path.Clean(p) }
		store, ctx := &memory{}, t.Context()
		d := New(store)
		pack := func(paths []string) string {
			sum, err := d.Pack(ctx, ruled(paths...), []byte("text"), "show.yaml", func(p string) (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(content(p))), nil
			})
			if err != nil {
				t.Fatalf("%q: %v", paths, err)
			}
			return sum
		}
		sum := pack(paths)
		slices.Reverse(paths)
		if again := pack(paths); again != sum {
			t.Fatalf("the same content has the sums %s and %s", sum, again)
		}
		b, err := d.Bundle(ctx, sum)
		if err != nil {
			t.Fatal(err)
		}
		runs++
		around := filepath.Join(base, fmt.Sprint(runs))
		folder := filepath.Join(around, "in")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		sheet, err := d.Unpack(ctx, b, folder)
		if err != nil {
			t.Fatalf("%q: %v", paths, err)
		}
		if text, _ := os.ReadFile(sheet); string(text) != "text" || filepath.Base(sheet) != "show.yaml" {
			t.Fatalf("the sheet %s has %q", sheet, text)
		}
		for _, p := range paths {
			at := filepath.Join(filepath.Dir(sheet), filepath.FromSlash(p)) // as in rules.Source
			if got, err := os.ReadFile(at); string(got) != content(p) {
				t.Fatalf("%q: %s has %q, %v", paths, p, got, err)
			}
		}
		if outside, _ := os.ReadDir(around); len(outside) != 1 {
			t.Fatalf("beside the folder there is %v", outside)
		}
	})
}

// TestPackRefuses checks the errors and their positions for files that cannot be packed.
func TestPackRefuses(t *testing.T) {
	open := func(p string) (io.ReadCloser, error) { return os.Open(filepath.Join(t.TempDir(), p)) }
	for _, c := range []struct {
		path, want string
	}{
		{"/usr/share/x.wav", "show.yaml:1:2: /usr/share/x.wav: is an absolute path; write it relative to the sheet's folder"},
		{"gone.wav", "show.yaml:1:2: gone.wav: no such file or directory"},
		{strings.Repeat("../", 33) + "x.wav", "leads 33 folders up; at most 32 are allowed"},
		{"..", "is not a path relative to the sheet's folder"},
		{"show.yaml", "another file has the same path"},
	} {
		open := open
		if c.path == "show.yaml" {
			open = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("text")), nil }
		}
		_, err := New(&memory{}).Pack(t.Context(), ruled(c.path), []byte("text"), "show.yaml", open)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.path, err, c.want)
		}
	}
}

// TestHostileBundles checks that no bundle leads out of its folder or is unpacked in part.
func TestHostileBundles(t *testing.T) {
	sum, many := hash([]byte("x")), map[string]string{}
	for i := range maxFiles + 1 {
		many[fmt.Sprint(i)] = sum
	}
	long := strings.Repeat("a/", 3000) + "x"
	for name, c := range map[string]struct {
		b    Bundle
		want string
	}{
		"no name":       {Bundle{}, "invalid file name"},
		"name upwards":  {Bundle{Name: ".."}, "invalid file name"},
		"name below":    {Bundle{Name: "../x"}, "invalid file name"},
		"NUL in name":   {Bundle{Name: "a\x00"}, "invalid file name"},
		"absolute":      {Bundle{Name: "s", Files: map[string]string{"/etc/x": sum}}, "is not a path relative to"},
		"to a folder":   {Bundle{Name: "s", Files: map[string]string{"a/..": sum}}, "is not a path relative to"},
		"NUL":           {Bundle{Name: "s", Files: map[string]string{"a\x00b": sum}}, "without NUL"},
		"far up":        {Bundle{Name: "s", Files: map[string]string{strings.Repeat("../", 99) + "x": sum}}, "leads 99 folders up"},
		"long":          {Bundle{Name: "s", Files: map[string]string{long: sum}}, "is not a path ("},
		"many":          {Bundle{Name: "s", Files: many}, "10001 files are more"},
		"the sheet":     {Bundle{Name: "s", Files: map[string]string{"./s": sum}}, "another file has the same path"},
		"twice":         {Bundle{Name: "s", Files: map[string]string{"a": sum, "./a": hash(nil)}}, "another file has the same path"},
		"sum":           {Bundle{Name: "s", Files: map[string]string{"a": "../" + sum[3:]}}, "invalid SHA-256"},
		"missing":       {Bundle{Name: "s", Files: map[string]string{"a": hash([]byte("never"))}}, "is not in the object store"},
		"false":         {Bundle{Name: "s", Files: map[string]string{"a": hash([]byte("false"))}}, "not in the object store as it was"},
		"file a folder": {Bundle{Name: "s", Files: map[string]string{"a": sum, "a/b": sum}}, "file exists"},
	} {
		t.Run(name, func(t *testing.T) {
			store, ctx, around := &memory{objects: map[string][]byte{sum: []byte("x"), hash([]byte("false")): []byte("x")}}, t.Context(), t.TempDir()
			d, folder := New(store), filepath.Join(around, "in")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Unpack(ctx, &c.b, folder); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Unpack says %v, want %s", err, c.want)
			}
			if outside, _ := os.ReadDir(around); len(outside) != 1 {
				t.Errorf("beside the folder there is %v", outside)
			}
			data, err := json.Marshal(c.b)
			if err != nil {
				t.Fatal(err)
			}
			at, err := d.PutBytes(ctx, data)
			if err != nil {
				t.Fatal(err)
			}
			later := map[string]bool{"missing": true, "false": true, "file a folder": true}
			if _, err := d.Bundle(ctx, at); (err != nil) == later[name] {
				t.Errorf("Bundle says %v", err)
			}
		})
	}
}

// TestUnpackWants checks that Unpack requires an empty folder.
func TestUnpackWants(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]string{folder: "is not empty", filepath.Join(folder, "gone"): "no such file"} {
		if _, err := New(&memory{}).Unpack(t.Context(), &Bundle{Name: "s"}, folder); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", folder, err, want)
		}
	}
}
