package blobstore

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Cache is a folder of fetched files, named by their hashes. If the cache exceeds its maximum size,
// the least recently used files are removed. All methods are safe for concurrent use.
type Cache struct {
	folder string
	limit  int64

	mutex sync.Mutex
	clock uint64 // counts uses
	files map[string]*cached
	size  int64 // of all files, in bytes
}

// cached is a file of a cache. Its mutex is held while the file is fetched, linked or removed. Its fields are written
// under the mutex of the cache.
type cached struct {
	mutex   sync.Mutex
	size    int64
	used    uint64
	present bool
}

// NewCache returns an empty cache of files in folder, which must exist. The cache keeps files of at most limit bytes
// together, or more while files are in use. Files that are in the folder already are not part of the cache, and are not
// removed. Only the cache may write to the folder.
func NewCache(folder string, limit int64) *Cache {
	return &Cache{folder: folder, limit: limit, files: map[string]*cached{}}
}

// linkFile makes path a hard link to the cached file with the hash sum, or a copy of it. path must not exist. If the
// cache lacks the file, linkFile calls fetch, which must write the file to the path that it gets. Other callers for the
// same file wait until then.
//
// At the end, the least recently used files beyond the limit of the cache are removed, but not the file of this call.
// If fetch fails, linkFile returns its error, and the next call fetches again.
func (c *Cache) linkFile(sum, path string, fetch func(path string) error) error {
	if err := CheckSum(sum); err != nil {
		return err
	}
	c.mutex.Lock()
	one := c.files[sum]
	if one == nil {
		one = &cached{}
		c.files[sum] = one
	}
	c.clock++
	one.used = c.clock
	c.mutex.Unlock()

	one.mutex.Lock()
	defer one.mutex.Unlock()
	at := filepath.Join(c.folder, sum)
	if !one.present {
		if err := fetch(at); err != nil {
			return err
		}
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		c.mutex.Lock()
		one.present, one.size = true, info.Size()
		c.size += one.size
		c.mutex.Unlock()
	}
	if err := link(at, path); err != nil {
		return err
	}
	c.shrink()
	return nil
}

// has reports whether the cache has the file with the hash sum at this moment. It may be removed afterwards.
func (c *Cache) has(sum string) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.files[sum] != nil && c.files[sum].present
}

// shrink removes the least recently used files until the cache is within its limit. Files that linkFile uses at this
// moment are kept, even if the cache stays too large. The caller must not hold c.mutex.
func (c *Cache) shrink() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.size <= c.limit {
		return
	}
	sums := make([]string, 0, len(c.files))
	for sum := range c.files {
		sums = append(sums, sum)
	}
	slices.SortFunc(sums, func(a, b string) int { return cmp.Compare(c.files[a].used, c.files[b].used) })
	for _, sum := range sums {
		one := c.files[sum]
		if c.size <= c.limit {
			return
		}
		if !one.mutex.TryLock() {
			continue
		}
		if one.present && os.Remove(filepath.Join(c.folder, sum)) == nil {
			c.size -= one.size
			one.present = false // a waiting caller fetches it again
		}
		one.mutex.Unlock()
	}
}

// link makes path a hard link to the file with the path in the parameter from. If a link is not possible, it copies the
// file. path must not exist. After a failed copy, an incomplete file may remain.
func link(from, path string) error {
	if os.Link(from, path) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("a copy of %s: %w", from, err)
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
