package library_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// wavBytes returns a 16-bit WAV file with the given samples, followed by chunks.
func wavBytes(rate, channels int, samples []int16, more ...string) []byte {
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00")
	b = binary.LittleEndian.AppendUint16(b, uint16(channels))
	b = binary.LittleEndian.AppendUint32(b, uint32(rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(rate*channels*2))
	b = binary.LittleEndian.AppendUint16(b, uint16(channels*2))
	b = append(b, "\x10\x00data"...)
	b = binary.LittleEndian.AppendUint32(b, uint32(2*len(samples)))
	for _, x := range samples {
		b = binary.LittleEndian.AppendUint16(b, uint16(x))
	}
	for _, chunk := range more {
		b = append(b, chunk...)
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
}

func chunk(id string, body []byte) string {
	b := binary.LittleEndian.AppendUint32([]byte(id), uint32(len(body)))
	b = append(b, body...)
	if len(body)%2 == 1 {
		b = append(b, 0)
	}
	return string(b)
}

// smpl returns a chunk with one loop that includes its last frame.
func smpl(first, last uint32) string {
	body := make([]byte, 60)
	binary.LittleEndian.PutUint32(body[28:], 1)
	binary.LittleEndian.PutUint32(body[44:], first)
	binary.LittleEndian.PutUint32(body[48:], last)
	return chunk("smpl", body)
}

func TestLibraryDecodesOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a b.wav")
	if err := os.WriteFile(path, wavBytes(48000, 1, make([]int16, 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	b := library.NewLibrary(library.Options{})
	first, err := b.LoadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if first.Name() != "a b" || first.Rate() != 48000 || first.Frames() != 100 {
		t.Errorf("%q, %d Hz, %d frames", first.Name(), first.Rate(), first.Frames())
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			again, err := b.LoadFile(dir + "/./x/../a b.wav")
			if err != nil || again != first {
				t.Errorf("asked again (%d): %p, %v, want %p", i, again, err, first)
			}
		})
	}
	wait.Wait()
	info, ok := b.Info(first)
	if !ok || info.Name != "a b" || info.File != path || info.Format != "wav" || info.Encoding != "s16" || info.Frames != 100 ||
		info.Rate != 48000 || info.Bytes != first.Bytes() || info.Measured {
		t.Errorf("info %+v", info)
	}
	if b.Bytes() != first.Bytes() {
		t.Errorf("the library takes %d bytes, its sound %d", b.Bytes(), first.Bytes())
	}
}

// countingFS counts how often its file is opened.
type countingFS struct {
	fs.FS
	mu     *sync.Mutex
	opened map[string]int
}

func (c countingFS) Open(name string) (fs.File, error) {
	c.mu.Lock()
	c.opened[name]++
	c.mu.Unlock()
	return c.FS.Open(name)
}

func TestLibraryFromFS(t *testing.T) {
	files := &countingFS{fstest.MapFS{
		"sfx/hit.wav": {Data: wavBytes(44100, 2, make([]int16, 2*441))}, "bad.wav": {Data: []byte("hello, this is no sound\n")},
	}, &sync.Mutex{}, map[string]int{}}
	b := library.NewLibrary(library.Options{Rate: 48000})
	src := library.Source{File: "sfx/hit.wav", FS: files}
	list, err := b.Load(context.Background(), src, src, library.Source{Name: "other", File: "sfx/../sfx/hit.wav", FS: files}, src)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s != list[0] || s.Frames() != 480 || s.Channels() != 2 {
			t.Errorf("%p %q: %d frames of %d channels", s, s.Name(), s.Frames(), s.Channels())
		}
	}
	if n := files.opened["sfx/hit.wav"]; n != 1 {
		t.Errorf("opened %d times", n)
	}
	for range 2 { // a failure is not kept
		if _, err := b.LoadFS(files, "bad.wav"); !errors.Is(err, library.ErrFormat) || err.Error() != "sounds: bad.wav: this is text, not a sound" {
			t.Errorf("error %v", err)
		}
	}
	if n := files.opened["bad.wav"]; n != 2 {
		t.Errorf("the bad one was opened %d times", n)
	}
	// A map is not comparable; the same map must still count as the same file system.
	plain := fstest.MapFS{"a.wav": {Data: wavBytes(48000, 1, make([]int16, 10))}}
	one, err := b.LoadFS(plain, "a.wav")
	if err != nil {
		t.Fatal(err)
	}
	if two, err := b.LoadFS(plain, "a.wav"); err != nil || one != two {
		t.Errorf("from a map: %p %p %v", one, two, err)
	}
}

// TestLibraryErrors checks that an error is one line with the file and the fault.
func TestLibraryErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, data string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	b := library.NewLibrary(library.Options{})
	for _, c := range []struct {
		path string
		kind error
		text string
	}{
		{path: filepath.Join(dir, "gone.wav"), kind: fs.ErrNotExist, text: "no such file or directory"},
		{path: dir, kind: library.ErrFormat, text: "is a directory"},
		{path: write("empty.ogg", ""), kind: library.ErrFormat, text: "the file is empty"},
		{path: write("text.wav", "voices: 32\n"), kind: library.ErrFormat, text: "this is text, not a sound"},
		{
			path: write("a.mid", "MThd\x00\x00\x00\x06\x00\x01"), kind: library.ErrFormat,
			text: "MIDI is not read; convert it: fluidsynth -F " + filepath.Join(dir, "a.wav") + " font.sf2 " + filepath.Join(dir, "a.mid"),
		},
		{
			path: write("a.bin", "\x00\x01\x02\x03\x04"), kind: library.ErrFormat,
			text: "neither WAV, AIFF, FLAC, Ogg Vorbis, Opus nor MP3",
		},
	} {
		_, err := b.LoadFile(c.path)
		if !errors.Is(err, c.kind) || err.Error() != "sounds: "+c.path+": "+c.text {
			t.Errorf("%s: error %q, want one of %q with %q", c.path, err, c.kind, c.text)
		}
	}
	if _, err := embedded.Load(b, "bel"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), `no sound "bel"; the nearest is "bell"`) {
		t.Errorf("error %v", err)
	}
}

// TestLibraryFirstError checks that of several errors the error of the first source is returned.
func TestLibraryFirstError(t *testing.T) {
	good := wavBytes(44100, 1, make([]int16, 50000))
	files := fstest.MapFS{"0": {Data: good}, "1": {Data: good}, "2": {Data: good[:3000]}, "3": {Data: []byte("x")}, "4": {Data: nil}, "5": {Data: good}}
	for range 5 {
		b := library.NewLibrary(library.Options{})
		var list []library.Source
		for _, name := range []string{"0", "1", "2", "3", "4", "5"} {
			list = append(list, library.Source{File: name, FS: files})
		}
		_, err := b.Load(context.Background(), list...)
		if err == nil || !strings.HasPrefix(err.Error(), "sounds: 2: cut short") {
			t.Fatalf("error %v", err)
		}
	}
}

func TestLibraryCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := library.NewLibrary(library.Options{})
	if _, err := b.Load(ctx, embedded.Source("coin")); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := embedded.Load(b, "coin"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestEmbedded checks that all embedded sounds load at their own rate and at another, with complete loops.
func TestEmbedded(t *testing.T) {
	for _, rate := range []int{0, 44100} {
		b := library.NewLibrary(library.Options{Rate: rate, Measure: true})
		var list []library.Source
		for i, name := range embedded.Names() {
			if rate == 0 || i%7 == 0 {
				list = append(list, embedded.Source(name))
			}
		}
		loaded, err := b.Load(context.Background(), list...)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range loaded {
			info, ok := b.Info(s)
			if !ok || s.Name() != list[i].Name || info.File != s.Name()+".flac" || s.Rate() != b.Rate() {
				t.Errorf("%q: %+v", s.Name(), info)
			}
			if want := int64(math.Floor(float64(info.Frames)*float64(b.Rate())/float64(info.Rate) + 0.5)); s.Frames() != want {
				t.Errorf("%s: %d frames, want %d", s.Name(), s.Frames(), want)
			}
			if !info.Measured || info.Loudness < -60 || info.Loudness > 0 || info.TruePeak > 0 || info.TruePeak < -40 {
				t.Errorf("%s: %.1f LUFS, a true peak of %.1f dB", s.Name(), info.Loudness, info.TruePeak)
			}
			if e := s.Envelope(); e.At(0, false) <= 0 || e.At(0, true) <= 0 || e.Hop != int64(b.Rate()/50) {
				t.Errorf("%s: its index begins with %v and %v", s.Name(), e.At(0, false), e.At(0, true))
			}
		}
	}
}

// TestLoopOption checks that a file that is loaded with and without Loop gives two sounds.
func TestLoopOption(t *testing.T) {
	x := make([]int16, 441)
	for i := range x {
		x[i] = int16(20000 * math.Sin(2*math.Pi*float64(i)*10/441))
	}
	files := fstest.MapFS{"hum.wav": {Data: wavBytes(44100, 1, x)}}
	b := library.NewLibrary(library.Options{})
	list, err := b.Load(context.Background(), library.Source{File: "hum.wav", FS: files}, library.Source{File: "hum.wav", FS: files, Looped: true})
	if err != nil {
		t.Fatal(err)
	}
	jump := func(s *sounds.Sound) float64 {
		y := s.Samples()
		n := len(y)
		return math.Abs(float64(y[0]) - 2*float64(y[n-1]) + float64(y[n-2])) // the second difference across the seam
	}
	if once, loop := jump(list[0]), jump(list[1]); loop > 0.03 || once <= loop {
		t.Errorf("the seam bends by %.4f, without Loop by %.4f", loop, once)
	}
}

// TestCompact checks that 16-bit storage halves the memory of the embedded sounds and keeps their samples.
func TestCompact(t *testing.T) {
	wide, compact := library.NewLibrary(library.Options{}), library.NewLibrary(library.Options{Compact: true})
	for _, name := range []string{"coin", "click", "rain"} {
		a, err := embedded.Load(wide, name)
		if err != nil {
			t.Fatal(err)
		}
		b, err := embedded.Load(compact, name)
		if err != nil {
			t.Fatal(err)
		}
		if !b.Compact() || !slices.Equal(a.Samples(), b.Samples()) {
			t.Errorf("%s is not the same", name)
		}
		if info, _ := compact.Info(b); info.Bytes != b.Bytes() {
			t.Errorf("%s takes %d bytes, it says %d", name, b.Bytes(), info.Bytes)
		}
	}
	if w, c := wide.Bytes(), compact.Bytes(); float64(c) > 0.51*float64(w) {
		t.Errorf("%d bytes, compact %d", w, c)
	}
}

// TestLoadEach checks that the callback runs once for every source, one at a time, including sources that fail.
// After it returns false no further source is started.
func TestLoadEach(t *testing.T) {
	var sources []library.Source
	for _, name := range embedded.Names()[:8] {
		sources = append(sources, embedded.Source(name), embedded.Source("no "+name))
	}
	told := make([]int, len(sources))
	busy := false
	lib := library.NewLibrary(library.Options{})
	lib.LoadEach(context.Background(), sources, func(i int, s *sounds.Sound, err error) bool {
		if busy {
			t.Error("two calls at a time")
		}
		busy = true
		told[i]++
		if (i%2 == 0) != (s != nil && err == nil) || i%2 == 1 && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("source %d: %v, %v", i, s, err)
		}
		busy = false
		return true
	})
	for i, n := range told {
		if n != 1 {
			t.Errorf("source %d was told of %d times", i, n)
		}
	}
	calls := 0
	lib.LoadEach(context.Background(), sources, func(i int, s *sounds.Sound, err error) bool {
		calls++
		return false
	})
	if calls < 1 || calls > runtime.GOMAXPROCS(0) {
		t.Errorf("%d calls after the first had refused more", calls)
	}
	lib.LoadEach(context.Background(), nil, nil)
}

// TestForget checks that a forgotten sound no longer counts as memory of the library and is loaded again on
// request.
func TestForget(t *testing.T) {
	b := library.NewLibrary(library.Options{})
	first, err := embedded.Load(b, "coin")
	if err != nil {
		t.Fatal(err)
	}
	other, err := embedded.Load(b, "bell")
	if err != nil {
		t.Fatal(err)
	}
	stream, err := b.OpenStream(embedded.Source("rain"), library.StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b.Forget(first)
	b.Forget(stream)
	if _, ok := b.Info(first); ok || b.Bytes() != other.Bytes() {
		t.Errorf("after it was forgotten: known %v, %d bytes, want %d", ok, b.Bytes(), other.Bytes())
	}
	again, err := embedded.Load(b, "coin")
	if err != nil || again == first {
		t.Errorf("it is not loaded anew (%v)", err)
	}
	if same, _ := embedded.Load(b, "bell"); same != other {
		t.Error("another was forgotten too")
	}
}
