package depot

import (
	"context"
	"slices"
	"time"
)

// Who packs a sheet, or ends a job, puts files first and writes down afterwards that they are needed. So a
// file that was put, or found there, within the last day is never removed.
const (
	Kept  = 24 * time.Hour
	fresh = time.Hour // what was used longer ago is touched when it is found there
)

// Sweep removes the files that nobody has put or found there for so long, usually Kept, and that nobody needs.
// It lists them, and then asks for the sums that are needed. It returns what it has removed, also with an
// error.
func (d *Depot) Sweep(ctx context.Context, kept time.Duration, needs func(context.Context) (map[string]bool, error)) (files int, bytes int64, err error) {
	old, now, err := d.store.List(ctx)
	if err != nil {
		return 0, 0, err
	}
	old = slices.DeleteFunc(old, func(o Object) bool { return now.Sub(o.Used) < kept })
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
