package sounds

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"voicepool/voice"
)

// settled is how long a file must have been left alone before it is read again:
// programs write in pieces, and replace a file in several steps.
const settled = 100 * time.Millisecond

// Watch reads files of the bank again when they change on disk, until ctx ends,
// which is no error: those of the operating system that are in it now, and those
// that come while it watches. For each it calls changed, one call at a time,
// from the goroutine that called Watch.
//
// From then on the bank has the new sound, for whoever asks. The old one stays
// valid for who holds it: voices that play it go on with it, and its memory is
// free when the last has let go. A file that cannot be read, as one that is half
// written or gone, leaves the old sound in the bank; changed is then told old and
// the error, and the file is tried again at its next change. Streams are not
// read again: their files are opened by each Play, which fails when the file has
// changed; open such a stream anew.
//
// Directories are watched, so a file may be replaced by another of its name.
// What a symbolic link points to is not. The error is that of a system that
// tells nobody of changes, as browsers, or has no more watches to give. Control
// side; in a goroutine of its own.
func (b *Bank) Watch(ctx context.Context, changed func(old, now *voice.Sound, err error)) error {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("sounds: files cannot be watched: %w", err)
	}
	defer n.Close() // also where changed panics
	w := &watch{bank: b, changed: changed, news: make(chan struct{}, 1), due: map[string]time.Time{}, folders: map[string]bool{}}
	err = w.run(ctx, n.Add, n.Events, n.Errors)
	if closed := n.Close(); err == nil && closed != nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("sounds: files cannot be watched: %w", err)
	}
	return nil
}

// watch is a call of Watch.
type watch struct {
	bank    *Bank
	changed func(old, now *voice.Sound, err error)
	news    chan struct{}        // something comes when the bank has a new file
	due     map[string]time.Time // when a file that has changed is read
	folders map[string]bool      // that are watched
}

// run serves events until ctx ends. add begins to watch a folder.
func (w *watch) run(ctx context.Context, add func(folder string) error, events <-chan fsnotify.Event, errs <-chan error) error {
	w.bank.mu.Lock()
	if w.bank.watches == nil {
		w.bank.watches = map[*watch]bool{}
	}
	w.bank.watches[w] = true
	w.bank.mu.Unlock()
	defer func() {
		w.bank.mu.Lock()
		delete(w.bank.watches, w)
		w.bank.mu.Unlock()
	}()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		for _, file := range w.bank.files() {
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
		case <-w.news:
		case e := <-events:
			if e.Op&^fsnotify.Chmod != 0 {
				w.touched(filepath.Clean(e.Name))
			}
		case err := <-errs:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return err
			}
			for _, file := range w.bank.files() { // nobody knows which
				w.touched(file)
			}
		case <-timer.C:
			w.reload(ctx)
		}
		if next, ok := w.next(); ok {
			timer.Reset(time.Until(next))
		}
	}
}

// touched puts the reading of a file off.
func (w *watch) touched(file string) { w.due[file] = time.Now().Add(settled) }

// next returns when the next file is to be read.
func (w *watch) next() (next time.Time, ok bool) {
	for _, at := range w.due {
		if !ok || at.Before(next) {
			next, ok = at, true
		}
	}
	return next, ok
}

// reload reads the files whose time has come.
func (w *watch) reload(ctx context.Context) {
	for file, at := range w.due {
		if time.Now().Before(at) {
			continue
		}
		delete(w.due, file)
		for _, e := range w.bank.entriesOf(file) {
			if now, err := w.bank.renew(ctx, e); ctx.Err() == nil && (now != nil || err != nil) {
				w.changed(e.sound, now, err)
			}
		}
	}
}

// files returns the files of the operating system that are in the bank.
func (b *Bank) files() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []string
	for key, e := range b.entries {
		if key.file != "" && key.fsys == nil && e.ready() {
			list = append(list, key.file)
		}
	}
	return list
}

// entriesOf returns the sounds of a file: it may be loaded in several ways.
func (b *Bank) entriesOf(file string) []*entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	var list []*entry
	for key, e := range b.entries {
		if key.file == file && key.fsys == nil && e.ready() {
			list = append(list, e)
		}
	}
	return list
}

// renew reads a sound again, and puts it into the place of the old one, unless
// something else stands there by now.
func (b *Bank) renew(ctx context.Context, e *entry) (*voice.Sound, error) {
	sound, info, err := b.read(ctx, e.src)
	if err != nil {
		return nil, err
	}
	now := &entry{done: e.done, src: e.src, sound: sound}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.entries[e.src.key()] != e {
		return nil, nil
	}
	b.entries[e.src.key()] = now
	delete(b.infos, e.sound)
	b.infos[sound] = info
	return sound, nil
}
