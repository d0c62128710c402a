package blobstore

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPut checks that a complete file is not sent again, and that an incomplete one is.
func TestPut(t *testing.T) {
	store, ctx := &memory{}, t.Context()
	sum, err := New(store).PutBytes(ctx, []byte("sound"))
	if err != nil || sum != hash([]byte("sound")) {
		t.Fatalf("Put gives %s, %v", sum, err)
	}
	for _, step := range []struct {
		there string
		puts  int
	}{{"sound", 1}, {"sou", 2}, {"", 3}} {
		store.objects[sum] = []byte(step.there)
		if _, err := New(store).PutBytes(ctx, []byte("sound")); err != nil || store.puts != step.puts || string(store.objects[sum]) != "sound" {
			t.Errorf("with %q there: %v, %d puts, want %d; then %q", step.there, err, store.puts, step.puts, store.objects[sum])
		}
	}
	opened := 0
	_, err = New(store).Put(ctx, func() (io.ReadCloser, error) {
		opened++
		return io.NopCloser(strings.NewReader(strings.Repeat("x", opened))), nil
	})
	if err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("of a file that changes it says %v", err)
	}
}

// TestPutFile checks that a changed file is hashed again, even with the same size and time if the
// time is recent.
func TestPutFile(t *testing.T) {
	d, ctx, path := New(&memory{}), t.Context(), filepath.Join(t.TempDir(), "a")
	for _, c := range []struct {
		text string
		age  time.Duration
		want string
	}{
		{"one", time.Hour, "one"},
		{"two", time.Hour, "two"},
		{"six", 0, "six"},
		{"ten", 0, "ten"},
	} {
		mod := time.Now().Add(-c.age).Truncate(time.Hour)
		if c.age == 0 {
			mod = time.Now().Add(time.Hour)
		}
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if c.text != "one" && c.age > 0 {
			mod = mod.Add(time.Second)
		}
		if err := os.Chtimes(path, mod, mod); err != nil {
			t.Fatal(err)
		}
		if sum, err := d.PutFile(ctx, path); err != nil || sum != hash([]byte(c.want)) {
			t.Errorf("of %q it gives %s, %v", c.text, sum, err)
		}
	}
	if _, err := d.PutFile(ctx, filepath.Dir(path)); err == nil {
		t.Error("a folder is a file")
	}
}

// TestGet checks that a wrong hash leaves no file.
func TestGet(t *testing.T) {
	store, ctx := &memory{objects: map[string][]byte{}}, t.Context()
	good, bad, folder := hash([]byte("good")), hash([]byte("bad")), t.TempDir()
	store.objects[good], store.objects[bad] = []byte("good"), []byte("worse")
	for _, cached := range []bool{false, true} {
		d := New(store)
		if cached {
			d = d.Cached(NewCache(t.TempDir(), 1<<20))
		}
		for _, c := range []struct{ sum, want, err string }{
			{good, "good", ""},
			{bad, "", "another SHA-256"},
			{hash(nil), "", "is not in the object store"},
			{"../../etc/passwd", "", "invalid SHA-256"},
			{strings.ToUpper(good), "", "invalid SHA-256"},
		} {
			path := filepath.Join(folder, "file")
			err := d.Get(ctx, c.sum, path)
			got, _ := os.ReadFile(path)
			if string(got) != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("cached %v: Get(%q) gives %q, %v", cached, c.sum, got, err)
			}
			os.Remove(path)
			if left, _ := os.ReadDir(folder); len(left) > 0 {
				t.Fatalf("cached %v: Get(%q) leaves %v", cached, c.sum, left)
			}
		}
	}
}

// TestCache checks that a cached file is not fetched again, and that the cache keeps its limit.
func TestCache(t *testing.T) {
	store, ctx, folder := &memory{}, t.Context(), t.TempDir()
	var sums []string
	for i := range 6 {
		sum, err := New(store).PutBytes(ctx, bytes.Repeat([]byte{byte(i)}, 100))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, sum)
	}
	d := New(store).Cached(NewCache(folder, 350))
	for step, c := range []struct{ get, gets int }{
		{0, 1}, {0, 1}, {1, 2}, {2, 3}, {0, 3}, {3, 4}, {0, 4}, {1, 5}, {4, 6}, {5, 7}, {0, 8},
	} {
		path := filepath.Join(t.TempDir(), "x")
		if err := d.Get(ctx, sums[c.get], path); err != nil || store.gets != c.gets {
			t.Errorf("step %d: %v, fetched %d times, want %d", step, err, store.gets, c.gets)
		}
		if got, _ := os.ReadFile(path); hash(got) != sums[c.get] {
			t.Errorf("step %d: another file", step)
		}
		if files, _ := os.ReadDir(folder); len(files) > 3 {
			t.Errorf("step %d: %d files are kept, want 3 at most", step, len(files))
		}
		if err := d.Get(ctx, sums[c.get], path); !errors.Is(err, os.ErrExist) {
			t.Errorf("step %d: over a file that is there: %v", step, err)
		}
	}
}
