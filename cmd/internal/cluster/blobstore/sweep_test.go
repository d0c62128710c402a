package blobstore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// TestSweep checks that recent and needed files stay. A file that is put or found again is recent.
func TestSweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &memory{}
		put := func(d *Store, text string) string {
			t.Helper()
			sum, err := d.PutBytes(t.Context(), []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			return sum
		}
		long := New(store) // a program that runs all the time
		old, needed, again, found := put(long, "old"), put(long, "needed"), put(long, "again"), put(long, "found")
		time.Sleep(Retention - 2*time.Hour)
		put(long, "again")       // by the program that put it a day ago
		put(New(store), "found") // by another program that finds it
		time.Sleep(2 * time.Hour)
		young := put(long, "young")
		files, bytes, err := long.Sweep(t.Context(), Retention, func(context.Context) (map[string]bool, error) {
			return map[string]bool{needed: true}, nil
		})
		if files != 1 || bytes != 3 || err != nil {
			t.Errorf("%d files of %d bytes: %v", files, bytes, err)
		}
		for name, sum := range map[string]string{"needed": needed, "again": again, "found": found, "young": young} {
			if _, there := store.objects[sum]; !there {
				t.Errorf("what is %s is gone", name)
			}
		}
		if _, there := store.objects[old]; there {
			t.Error("what is old is there")
		}
		puts := store.puts
		if put(long, "old"); store.puts != puts+1 {
			t.Error("what was removed is not put again by who has put it a day ago")
		}
	})
}

// TestSweepOrder checks that needs is called after the files are listed, and only if a file is old.
// If needs fails, no file is removed.
func TestSweepOrder(t *testing.T) {
	store := &memory{objects: map[string][]byte{"a": nil, "b": nil}}
	d := New(store)
	_, _, err := d.Sweep(t.Context(), Retention, func(context.Context) (map[string]bool, error) { return nil, errors.New("no answer") })
	if err == nil || len(store.objects) != 2 {
		t.Errorf("%v: %d files are left, want both", err, len(store.objects))
	}
	// A file is found after the list was made.
	files, _, err := d.Sweep(t.Context(), Retention, func(ctx context.Context) (map[string]bool, error) { return nil, store.Touch(ctx, "a") })
	if files != 1 || err != nil || len(store.objects) != 1 {
		t.Errorf("%d files: %v, and %d are left", files, err, len(store.objects))
	}
	if _, _, err := d.Sweep(t.Context(), Retention, func(context.Context) (map[string]bool, error) { t.Error("asked"); return nil, nil }); err != nil {
		t.Error(err)
	}
}

// TestSwept checks that a client that puts files, and records them within hours, never loses them
// to a concurrent sweep.
func TestSwept(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		synctest.Test(t, func(t *testing.T) {
			store, needed := &memory{}, map[string]bool{}
			stores := []*Store{New(store), New(store), New(store)}
			var pending []string
			for range rapid.IntRange(1, 60).Draw(r, "steps") {
				d := stores[rapid.IntRange(0, 2).Draw(r, "store")]
				switch rapid.IntRange(0, 4).Draw(r, "step") {
				case 0, 1:
					sum, err := d.PutBytes(t.Context(), []byte{byte(rapid.IntRange(0, 3).Draw(r, "file"))})
					if err != nil {
						r.Fatal(err)
					}
					pending = append(pending, sum)
				case 2: // all files are recorded as needed, or forgotten
					clear(needed)
					for _, sum := range pending {
						needed[sum] = true
					}
				case 3:
					pending = pending[:0]
					time.Sleep(time.Duration(rapid.IntRange(0, 60).Draw(r, "hours")) * time.Hour)
				case 4:
					if _, _, err := d.Sweep(t.Context(), Retention, func(context.Context) (map[string]bool, error) { return needed, nil }); err != nil {
						r.Fatal(err)
					}
				}
				for _, sum := range slices.Concat(pending, slices.Collect(maps.Keys(needed))) {
					if _, there := store.objects[sum]; !there {
						r.Fatalf("a file is gone that is needed")
					}
				}
			}
		})
	})
}
