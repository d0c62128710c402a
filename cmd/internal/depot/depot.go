// Package depot keeps files by their content in an object store of NATS: sheets, sounds and results. The
// name of a file is its SHA-256, so the same file lies there once, whoever puts it. A sheet with all that it
// plays is a Bundle.
//
//	d, err := depot.Open(ctx, c)
//	sum, err := d.Pack(ctx, &sheet.Rules, text, "show.yaml", open) // on one machine
//	b, err := d.Bundle(ctx, sum)                                   // on another
//	path, err := d.Unpack(ctx, b, folder)
package depot

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"voicepool/internal/whole"
	"voicepool/internal/words"
)

// ErrMissing is the error of a file that nobody has put, or of which parts are gone.
var ErrMissing = errors.New("is not in the object store")

// Object is a file as a store knows it.
type Object struct {
	Name string
	Size int64
	Sum  string    // the SHA-256 that the store has
	Used time.Time // when it was put, or touched, by the clock of the store
}

// Store is where the files lie.
type Store interface {
	// Stat returns what lies under a name. ErrMissing: nothing.
	Stat(ctx context.Context, name string) (Object, error)
	// Touch has what lies under a name count as put now. ErrMissing: nothing.
	Touch(ctx context.Context, name string) error
	// List returns all that lies there, and what time it is by the clock of the store.
	List(ctx context.Context) (all []Object, now time.Time, err error)
	// Remove removes an object, unless it was put or touched meanwhile, and reports whether it did.
	Remove(ctx context.Context, o Object) (bool, error)
	// Put replaces what lies under a name, and returns the SHA-256 of what it has read.
	Put(ctx context.Context, name string, r io.Reader) (sum string, err error)
	// Add puts what it reads under its SHA-256, and returns that and the size.
	Add(ctx context.Context, r io.Reader) (sum string, size int64, err error)
	// Get opens what lies under a name.
	Get(ctx context.Context, name string) (io.ReadCloser, error)
}

// Depot keeps files by their content. All methods may be called by any goroutine.
type Depot struct {
	store Store
	cache *Cache // nil: none

	mutex  sync.Mutex
	hashed map[string]stamped   // files of the disk, by path
	there  map[string]time.Time // when sums were found to lie there
}

// stamped is the sum of a file, while the file stays as it was.
type stamped struct {
	size  int64
	mod   time.Time
	heard time.Time // when it was hashed
	sum   string
}

// New returns a depot in a store.
func New(store Store) *Depot {
	return &Depot{store: store, hashed: map[string]stamped{}, there: map[string]time.Time{}}
}

// Cached returns the depot with a cache before it, from which Get and Unpack take files.
func (d *Depot) Cached(c *Cache) *Depot {
	with := New(d.store)
	with.cache = c
	return with
}

// CheckSum returns an error for what is no name of a file.
func CheckSum(sum string) error {
	if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != sum {
		return fmt.Errorf("%q is no SHA-256, want 64 digits of 0-9 and a-f", words.OneLine(sum[:min(len(sum), 80)]))
	}
	return nil
}

// Put keeps a file, unless it lies there whole, and returns its sum. It opens the file once to hash it and,
// where it has to be sent, once more. A file that changes meanwhile is an error.
func (d *Depot) Put(ctx context.Context, open func() (io.ReadCloser, error)) (sum string, err error) {
	sum, err = d.sum(open)
	if err != nil {
		return "", err
	}
	return sum, d.send(ctx, sum, open)
}

// PutFile is Put of a file of the disk.
func (d *Depot) PutFile(ctx context.Context, path string) (sum string, err error) {
	return d.Put(ctx, func() (io.ReadCloser, error) { return os.Open(path) })
}

// PutBytes is Put of bytes.
func (d *Depot) PutBytes(ctx context.Context, data []byte) (sum string, err error) {
	return d.Put(ctx, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
}

// Add keeps what it reads, in one pass: for what is hardly there already. It returns its sum and its size.
func (d *Depot) Add(ctx context.Context, r io.Reader) (sum string, size int64, err error) {
	return d.store.Add(ctx, r)
}

// sum hashes a file. A file of the disk is hashed once while its size and its time stay as they are.
func (d *Depot) sum(open func() (io.ReadCloser, error)) (string, error) {
	r, err := open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	file, onDisk := r.(*os.File)
	now := stamped{heard: time.Now()}
	if onDisk {
		info, err := file.Stat()
		if err != nil {
			return "", err
		}
		if onDisk = info.Mode().IsRegular(); !onDisk {
			return "", errors.New("is not a regular file")
		}
		now.size, now.mod = info.Size(), info.ModTime()
		d.mutex.Lock()
		last, known := d.hashed[file.Name()]
		d.mutex.Unlock()
		// What was written in the last moment before it was hashed may have changed since at the same time.
		if known && last.size == now.size && last.mod.Equal(now.mod) && last.heard.Sub(last.mod) > 2*time.Second {
			return last.sum, nil
		}
	}
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", err
	}
	now.sum = hex.EncodeToString(h.Sum(nil))
	if onDisk {
		d.mutex.Lock()
		bound(d.hashed)
		d.hashed[file.Name()] = now
		d.mutex.Unlock()
	}
	return now.sum, nil
}

// send puts a file under its sum, unless it lies there.
func (d *Depot) send(ctx context.Context, sum string, open func() (io.ReadCloser, error)) error {
	d.mutex.Lock()
	found := time.Since(d.there[sum]) < fresh
	d.mutex.Unlock()
	if found {
		return nil
	}
	o, err := d.store.Stat(ctx, sum)
	if err == nil && o.Sum == sum && time.Since(o.Used) > fresh {
		err = d.Touch(ctx, sum)
	}
	if err != nil && !errors.Is(err, ErrMissing) {
		return err
	}
	if err != nil || o.Sum != sum {
		r, err := open()
		if err != nil {
			return err
		}
		defer r.Close()
		sent, err := d.store.Put(ctx, sum, r)
		if err != nil {
			return err
		}
		if sent != sum { // which nobody takes for the file: its sum is told with it
			return errors.New("changed while it was read; try again")
		}
	}
	d.mutex.Lock()
	bound(d.there)
	d.there[sum] = time.Now()
	d.mutex.Unlock()
	return nil
}

// bound forgets all that a map remembers, before it is too much.
func bound[V any](m map[string]V) {
	if len(m) >= 1<<14 {
		clear(m)
	}
}

// Size returns the size of a file.
func (d *Depot) Size(ctx context.Context, sum string) (int64, error) {
	if err := CheckSum(sum); err != nil {
		return 0, err
	}
	o, err := d.store.Stat(ctx, sum)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s: %w", sum, err)
	case o.Sum != sum:
		return 0, fmt.Errorf("%s: %w as it was: it has the sum %s", sum, ErrMissing, words.OneLine(o.Sum))
	}
	return o.Size, nil
}

// Touch has a file that lies there count as put now, as Put does with one that it finds. ErrMissing: it is not
// there.
func (d *Depot) Touch(ctx context.Context, sum string) error {
	err := CheckSum(sum)
	if err == nil {
		err = d.store.Touch(ctx, sum)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", sum, err)
	}
	return nil
}

// Get writes a file to a path, where it appears whole or not at all. What has another sum is an error.
func (d *Depot) Get(ctx context.Context, sum, path string) error {
	if d.cache != nil {
		return d.cache.place(sum, path, func(path string) error { return d.fetch(ctx, sum, path) })
	}
	return d.fetch(ctx, sum, path)
}

// fetch is Get from the store.
func (d *Depot) fetch(ctx context.Context, sum, path string) error {
	f, err := whole.Create(path, ".part")
	if err != nil {
		return err
	}
	defer f.Discard()
	if f.Direct() {
		return fmt.Errorf("%s is not a regular file", words.OneLine(path))
	}
	if err := d.Write(ctx, sum, f); err != nil {
		return err
	}
	return f.Keep()
}

// Write writes a file to w. What has another sum is an error, which comes after its bytes.
func (d *Depot) Write(ctx context.Context, sum string, w io.Writer) error {
	if err := CheckSum(sum); err != nil {
		return err
	}
	r, err := d.store.Get(ctx, sum)
	if err != nil {
		return fmt.Errorf("%s: %w", sum, err)
	}
	defer r.Close()
	h := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w, h), r); err != nil {
		return fmt.Errorf("%s: %w", sum, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != sum {
		return fmt.Errorf("%s: what lies there has another sum, %s", sum, got)
	}
	return nil
}

// read returns a file that is at most so large.
func (d *Depot) read(ctx context.Context, sum string, most int64) ([]byte, error) {
	size, err := d.Size(ctx, sum)
	if err != nil {
		return nil, err
	}
	if size > most {
		return nil, fmt.Errorf("%s: %d bytes are more than the %d that a bundle may have", sum, size, most)
	}
	var text bytes.Buffer
	if err := d.Write(ctx, sum, &text); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}
