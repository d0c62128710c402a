//go:build unix

package watch

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"voicepool/sounds"
	"voicepool/sounds/library"
)

// TestWatchPipe checks that a pipe that replaces a file is not read again and does not delay other files.
func TestWatchPipe(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.wav"), filepath.Join(dir, "b.wav")
	writeWAV(t, a, 100, 1)
	writeWAV(t, b, 100, 1)
	lib := library.NewLibrary(library.Options{Limits: library.Limits{Time: time.Second}}) // in case it is read after all
	old, err := lib.Load(t.Context(), library.Source{File: a}, library.Source{File: b})
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Unlink(a); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(a, 0o600); err != nil {
		t.Fatal(err)
	}
	writeWAV(t, b, 200, 2)
	var told []change
	w := newWatch(lib, func(old, now *sounds.Sound, err error) { told = append(told, change{old, now, err}) })
	w.reloadAt = map[string]time.Time{a: {}, b: {}}
	w.reload(context.Background())
	if len(told) != 1 || told[0].old != old[1] || told[0].err != nil || told[0].now.Frames() != 200 {
		t.Errorf("told %+v, want b.wav alone", told)
	}
}
