package library

import (
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// listener plays a stream buffer like a manually stepped mixer: it waits for the data of each block first.
type listener struct {
	voice  voice.Voice
	buffer *sounds.StreamBuffer
	at     int
}

func listen(t testing.TB, s *sounds.Sound, c sounds.PlayRange) *listener {
	t.Helper()
	f, err := s.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{buffer: f}
	l.voice.Start(s, voice.Options{Buffer: f}, 0)
	return l
}

// hear returns n frames, or fewer at the end.
func (l *listener) hear(n int) []pcm.Frame {
	out := make([]pcm.Frame, n)
	for at := 0; at < n; {
		l.buffer.Wait(1 << 13)
		block := out[at:min(at+480, n)]
		got := l.voice.Mix(block, int64(l.at))
		l.voice.Commit()
		at, l.at = at+got, l.at+got
		if got < len(block) {
			return out[:at]
		}
	}
	return out
}

func noise(frames int, seed uint64) []int16 {
	random := rand.New(rand.NewPCG(seed, seed))
	x := make([]int16, 2*frames)
	for i := range x {
		x[i] = int16(random.IntN(40000) - 20000)
	}
	return x
}

// TestStreamPlays checks that a streamed voice plays the samples of the loaded sound and that the goroutine
// then ends.
func TestStreamPlays(t *testing.T) {
	files := fstest.MapFS{"a.wav": {Data: wavBytes16(44100, 2, noise(200000, 1), [2]uint32{50000, 150000})}}
	b := NewLibrary(Options{})
	want, err := b.LoadFS(files, "a.wav")
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.OpenStream(Source{File: "a.wav", FS: files}, StreamOptions{Ahead: 200 * time.Millisecond, OnError: func(name string, err error) { t.Error(name, err) }})
	if err != nil {
		t.Fatal(err)
	}
	loop := s.Loop()
	from, to := loop[0], loop[1]
	if s.Frames() != want.Frames() || loop != want.Loop() || s.Name() != "a" || !s.Streamed() {
		t.Errorf("%q: %d frames, loop [%d, %d)", s.Name(), s.Frames(), from, to)
	}
	if info, ok := b.Info(s); !ok || info.Frames != 200000 || info.Rate != 44100 || *info.Loop != [2]int64{50000, 150001} {
		t.Errorf("info %+v", info)
	}
	for _, c := range []sounds.PlayRange{{}, {From: 100001}, {Loop: [2]int64{from, to}}} {
		n := int(2 * want.Frames())
		l := listen(t, s, c)
		sameFrames(t, "heard", l.hear(n), loaded(want, c, n))
		l.buffer.Close()
	}
}

// TestDecodeAheadTime checks the schedule of a decodeAhead. It fills the buffer, wakes after a quarter of it could
// have been played or when a reader waits, and ends when either side closes the buffer.
func TestDecodeAheadTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int64
		var closed atomic.Bool
		r := &reader64{read: func(dst []pcm.Frame) (int, error) { reads.Add(int64(len(dst))); return len(dst), nil }, closed: &closed}
		f := newDecodeAhead(time.Second, 8192, sounds.PlayRange{}, r, func(err error) { t.Error(err) })
		go f.run()
		synctest.Wait()
		if reads.Load() != 8192 || f.buffer.Free() != 0 {
			t.Fatalf("%d frames were read ahead, room for %d", reads.Load(), f.buffer.Free())
		}
		s, err := sounds.NewStream(sounds.Stream{Rate: 8192, Open: func(sounds.PlayRange) (*sounds.StreamBuffer, error) { return f.buffer, nil }})
		if err != nil {
			t.Fatal(err)
		}
		var v voice.Voice
		v.Start(s, voice.Options{Buffer: f.buffer}, 0)
		v.Mix(make([]pcm.Frame, 100), 0)
		v.Commit()
		synctest.Wait()
		if reads.Load() != 8192 {
			t.Errorf("%d frames were read before anybody looked", reads.Load())
		}
		time.Sleep(250 * time.Millisecond)
		synctest.Wait()
		if reads.Load() != 8192+96 { // the last four frames behind the voice are kept
			t.Errorf("%d frames were read after a quarter of a second", reads.Load())
		}
		v.Mix(make([]pcm.Frame, 100), 100)
		v.Commit()
		start := time.Now()
		f.buffer.Wait(8192)
		if reads.Load() != 8192+196 || !time.Now().Equal(start) {
			t.Errorf("%d frames were read when somebody waited, after %v", reads.Load(), time.Since(start))
		}
		synctest.Wait() // it checks the buffer once more and would notice the end by itself
		v.Drop()
		synctest.Wait()
		if closed.Load() {
			t.Error("the audio side has woken it")
		}
		time.Sleep(250 * time.Millisecond)
		synctest.Wait()
		if !closed.Load() {
			t.Error("it has not noticed that the buffer is closed")
		}
	})
}

type reader64 struct {
	read   func([]pcm.Frame) (int, error)
	closed *atomic.Bool
}

func (r *reader64) Read(dst []pcm.Frame) (int, error) { return r.read(dst) }
func (r *reader64) Close() error                      { r.closed.Store(true); return nil }

// TestDecodeAheadFaults checks that after any fault of a reader the stream ends behind the frames read so far. The
// fault is reported once and the reader is closed.
func TestDecodeAheadFaults(t *testing.T) {
	failure := errors.New("the disk is gone")
	nan := pcm.Frame{0, float32(nanOf())}
	for name, c := range map[string]struct {
		then func(dst []pcm.Frame) (int, error)
		text string
	}{
		"ends":       {func([]pcm.Frame) (int, error) { return 0, io.EOF }, ""},
		"fails":      {func([]pcm.Frame) (int, error) { return 0, failure }, "x: the disk is gone"},
		"panics":     {func([]pcm.Frame) (int, error) { panic("oops") }, "x: the decoder failed: oops"},
		"negative":   {func([]pcm.Frame) (int, error) { return -1, nil }, "x: it says that it gave -1 of"},
		"too many":   {func(dst []pcm.Frame) (int, error) { return len(dst) + 1, nil }, "x: it says that it gave"},
		"nothing":    {func([]pcm.Frame) (int, error) { return 0, nil }, "x: multiple Read calls return no data or error"},
		"no numbers": {func(dst []pcm.Frame) (int, error) { dst[0] = nan; return 1, nil }, "x: a sample is NaN, not within -65536..+65536"},
		"too loud":   {func(dst []pcm.Frame) (int, error) { dst[0] = pcm.Frame{65537, 0}; return 1, nil }, "x: a sample is 65537, not within -65536..+65536"},
	} {
		given := 0
		var closed atomic.Bool
		r := &reader64{closed: &closed, read: func(dst []pcm.Frame) (int, error) {
			if given < 1000 {
				n := min(len(dst), 1000-given)
				for i := range n {
					dst[i] = pcm.Frame{float32(given+i) / 1000, 0.5}
				}
				given += n
				return n, nil
			}
			return c.then(dst)
		}}
		var faults []string
		opt := StreamOptions{OnError: func(name string, err error) {
			if name != "x" || !errors.Is(err, failure) && strings.Contains(err.Error(), "disk") {
				t.Errorf("%s: %v", name, err)
			}
			faults = append(faults, strings.TrimPrefix(err.Error(), "sounds: "))
		}}
		f := newDecodeAhead(0, 48000, sounds.PlayRange{}, r, opt.errorHandler("x"))
		f.run()
		if !closed.Load() || (c.text == "") != (len(faults) == 0) || len(faults) > 0 && (len(faults) > 1 || !strings.HasPrefix(faults[0], c.text)) {
			t.Errorf("%s: closed %v, faults %q, want %q", name, closed.Load(), faults, c.text)
		}
		s, err := sounds.NewStream(sounds.Stream{Rate: 48000, Open: func(sounds.PlayRange) (*sounds.StreamBuffer, error) { return f.buffer, nil }})
		if err != nil {
			t.Fatal(err)
		}
		if got := listen(t, s, sounds.PlayRange{}).hear(3000); len(got) != 1000 || got[999] != (pcm.Frame{0.999, 0.5}) {
			t.Errorf("%s: %d frames are heard", name, len(got))
		}
	}
}

func nanOf() float64 { x := 0.0; return x / x }

// TestStreamBroken checks that a strict library plays a truncated stream up to the break and reports the error.
func TestStreamBroken(t *testing.T) {
	whole := mustRead(t, "testdata/formats/flac-fast.flac")
	b := NewLibrary(Options{Rate: 44100, Strict: true})
	files := fstest.MapFS{"a.flac": {Data: whole}, "b.flac": {Data: whole[:len(whole)*2/3]}}
	want, err := b.LoadFS(files, "a.flac")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	text := ""
	s, err := b.OpenStream(Source{File: "b.flac", FS: files}, StreamOptions{OnError: func(name string, err error) {
		mu.Lock()
		defer mu.Unlock()
		text += err.Error()
		if name != "b.flac" || !errors.Is(err, ErrDecode) {
			t.Errorf("%s: %v", name, err)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := listen(t, s, sounds.PlayRange{}).hear(1 << 20)
	if len(got) != 3456 {
		t.Errorf("%d frames are heard", len(got))
	}
	sameFrames(t, "what is left", got, loaded(want, sounds.PlayRange{}, len(got)))
	mu.Lock()
	defer mu.Unlock()
	if text != "sounds: b.flac: cut short: 8820 frames are announced, 3456 are there" {
		t.Errorf("error %q", text)
	}
}

// TestStreamChanged checks that a file that changed since it was opened is not played.
func TestStreamChanged(t *testing.T) {
	files := fstest.MapFS{"a.wav": {Data: wavBytes16(48000, 2, noise(1000, 1), [2]uint32{0, 999})}}
	s, err := NewLibrary(Options{}).OpenStream(Source{File: "a.wav", FS: files}, StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	files["a.wav"] = &fstest.MapFile{Data: wavBytes16(48000, 2, noise(1001, 1), [2]uint32{0, 999})}
	if _, err := s.Open(sounds.PlayRange{}); !errors.Is(err, ErrStream) || err.Error() != "sounds: a.wav: the file has changed since it was opened" {
		t.Errorf("error %v", err)
	}
	delete(files, "a.wav")
	if _, err := s.Open(sounds.PlayRange{}); err == nil || err.Error() != "sounds: a.wav: file does not exist" {
		t.Errorf("error %v", err)
	}
}

// TestQueue checks that a queue plays the frames of all its tracks in order, from any position. This includes
// tracks that are added during playback.
func TestQueue(t *testing.T) {
	whole := noise(9000, 5)
	loop := [2]uint32{1, 0} // no loop
	files := fstest.MapFS{
		"whole": {Data: wavBytes16(44100, 2, whole, loop)},
		"one":   {Data: wavBytes16(44100, 2, whole[:2*3333], loop)},
		"two":   {Data: wavBytes16(44100, 2, whole[2*3333:2*5000], loop)},
		"three": {Data: wavBytes16(44100, 2, whole[2*5000:], loop)},
		"mono":  {Data: wavBytes16(22050, 1, noise(1500, 7), loop)},
		"bad":   {Data: []byte("no sound")},
		"short": {Data: mustRead(t, "testdata/formats/flac-fast.flac")[:20000]},
	}
	source := func(name string) Source { return Source{File: name, FS: files} }
	b := NewLibrary(Options{Strict: true})
	frames := func(name string) []pcm.Frame {
		s, err := b.LoadFS(files, name)
		if err != nil {
			t.Fatal(err)
		}
		return loaded(s, sounds.PlayRange{}, int(s.Frames()))
	}
	faults := make(chan string, 10)
	q, err := b.NewQueue("music", StreamOptions{OnError: func(name string, err error) { faults <- err.Error() }},
		source("one"), source("two"), source("three"))
	if err != nil {
		t.Fatal(err)
	}
	// The three parts of one recording are converted as one.
	l := listen(t, q.Sound(), sounds.PlayRange{})
	sameFrames(t, "an album", l.hear(len(frames("whole"))-100), frames("whole")[:len(frames("whole"))-100])
	if err := q.Add(source("mono"), source("bad")); !errors.Is(err, ErrFormat) || q.Sources() != 3 {
		t.Errorf("error %v, %d sources", err, q.Sources())
	}
	for range 2 {
		if err := q.Add(source("mono")); err != nil {
			t.Fatal(err)
		}
	}
	rest := append(frames("whole")[len(frames("whole"))-100:], frames("mono")...)
	rest = append(rest, frames("mono")...)
	sameFrames(t, "what was added", l.hear(1<<20), rest)
	l.buffer.Close()
	all := append(append(frames("whole"), frames("mono")...), frames("mono")...)
	for _, from := range []int{3, 4000, len(frames("whole")) - 1, len(frames("whole")), len(all) - 10, len(all) + 10} {
		l := listen(t, q.Sound(), sounds.PlayRange{From: int64(from)})
		sameFrames(t, "from a place", l.hear(1<<20), all[min(from, len(all)):])
		l.buffer.Close()
	}
	if len(faults) > 0 {
		t.Error(<-faults)
	}
	// A broken track is reported and the next one plays.
	q, err = b.NewQueue("music", StreamOptions{OnError: func(name string, err error) { faults <- err.Error() }}, source("short"), source("one"))
	if err != nil {
		t.Fatal(err)
	}
	l = listen(t, q.Sound(), sounds.PlayRange{})
	got := l.hear(1 << 20)
	if n := len(got) - len(frames("one")); n < 4000 {
		t.Errorf("%d frames are heard", len(got))
	} else {
		sameFrames(t, "behind a broken one", got[n:], frames("one"))
	}
	if text := <-faults; !strings.HasPrefix(text, "sounds: music: frame ") {
		t.Errorf("error %q", text)
	}
	l.buffer.Close()
}

// TestQueueWaits checks that a read from an empty queue ends, that a later read plays the sources added since,
// and that no reader is left.
func TestQueueWaits(t *testing.T) {
	files := fstest.MapFS{"a.wav": {Data: wavBytes16(48000, 2, noise(1000, 1), [2]uint32{1, 0})}}
	synctest.Test(t, func(t *testing.T) {
		b := NewLibrary(Options{})
		q, err := b.NewQueue("music", StreamOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l := listen(t, q.Sound(), sounds.PlayRange{})
		if n := len(l.hear(100)); n != 0 {
			t.Errorf("%d frames of an empty queue", n)
		}
		if err := q.Add(Source{File: "a.wav", FS: files}); err != nil {
			t.Fatal(err)
		}
		if n := len(l.hear(5000)); n != 1000 {
			t.Errorf("%d frames of what was added", n)
		}
		l.voice.Drop()
		time.Sleep(time.Second)
		synctest.Wait()
		if len(q.readers) != 0 { // a decodeAhead removes its own reader when it ends
			t.Errorf("%d readers are left", len(q.readers))
		}
	})
}
