package sounds

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"voicepool/pcm"
	"voicepool/voice"
)

// breakingFS panics where it is told to.
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

// TestForeignFS: a file system that panics is an error of who loads from it, of those who
// wait for the same sound, and of who streams.
func TestForeignFS(t *testing.T) {
	wav := fstest.MapFS{"a.wav": {Data: wavBytes16(48000, 1, noise(100, 1), [2]uint32{})}}
	for name, broken := range map[string]*breakingFS{
		"open":  {MapFS: wav, open: true},
		"close": {MapFS: wav, close: true},
	} {
		b := NewLibrary(Options{})
		for range 2 { // the second would wait for ever for the first
			if _, err := b.Load(t.Context(), Source{File: "a.wav", FS: broken}); err == nil || !strings.Contains(err.Error(), "broken "+name) {
				t.Errorf("%s: Load says %v", name, err)
			}
		}
		if _, err := b.OpenStream(Source{File: "a.wav", FS: broken}, StreamOptions{}); err == nil || !strings.Contains(err.Error(), "broken "+name) {
			t.Errorf("%s: OpenStream says %v", name, err)
		}
	}
}

// TestForeignLoadEach: a panic of the function that is told of sounds is one of LoadEach,
// where its caller can recover it.
func TestForeignLoadEach(t *testing.T) {
	b := NewLibrary(Options{})
	files := fstest.MapFS{"a.wav": {Data: wavBytes16(48000, 1, noise(100, 1), [2]uint32{})}}
	defer func() {
		if p := recover(); p != "told" {
			t.Errorf("LoadEach panics with %v", p)
		}
	}()
	b.LoadEach(t.Context(), []Source{{File: "a.wav", FS: files}, {File: "b.wav", FS: files}}, func(int, *voice.Sound, error) bool { panic("told") })
	t.Error("LoadEach returns")
}

// breakingReader panics in Read.
type breakingReader struct{}

func (breakingReader) Read([]pcm.Frame) (int, error) { panic("broken read") }

// TestForeignOnError: one that panics ends nothing but its own call: the stream ends as
// one that failed.
func TestForeignOnError(t *testing.T) {
	b := NewLibrary(Options{})
	var told error
	s, err := b.StreamFrames(FrameSource{Name: "s", Rate: 48000, Open: func() (FrameReader, error) { return breakingReader{}, nil }}, StreamOptions{
		OnError: func(_ string, err error) { told = err; panic("broken OnError") },
	})
	if err != nil {
		t.Fatal(err)
	}
	l := listen(t, s, voice.Course{})
	if got := l.hear(100); len(got) != 0 || told == nil || !strings.Contains(told.Error(), "broken read") {
		t.Errorf("%d frames are heard; it was told %v", len(got), told)
	}
}

// TestForeignOpenOfFrames: what panics as it is opened is an error.
func TestForeignOpenOfFrames(t *testing.T) {
	b := NewLibrary(Options{})
	s, err := b.StreamFrames(FrameSource{Name: "s", Rate: 48000, Open: func() (FrameReader, error) { panic(io.ErrClosedPipe) }}, StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(voice.Course{}); !errors.Is(err, voice.ErrSound) || !strings.Contains(err.Error(), io.ErrClosedPipe.Error()) {
		t.Errorf("Open says %v", err)
	}
}
