package library

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"voicepool/pcm"
	"voicepool/sounds"
)

// breakingFS panics in the selected methods.
type breakingFS struct {
	fstest.MapFS
	open, close bool
}

func (b *breakingFS) Open(name string) (fs.File, error) {
	if b.open {
		panic("broken open")
	}
	f, err := b.MapFS.Open(name)
	return breakingFile{f, b.close}, err
}

type breakingFile struct {
	fs.File
	close bool
}

func (f breakingFile) Close() error {
	if f.close {
		panic("broken close")
	}
	return f.File.Close()
}

// TestForeignFS checks that a panic of a file system becomes an error for the loader, for concurrent loads of
// the same sound, and for streams.
func TestForeignFS(t *testing.T) {
	wav := fstest.MapFS{"a.wav": {Data: wavBytes16(48000, 1, noise(100, 1), [2]uint32{})}}
	for name, broken := range map[string]*breakingFS{
		"open":  {MapFS: wav, open: true},
		"close": {MapFS: wav, close: true},
	} {
		b := NewLibrary(Options{})
		for range 2 { // a deadlock would show in the second load
			if _, err := b.Load(t.Context(), Source{File: "a.wav", FS: broken}); err == nil || !strings.Contains(err.Error(), "broken "+name) {
				t.Errorf("%s: Load says %v", name, err)
			}
		}
		if _, err := b.OpenStream(Source{File: "a.wav", FS: broken}, StreamOptions{}); err == nil || !strings.Contains(err.Error(), "broken "+name) {
			t.Errorf("%s: OpenStream says %v", name, err)
		}
	}
}

// TestForeignLoadEach checks that a panic of the callback propagates to the caller of LoadEach, who can recover
// it.
func TestForeignLoadEach(t *testing.T) {
	b := NewLibrary(Options{})
	files := fstest.MapFS{"a.wav": {Data: wavBytes16(48000, 1, noise(100, 1), [2]uint32{})}}
	defer func() {
		if p := recover(); p != "told" {
			t.Errorf("LoadEach panics with %v", p)
		}
	}()
	b.LoadEach(t.Context(), []Source{{File: "a.wav", FS: files}, {File: "b.wav", FS: files}}, func(int, *sounds.Sound, error) bool { panic("told") })
	t.Error("LoadEach returns")
}

// breakingReader panics in Read.
type breakingReader struct{}

func (breakingReader) Read([]pcm.Frame) (int, error) { panic("broken read") }

// TestForeignOnError checks that a panic in OnError ends only that call. The stream ends as failed.
func TestForeignOnError(t *testing.T) {
	b := NewLibrary(Options{})
	var told error
	s, err := b.StreamFrames(FrameSource{Name: "s", Rate: 48000, Open: func() (FrameReader, error) { return breakingReader{}, nil }}, StreamOptions{
		OnError: func(_ string, err error) { told = err; panic("broken OnError") },
	})
	if err != nil {
		t.Fatal(err)
	}
	l := listen(t, s, sounds.PlayRange{})
	if got := l.hear(100); len(got) != 0 || told == nil || !strings.Contains(told.Error(), "broken read") {
		t.Errorf("%d frames are heard; it was told %v", len(got), told)
	}
}

// TestForeignOpenOfFrames checks that a panic during opening becomes an error.
func TestForeignOpenOfFrames(t *testing.T) {
	b := NewLibrary(Options{})
	s, err := b.StreamFrames(FrameSource{Name: "s", Rate: 48000, Open: func() (FrameReader, error) { panic(io.ErrClosedPipe) }}, StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(sounds.PlayRange{}); !errors.Is(err, sounds.ErrSound) || !strings.Contains(err.Error(), io.ErrClosedPipe.Error()) {
		t.Errorf("Open says %v", err)
	}
}
