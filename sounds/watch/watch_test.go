package watch

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"voicepool/sounds"
	"voicepool/sounds/library"
)

// change is one call of a watcher's callback.
type change struct {
	old, now *sounds.Sound
	err      error
}

// watched is a library that is watched; the test sends its events.
type watched struct {
	lib     *library.Library
	events  chan fsnotify.Event
	errs    chan error
	folders []string
	done    chan error

	mu   sync.Mutex
	told []change
}

// changes returns and clears the calls so far.
func (w *watched) changes() []change {
	w.mu.Lock()
	defer w.mu.Unlock()
	told := w.told
	w.told = nil
	return told
}

func watchLibrary(ctx context.Context, b *library.Library) *watched {
	w := &watched{lib: b, events: make(chan fsnotify.Event), errs: make(chan error), done: make(chan error, 1)}
	x := newWatch(b, func(old, now *sounds.Sound, err error) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.told = append(w.told, change{old, now, err})
	})
	w.watch(ctx, x)
	return w
}

// watch runs a watcher.
func (w *watched) watch(ctx context.Context, x *watcher) {
	add := func(folder string) error {
		if folder == "" {
			return errors.New("no more watches")
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.folders = append(w.folders, folder)
		return nil
	}
	go func() { w.done <- x.run(ctx, add, w.events, w.errs) }()
}

// TestWatchFile checks that one file is reported after it has been quiet for a while, and that other files are
// ignored.
func TestWatchFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var told atomic.Int32
		w := &watched{events: make(chan fsnotify.Event), errs: make(chan error), done: make(chan error, 1)}
		w.watch(ctx, newFile(filepath.Join(dir, ".", "a.yaml"), func() { told.Add(1) }))
		synctest.Wait()
		if n := told.Swap(0); n != 1 {
			t.Errorf("told %d times at the beginning", n)
		}
		for range 3 { // as editors do
			w.events <- fsnotify.Event{Name: path, Op: fsnotify.Write}
			time.Sleep(settleTime / 2)
		}
		w.events <- fsnotify.Event{Name: filepath.Join(dir, "b.yaml"), Op: fsnotify.Write}
		w.events <- fsnotify.Event{Name: path, Op: fsnotify.Chmod}
		synctest.Wait()
		if n := told.Load(); n != 0 || !slices.Equal(w.folders, []string{dir}) {
			t.Errorf("told %d times too early, watching %q", n, w.folders)
		}
		time.Sleep(settleTime)
		synctest.Wait()
		w.errs <- fsnotify.ErrEventOverflow // an overflow loses events
		time.Sleep(2 * settleTime)
		synctest.Wait()
		if n := told.Load(); n != 2 {
			t.Errorf("told %d times, want 2", n)
		}
		cancel()
		if err := <-w.done; err != nil {
			t.Error(err)
		}
	})
}

// writeWAV writes a file of noise: 16 bits, two channels.
func writeWAV(t *testing.T, path string, frames int, seed uint64) {
	t.Helper()
	le := binary.LittleEndian
	data := le.AppendUint32([]byte("RIFF"), uint32(36+4*frames))
	data = append(data, "WAVEfmt \x10\x00\x00\x00\x01\x00\x02\x00"...)
	data = le.AppendUint32(le.AppendUint32(data, 48000), 4*48000)
	data = append(data, "\x04\x00\x10\x00data"...)
	data = le.AppendUint32(data, uint32(4*frames))
	for random := rand.New(rand.NewPCG(seed, seed)); frames > 0; frames-- {
		data = le.AppendUint32(data, random.Uint32())
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestWatchReloads checks that a file is reloaded once it has been quiet for a while, for each way of loading.
// A broken file keeps the old sound.
func TestWatchReloads(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a.wav"), filepath.Join(dir, "more", "b.wav")
	if err := os.Mkdir(filepath.Dir(other), 0o700); err != nil {
		t.Fatal(err)
	}
	writeWAV(t, path, 100, 1)
	writeWAV(t, other, 100, 1)
	synctest.Test(t, func(t *testing.T) {
		b := library.NewLibrary(library.Options{})
		list, err := b.Load(t.Context(), library.Source{File: path}, library.Source{File: path, Looped: true})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		w := watchLibrary(ctx, b)
		synctest.Wait()
		if !slices.Equal(w.folders, []string{dir}) {
			t.Errorf("it watches %q", w.folders)
		}
		// Two writes and one of another file; the reload waits until the file is quiet.
		writeWAV(t, path, 200, 2)
		w.events <- fsnotify.Event{Name: dir + "/./a.wav", Op: fsnotify.Write}
		time.Sleep(settleTime - time.Millisecond)
		w.events <- fsnotify.Event{Name: path, Op: fsnotify.Rename | fsnotify.Chmod}
		w.events <- fsnotify.Event{Name: filepath.Join(dir, "x.wav"), Op: fsnotify.Create}
		time.Sleep(settleTime - time.Millisecond)
		w.events <- fsnotify.Event{Name: path, Op: fsnotify.Chmod}
		synctest.Wait()
		if n := len(w.changes()); n != 0 {
			t.Fatalf("told of %d changes too early", n)
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		told := w.changes()
		if len(told) != 2 {
			t.Fatalf("told of %d changes, want 2", len(told))
		}
		for _, c := range told {
			if !slices.Contains(list, c.old) || c.err != nil || c.now.Frames() != 200 || c.old.Frames() != 100 {
				t.Errorf("%+v", c)
			}
			if _, ok := b.Info(c.old); ok {
				t.Error("the library still knows the old sound")
			}
		}
		now, err := b.LoadFile(path)
		if err != nil || now.Frames() != 200 {
			t.Errorf("the library has %d frames, %v", now.Frames(), err)
		}
		if info, ok := b.Info(now); !ok || info.Frames != 200 || b.Bytes() != 2*now.Bytes() {
			t.Errorf("%+v, %d bytes in the library", info, b.Bytes())
		}
		// Half written, then missing, then present again.
		for i, c := range []struct {
			write  func() error
			err    error
			frames int64
		}{
			{write: func() error { return os.Truncate(path, 300) }, err: library.ErrDecode, frames: 200},
			{write: func() error { return os.Remove(path) }, err: fs.ErrNotExist, frames: 200},
			{write: func() error { writeWAV(t, path, 300, 3); return nil }, frames: 300},
		} {
			if err := c.write(); err != nil {
				t.Fatal(err)
			}
			w.events <- fsnotify.Event{Name: path, Op: fsnotify.Write}
			time.Sleep(settleTime)
			synctest.Wait()
			now, err := b.LoadFile(path)
			if told := w.changes(); len(told) != 2 || !errors.Is(told[0].err, c.err) || err != nil || now.Frames() != c.frames {
				t.Errorf("step %d: told of %v; %v frames, %v", i, told, now.Frames(), err)
			}
		}
		// Sounds that are loaded later are watched, too. After lost events all files are read again.
		if _, err := b.LoadFile(other); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !slices.Equal(w.folders, []string{dir, filepath.Dir(other)}) {
			t.Errorf("it watches %q", w.folders)
		}
		w.errs <- fsnotify.ErrEventOverflow
		time.Sleep(settleTime)
		synctest.Wait()
		if n := len(w.changes()); n != 3 {
			t.Errorf("told of %d changes after events were lost, want 3", n)
		}
		cancel()
		if err := <-w.done; err != nil {
			t.Error(err)
		}
		w = watchLibrary(t.Context(), b)
		failure := errors.New("the disk is gone")
		w.errs <- failure
		if err := <-w.done; !errors.Is(err, failure) {
			t.Errorf("error %v", err)
		}
	})
}

// TestWatch uses real file system events for a file that is written and one that is replaced.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.wav")
	writeWAV(t, path, 100, 1)
	b := library.NewLibrary(library.Options{})
	if _, err := b.LoadFile(path); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // a busy machine can stall a test for a minute
	defer cancel()
	told := make(chan change, 100)
	done := make(chan error)
	go func() {
		done <- Files(ctx, b, func(old, now *sounds.Sound, err error) { told <- change{old, now, err} })
	}()
	// The watch starts asynchronously, so the test writes until it reacts.
	for seed := uint64(2); ; seed++ {
		writeWAV(t, path, 200, seed)
		select {
		case c := <-told:
			if c.err != nil || c.now.Frames() != 200 {
				t.Fatalf("%+v", c)
			}
		case err := <-done:
			t.Skipf("this system does not watch files: %v", err)
		case <-time.After(3 * settleTime):
			if ctx.Err() != nil {
				t.Fatal("nobody notices a file that is written")
			}
			continue
		}
		break
	}
	writeWAV(t, filepath.Join(dir, "new"), 300, 9)
	if err := os.Rename(filepath.Join(dir, "new"), path); err != nil {
		t.Fatal(err)
	}
	for c := range told {
		if c.err == nil && c.now.Frames() == 300 {
			break
		}
		if c.err != nil {
			t.Fatal(c.err)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
