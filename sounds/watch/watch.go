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
	"voicepool/voice"
)

// settleTime is the time without changes after which a file is reloaded: programs write in pieces, and replace a
// file in several steps.
const settleTime = 100 * time.Millisecond

// Files reloads the files of a library, with [sounds.Library.Reload], 100 ms after their last change on
// disk. It blocks until ctx ends, and then returns nil; run it in its own goroutine. It also watches files
// that are loaded later, but not embedded files, streams and pipes. It calls changed for each file, one call
// at a time. If a file cannot be read, changed receives the error, the library keeps the old sound, and
// Files tries again at the next change.
//
// Files watches folders, so an editor may replace a file instead of writing to it. It does not watch the
// target of a symbolic link. It returns an error if the operating system cannot report changes, or the limit
// on watches is reached.
func Files(ctx context.Context, lib *sounds.Library, changed func(old, now *voice.Sound, err error)) error {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch: files cannot be watched: %w", err)
	}
	defer n.Close() // also where changed panics
	return newWatch(lib, changed).serve(ctx, n)
}

// File calls changed once at the beginning, and then 100 ms after each change of a file, one call at a time.
// It blocks until ctx ends, and then returns nil; run it in its own goroutine. It watches the folder, so the
// file may be replaced. Errors are the same as for Files.
func File(ctx context.Context, path string, changed func()) error {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch: files cannot be watched: %w", err)
	}
	defer n.Close()
	return newFile(path, changed).serve(ctx, n)
}

// newFile returns a watch of the file at path that calls changed, the first time as soon as run starts. It does not
// watch yet.
func newFile(path string, changed func()) *watcher {
	path = filepath.Clean(path)
	files := func() ([]string, <-chan struct{}) { return []string{path}, nil }
	onChange := func(context.Context, string) { changed() }
	return &watcher{files: files, onChange: onChange, onlyFile: path, reloadAt: map[string]time.Time{path: time.Now()}, folders: map[string]bool{}}
}

// serve calls run with the events of n, and closes n at the end. It returns nil when ctx ends, and otherwise an error
// that wraps the error of the operating system.
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

// newWatch returns a watch of all files of lib, which reloads them and passes changed to Library.Reload. It does not
// watch yet.
func newWatch(lib *sounds.Library, changed func(old, now *voice.Sound, err error)) *watcher {
	onChange := func(ctx context.Context, file string) { lib.Reload(ctx, file, changed) }
	return &watcher{files: lib.Files, onChange: onChange, reloadAt: map[string]time.Time{}, folders: map[string]bool{}}
}

// run watches the folders of all files, also of files loaded later, and reloads changed files, until ctx ends; then
// it returns nil. add watches a folder; its error ends run. events and errs are the channels of the watcher; an error
// ends run, but after an overflow all files are reloaded.
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

// scheduleReload schedules a reload of file in 100 ms, or delays a reload that is already scheduled. A watch of one
// file ignores other files.
func (w *watcher) scheduleReload(file string) {
	if w.onlyFile == "" || w.onlyFile == file {
		w.reloadAt[file] = time.Now().Add(settleTime)
	}
}

// reload calls w.onChange for the files whose scheduled time has come, except pipes, and removes them from the
// schedule.
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
