package blobstore

import (
	"context"
	"slices"
	"time"
)

// A client first stores its files and then records that they are needed. Therefore Sweep keeps
// every file that was put or found during the last day.
const (
	Retention  = 24 * time.Hour
	touchAfter = time.Hour // files used longer ago are touched when they are found
)

// Sweep removes stored files that are not needed any longer. A file that was put or touched within the duration
// retention, normally Retention, is kept. needs returns the set of the hashes of needed files. Sweep calls it after it
// has listed the files, and only if a file is old enough.
//
// The results are the number of removed files and their size in bytes, even after an error.
func (d *Store) Sweep(ctx context.Context, retention time.Duration, needs func(context.Context) (map[string]bool, error)) (files int, bytes int64, err error) {
	old, now, err := d.store.List(ctx)
	if err != nil {
		return 0, 0, err
	}
	old = slices.DeleteFunc(old, func(o Object) bool { return now.Sub(o.Used) < retention })
	if len(old) == 0 {
		return 0, 0, nil
	}
	needed, err := needs(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, o := range old {
		if needed[o.Name] {
			continue
		}
		removed, err := d.store.Remove(ctx, o)
		if err != nil {
			return files, bytes, err
		}
		if removed {
			files++
			bytes += o.Size
		}
	}
	return files, bytes, nil
}
