// Package blobstore stores files by content in an object store of NATS: sheets, sounds and results. The
// name of a file is its SHA-256, so equal files are stored once. A sheet with all files that it
// plays is a Bundle.
//
//	d, err := blobstore.Open(ctx, c)
//	sum, err := d.Pack(ctx, &sheet.Rules, text, "show.yaml", open) // on one machine
//	b, err := d.Bundle(ctx, sum)                                   // on another
//	path, err := d.Unpack(ctx, b, folder)
package blobstore

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

// ErrMissing is the error of a file that is not stored, or not completely.
var ErrMissing = errors.New("is not in the object store")

// Object describes a stored file.
type Object struct {
	Name string
	Size int64
	Sum  string    // the SHA-256 reported by the store
	Used time.Time // when it was last put or touched, by the clock of the store
}

// Backend is a store of named objects.
type Backend interface {
	// Stat describes an object. If the name is unknown, the error is ErrMissing.
	Stat(ctx context.Context, name string) (Object, error)
	// Touch sets the Used time of an object to now. If the name is unknown, the error is
	// ErrMissing.
	Touch(ctx context.Context, name string) error
	// List returns all objects and the current time of the store's clock.
	List(ctx context.Context) (all []Object, now time.Time, err error)
	// Remove removes an object unless it was put or touched since o was read. It reports whether
	// the object was removed.
	Remove(ctx context.Context, o Object) (bool, error)
	// Put stores or replaces an object. It returns the SHA-256 of the data.
	Put(ctx context.Context, name string, r io.Reader) (sum string, err error)
	// Add stores data under its SHA-256. It returns the hash and the size in bytes.
	Add(ctx context.Context, r io.Reader) (sum string, size int64, err error)
	// Get opens an object for reading.
	Get(ctx context.Context, name string) (io.ReadCloser, error)
}

// Store stores files by content: the name of a file is its SHA-256 in lower-case hexadecimal digits. All methods are
// safe for concurrent use.
type Store struct {
	store Backend
	cache *Cache // optional

	mutex    sync.Mutex
	hashed   map[string]hashedFile // files on the disk, by path
	lastSeen map[string]time.Time  // when hashes were last found in the store
}

// hashedFile is the hash of a file on the disk. It is valid while the size and the modification time
// are unchanged.
type hashedFile struct {
	size     int64
	mod      time.Time
	hashedAt time.Time // when it was hashed
	sum      string
}

// New returns a Store that keeps its files in the given backend. It has no cache.
func New(store Backend) *Store {
	return &Store{store: store, hashed: map[string]hashedFile{}, lastSeen: map[string]time.Time{}}
}

// Cached returns a Store with the same backend as d and the cache c. Its Get and Unpack look for a file in c first, and
// keep fetched files there. d is unchanged.
func (d *Store) Cached(c *Cache) *Store {
	with := New(d.store)
	with.cache = c
	return with
}

// CheckSum returns an error unless sum has the form of a SHA-256 in 64 lower-case hexadecimal digits.
func CheckSum(sum string) error {
	if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != sum {
		return fmt.Errorf("invalid SHA-256 %q (want 64 digits of 0-9 and a-f)", words.OneLine(sum[:min(len(sum), 80)]))
	}
	return nil
}

// Put stores a file and returns its hash. If the store has the complete file already, Put does not send it again. The
// function open opens the file. Put calls it once to hash the file and, if necessary, again to send it, and closes the
// readers.
//
// For an hour after a success, Put assumes without a request that the store still has the same data. If the file
// changes between the two calls of open, Put returns an error. If a stored file was last used more than an hour ago,
// Put renews the time of use. So Sweep does not remove the file as old.
func (d *Store) Put(ctx context.Context, open func() (io.ReadCloser, error)) (sum string, err error) {
	sum, err = d.sum(open)
	if err != nil {
		return "", err
	}
	return sum, d.send(ctx, sum, open)
}

// PutFile stores the file at path on the disk and returns its hash. If the store has the file already, it is not sent
// again; see Put.
func (d *Store) PutFile(ctx context.Context, path string) (sum string, err error) {
	return d.Put(ctx, func() (io.ReadCloser, error) { return os.Open(path) })
}

// PutBytes stores data as a file and returns the hash of the data. If the store has the data already, they are not sent
// again; see Put.
func (d *Store) PutBytes(ctx context.Context, data []byte) (sum string, err error) {
	return d.Put(ctx, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil })
}

// Add stores the data of r and returns their hash and their size in bytes. It reads r only once. Unlike Put, it sends
// data that the store has already. So it suits data that are probably new.
func (d *Store) Add(ctx context.Context, r io.Reader) (sum string, size int64, err error) {
	return d.store.Add(ctx, r)
}

// sum returns the SHA-256 of the file that the function open opens. It closes the file. For a file on the disk the hash
// is remembered by its path. The hash is computed again if the size or the time of the file has changed. It is also
// computed again if the file was less than 2 s old at the last computation. About 16,000 hashes are remembered; then
// all are dropped. A folder or a device is an error.
func (d *Store) sum(open func() (io.ReadCloser, error)) (string, error) {
	r, err := open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	file, onDisk := r.(*os.File)
	now := hashedFile{hashedAt: time.Now()}
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
		// Timestamps are coarse: a file hashed right after a write may have changed again with the
		// same time.
		if known && last.size == now.size && last.mod.Equal(now.mod) && last.hashedAt.Sub(last.mod) > 2*time.Second {
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
		clearIfFull(d.hashed)
		d.hashed[file.Name()] = now
		d.mutex.Unlock()
	}
	return now.sum, nil
}

// send makes sure that the store has the file with the hash sum. The function open opens the file. If the store lacks
// the file, send reads and stores it. If the data then have another hash, the result is an error. For a stored file
// that was last used more than an hour ago, send renews the time of use. For an hour after a success, a further call
// for the same hash returns nil at once.
func (d *Store) send(ctx context.Context, sum string, open func() (io.ReadCloser, error)) error {
	d.mutex.Lock()
	found := time.Since(d.lastSeen[sum]) < touchAfter
	d.mutex.Unlock()
	if found {
		return nil
	}
	o, err := d.store.Stat(ctx, sum)
	if err == nil && o.Sum == sum && time.Since(o.Used) > touchAfter {
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
		if sent != sum { // harmless: readers compare the object's hash with its name
			return errors.New("changed while it was read; try again")
		}
	}
	d.mutex.Lock()
	clearIfFull(d.lastSeen)
	d.lastSeen[sum] = time.Now()
	d.mutex.Unlock()
	return nil
}

// clearIfFull removes all entries of m if it has 16,384 or more, so that m does not grow without a limit.
func clearIfFull[V any](m map[string]V) {
	if len(m) >= 1<<14 {
		clear(m)
	}
}

// Size returns the size in bytes of the stored file with the hash sum. It does not read the file. If the file is
// missing, or if the store reports another hash for it, the error wraps ErrMissing. An invalid sum is another error.
func (d *Store) Size(ctx context.Context, sum string) (int64, error) {
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

// Touch sets the time of the last use of the file with the hash sum to now, so that Sweep keeps the file. If the file
// is not stored, the error wraps ErrMissing. An invalid sum is another error.
func (d *Store) Touch(ctx context.Context, sum string) error {
	err := CheckSum(sum)
	if err == nil {
		err = d.store.Touch(ctx, sum)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", sum, err)
	}
	return nil
}

// Get writes the stored file with the hash sum to path, completely or not at all. With a cache, the file is taken from
// the cache or kept there, and path must not exist. Without a cache, an existing file at path is replaced. If the file
// is not stored, the error wraps ErrMissing. Stored data with another hash are an error, too.
func (d *Store) Get(ctx context.Context, sum, path string) error {
	if d.cache != nil {
		return d.cache.linkFile(sum, path, func(path string) error { return d.fetch(ctx, sum, path) })
	}
	return d.fetch(ctx, sum, path)
}

// fetch writes the stored file with the hash sum to path, completely or not at all. It does not use the cache. An
// existing regular file at path is replaced; another kind of file is an error. The other errors are the errors of
// Write.
func (d *Store) fetch(ctx context.Context, sum, path string) error {
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
	return f.Commit()
}

// Write copies the stored file with the hash sum to w. It does not use the cache. If the file is not stored, the error
// wraps ErrMissing. If its data have another hash, Write returns an error, but only after it has written all bytes.
func (d *Store) Write(ctx context.Context, sum string, w io.Writer) error {
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
		return fmt.Errorf("%s: the stored file has another SHA-256, %s", sum, got)
	}
	return nil
}

// read returns the data of the stored file with the hash sum. It does not use the cache. If the file has more than
// limit bytes, it returns an error and does not read the file. If the file is missing, the error wraps ErrMissing.
func (d *Store) read(ctx context.Context, sum string, limit int64) ([]byte, error) {
	size, err := d.Size(ctx, sum)
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, fmt.Errorf("%s: %d bytes are more than the %d that a bundle may have", sum, size, limit)
	}
	var text bytes.Buffer
	if err := d.Write(ctx, sum, &text); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}
