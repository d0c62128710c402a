// Package watch reloads the files of a library when they change on disk, so that a sound designer hears a
// change without a restart. It is a package of its own because it depends on fsnotify.
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
	"voicepool/sounds/library"
)

// settleTime is the time without changes after which a file is reloaded: programs write in pieces, and replace a
// file in several steps.
const settleTime = 100 * time.Millisecond

// Files watches the files of a library on disk. It reloads each file with [library.Library.Reload], 100 ms after its
// last change. It blocks until ctx ends, and then returns nil; run it in its own goroutine. Files that are loaded
// later are watched, too. Embedded files, streams and pipes are not watched.
//
// Files calls changed for each reloaded sound, one call at a time: old is the sound before and now its replacement. If
// a file cannot be read, now is nil, err is the error, and the library keeps the old sound. Files then tries again at
// the next change.
//
// Files watches folders, so an editor may replace a file instead of writing to it. It does not watch the target of a
// symbolic link. It returns an error if the operating system cannot report changes, if a folder cannot be watched, or
// if the limit on watches is reached. Changes of file permissions are ignored.
func Files(ctx context.Context, lib *library.Library, changed func(old, now *sounds.Sound, err error)) error {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch: files cannot be watched: %w", err)
	}
	defer n.Close() // also where changed panics
	return newWatch(lib, changed).serve(ctx, n)
}

// File calls changed once at the beginning, and then again 100 ms after each change of the file at path. Several
// changes within 100 ms count as one. Calls come one at a time. File blocks until ctx ends, and then returns nil; run
// it in its own goroutine. It watches the folder, so the file may be replaced.
//
// It returns an error if the operating system cannot report changes, if the folder cannot be watched, or if the limit
// on watches is reached. changed is never called while the file is a named pipe.
func File(ctx context.Context, path string, changed func()) error {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch: files cannot be watched: %w", err)
	}
	defer n.Close()
	return newFile(path, changed).serve(ctx, n)
}

// newFile returns a watcher of the single file at path, but does not start it. Its method run starts it. run calls
// changed for the first time at once, and then after each change of the file.
func newFile(path string, changed func()) *watcher {
	path = filepath.Clean(path)
	files := func() ([]string, <-chan struct{}) { return []string{path}, nil }
	onChange := func(context.Context, string) { changed() }
	return &watcher{files: files, onChange: onChange, onlyFile: path, reloadAt: map[string]time.Time{path: time.Now()}, folders: map[string]bool{}}
}

// serve runs the watch w with the watcher n of the operating system until ctx ends, and closes n at the end. It
// returns nil after the end of ctx. An error of the watcher ends it earlier; the result wraps that error.
func (w *watcher) serve(ctx context.Context, n *fsnotify.Watcher) error {
	if err := cmp.Or(w.run(ctx, n.Add, n.Events, n.Errors), n.Close()); err != nil {
		return fmt.Errorf("watch: files cannot be watched: %w", err)
	}
	return nil
}

// watcher is the state of a call of Files or File.
type watcher struct {
	files    func() ([]string, <-chan struct{}) // returns the watched files, and a channel that is closed when there are more
	onChange func(ctx context.Context, file string)
	onlyFile string               // the only watched file; empty: all files
	reloadAt map[string]time.Time // by changed file, the time when it will be reloaded
	folders  map[string]bool      // the watched folders
}

// newWatch returns a watcher of all files of lib, but does not start it. Its method run starts it. The watcher reloads
// each changed file with Library.Reload, which calls changed for each sound of the file.
func newWatch(lib *library.Library, changed func(old, now *sounds.Sound, err error)) *watcher {
	onChange := func(ctx context.Context, file string) { lib.Reload(ctx, file, changed) }
	return &watcher{files: lib.Files, onChange: onChange, reloadAt: map[string]time.Time{}, folders: map[string]bool{}}
}

// run watches the folders of all files and reloads changed files until ctx ends; then it returns nil. Files that are
// loaded while it runs are watched, too. add must start to watch one folder; its error ends run. events and errs
// deliver the changes and the errors of the watcher. An error from errs ends run and is returned, with one exception.
// fsnotify.ErrEventOverflow hides which files changed, so run then schedules a reload of all of them.
func (w *watcher) run(ctx context.Context, add func(folder string) error, events <-chan fsnotify.Event, errs <-chan error) error {
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
				w.scheduleReload(filepath.Clean(e.Name))
			}
		case err := <-errs:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return err
			}
			for _, file := range files { // the overflow hides which files changed
				w.scheduleReload(file)
			}
		case <-timer.C:
			w.reload(ctx)
		}
		if len(w.reloadAt) > 0 {
			timer.Reset(time.Until(slices.MinFunc(slices.Collect(maps.Values(w.reloadAt)), time.Time.Compare)))
		}
	}
}

// scheduleReload schedules a reload of file in 100 ms, because programs write a file in several steps. A reload of file
// that is already scheduled is moved to that time. A watcher of a single file ignores other files.
func (w *watcher) scheduleReload(file string) {
	if w.onlyFile == "" || w.onlyFile == file {
		w.reloadAt[file] = time.Now().Add(settleTime)
	}
}

// reload calls w.onChange for each file whose scheduled time has come, and removes the file from the schedule
// w.reloadAt. Named pipes are removed without a call, because reading one may block.
func (w *watcher) reload(ctx context.Context) {
	for file, at := range w.reloadAt {
		if time.Now().Before(at) {
			continue
		}
		delete(w.reloadAt, file)
		if info, err := os.Stat(file); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
			continue // reading it would block until the next writer
		}
		w.onChange(ctx, file)
	}
}
