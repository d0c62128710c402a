// Package watch reloads the files of a library when they change on disk. It is for
// development. A program that does not import it does not compile fsnotify.
package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"voicepool/sounds"
	"voicepool/voice"
)

// settled is how long a file must have been left alone before it is read again:
// programs write in pieces, and replace a file in several steps.
const settled = 100 * time.Millisecond

// Files reads the files of a library again when they change on disk, until ctx ends,
// which is no error: those of the operating system that are in it, now or later. For
// each it calls changed, one call at a time, as [sounds.Library.Reload] does. A file that
// cannot be read is tried again at its next change. Streams and pipes are not read again.
//
// Folders are watched, so a file may be replaced by another of its name; what a symbolic
// link points to is not. The error is that of a system that tells nobody of changes, or
// has no more watches to give. Control side; in a goroutine of its own.
func Files(ctx context.Context, lib *sounds.Library, changed func(old, now *voice.Sound, err error)) error {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch: files cannot be watched: %w", err)
	}
	defer n.Close() // also where changed panics
	return newWatch(lib, changed).serve(ctx, n)
}

// File calls changed, one call at a time, when a file has changed on disk and been left alone for
// 100 ms; also once at the beginning, for what was changed before. It ends with ctx, which is no
// error. The folder is watched, so another file may take the file's place. The error is as that of
// Files. Control side; in a goroutine of its own.
func File(ctx context.Context, path string, changed func()) error {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch: files cannot be watched: %w", err)
	}
	defer n.Close()
	return newFile(path, changed).serve(ctx, n)
}

func newFile(path string, changed func()) *watch {
	path = filepath.Clean(path)
	files := func() ([]string, <-chan struct{}) { return []string{path}, nil }
	again := func(context.Context, string) { changed() }
	return &watch{files: files, again: again, only: path, due: map[string]time.Time{path: time.Now()}, folders: map[string]bool{}}
}

// serve is run, with what the system tells.
func (w *watch) serve(ctx context.Context, n *fsnotify.Watcher) error {
	if err := cmp.Or(w.run(ctx, n.Add, n.Events, n.Errors), n.Close()); err != nil {
		return fmt.Errorf("watch: files cannot be watched: %w", err)
	}
	return nil
}

// watch is a call of Files, or of File.
type watch struct {
	files   func() ([]string, <-chan struct{}) // that are watched, and what is closed when there are more
	again   func(ctx context.Context, file string)
	only    string               // the one file whose changes count; empty: all do
	due     map[string]time.Time // when a file that has changed is read
	folders map[string]bool      // that are watched
}

func newWatch(lib *sounds.Library, changed func(old, now *voice.Sound, err error)) *watch {
	again := func(ctx context.Context, file string) { lib.Reload(ctx, file, changed) }
	return &watch{files: lib.Files, again: again, due: map[string]time.Time{}, folders: map[string]bool{}}
}

// run serves events until ctx ends. add begins to watch a folder.
func (w *watch) run(ctx context.Context, add func(folder string) error, events <-chan fsnotify.Event, errs <-chan error) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		files, more := w.files()
		for _, file := range files {
			if folder := filepath.Dir(file); !w.folders[folder] {
				if err := add(folder); err != nil {
					return fmt.Errorf("%s: %w", folder, err)
				}
				w.folders[folder] = true
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-more:
		case e := <-events:
			if e.Op&^fsnotify.Chmod != 0 {
				w.touched(filepath.Clean(e.Name))
			}
		case err := <-errs:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return err
			}
			for _, file := range files { // nobody knows which
				w.touched(file)
			}
		case <-timer.C:
			w.reload(ctx)
		}
		if len(w.due) > 0 {
			timer.Reset(time.Until(slices.MinFunc(slices.Collect(maps.Values(w.due)), time.Time.Compare)))
		}
	}
}

// touched puts the reading of a file off.
func (w *watch) touched(file string) {
	if w.only == "" || w.only == file {
		w.due[file] = time.Now().Add(settled)
	}
}

// reload reads the files whose time has come.
func (w *watch) reload(ctx context.Context) {
	for file, at := range w.due {
		if time.Now().Before(at) {
			continue
		}
		delete(w.due, file)
		if info, err := os.Stat(file); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
			continue // its next writer may keep everybody waiting
		}
		w.again(ctx, file)
	}
}
