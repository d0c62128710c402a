package beepio_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gopxl/beep/v2"

	"voicepool/beepio"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// conforms reads from s, in calls of all lengths, until s is drained or has returned most frames. It returns
// their number, or an error if s violates the contract of beep.Streamer. Each call must fill its samples, or
// part of them followed by (0, false) forever, or return (0, false) forever. Samples beyond the returned number
// must stay unchanged, and a call that reports an error must return 0 samples.
func conforms(s beep.Streamer, most int) (frames int, err error) {
	canary := [2]float64{math.Pi, -math.E}
	samples := make([][2]float64, 2048)
	short, drained := false, 0
	for call := 0; frames < most && drained < 4; call++ {
		for i := range samples {
			samples[i] = canary
		}
		length := []int{512, 1, 7, 1024, 511, 513, 64}[call%7]
		n, ok := s.Stream(samples[:length:len(samples)])
		what := fmt.Sprintf("call %d, of %d samples after %d frames, gives %d, %v", call, length, frames, n, ok)
		switch {
		case n < 0 || n > length, ok && n == 0, !ok && n != 0:
			return frames, errors.New(what)
		case (short || drained > 0) && ok:
			return frames, errors.New(what + ", after its end")
		case ok && s.Err() != nil:
			return frames, fmt.Errorf("%s, with an error: %w", what, s.Err())
		}
		for i, x := range samples[n:] {
			if x != canary {
				return frames, fmt.Errorf("%s, and touches sample %d", what, n+i)
			}
		}
		frames += n
		short = short || n < length
		if !ok {
			drained++
		}
	}
	return frames, nil
}

// TestStreamerConforms checks that the mixer fills every call, forever, whatever happens to it, and beep's
// wrappers of it conform, too.
func TestStreamerConforms(t *testing.T) {
	const most = 20000
	empty := func(c mixer.Config) *mixer.Mixer {
		m, err := mixer.New(c)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	closed := playing(t)
	closed.Close()
	stopped := playing(t)
	stopped.StopAll(0)
	broken := empty(mixer.Config{Buses: []mixer.BusConfig{{Name: "b", Insert: breaks{}}}})
	for name, m := range map[string]*mixer.Mixer{
		"a tone": playing(t), "nothing": empty(mixer.Config{}), "a closed mixer": closed, "after a stop": stopped, "with an effect that panics": broken,
	} {
		s := beepio.NewStreamer(m)
		if n, err := conforms(s, most); err != nil || n < most || s.Err() != nil {
			t.Errorf("%s: %d frames, %v", name, n, err)
			continue // beep's wrapper may be endless
		}
		for name, c := range map[string]struct {
			s    beep.Streamer
			want int // frames; 0: endless
		}{
			"Take":            {beep.Take(5000, s), 5000},
			"Take of nothing": {beep.Take(0, s), 0},
			"Seq":             {beep.Seq(beep.Take(300, s), beep.Take(700, s)), 1000},
			"Resample":        {beep.Resample(3, 48000, 44100, s), most},
			"Ctrl":            {&beep.Ctrl{Streamer: s}, most},
			"a mixer of beep": {mixed(s), most},
		} {
			if n, err := conforms(c.s, most); err != nil || n < c.want || c.want < most && n != c.want {
				t.Errorf("%s: %d frames, want %d: %v", name, n, c.want, err)
			}
		}
	}
}

type breaks struct{}

func (breaks) Process([]pcm.Frame) { panic("broken") }

func mixed(s beep.Streamer) beep.Streamer {
	m := &beep.Mixer{}
	m.Add(s)
	return m
}

// TestConforms checks that conforms detects each violation of the contract.
func TestConforms(t *testing.T) {
	failure := errors.New("the disk is gone")
	for name, c := range map[string]struct {
		s    beep.Streamer
		text string
	}{
		"empty":     {&returns{n: []int{512, 0, 0}, ok: []bool{true, true, false}}, "call 1, of 1 samples after 512 frames, gives 0, true"},
		"too many":  {&returns{n: []int{513}, ok: []bool{true}}, "call 0, of 512 samples after 0 frames, gives 513, true"},
		"negative":  {&returns{n: []int{-1}, ok: []bool{true}}, "gives -1, true"},
		"with last": {&returns{n: []int{5}, ok: []bool{false}}, "gives 5, false"},
		"goes on":   {&returns{n: []int{511, 1}, ok: []bool{true, true}}, "call 1, of 1 samples after 511 frames, gives 1, true, after its end"},
		"wakes up":  {&returns{n: []int{512, 0, 7}, ok: []bool{true, false, true}}, "gives 7, true, after its end"},
		"an error":  {&returns{n: []int{512}, ok: []bool{true}, err: failure}, "gives 512, true, with an error: the disk is gone"},
		"touches":   {beep.StreamerFunc(func(s [][2]float64) (int, bool) { s[:20][9] = [2]float64{}; return 0, false }), "gives 0, false, and touches sample 9"},
	} {
		if _, err := conforms(c.s, 5000); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want %q", name, err, c.text)
		}
	}
	if n, err := conforms(ramp(3000).Streamer(0, 3000), 5000); err != nil || n != 3000 {
		t.Errorf("beep's own buffer: %d frames, %v", n, err)
	}
}

// script is a streamer of numbered frames with scripted calls. It counts the frames requested after it was
// drained.
type script struct {
	calls  []int // number of frames; full: as many as fit; end: (0, false); fault: panic
	last   int   // frames returned together with the end, which must be ignored
	err    error // returned from the end on
	given  int
	at     int
	over   bool
	beyond int
}

const (
	full  = -1
	end   = -2
	fault = -3
)

func number(i int) [2]float64 { return [2]float64{float64(i+1) / 16384, -float64(i+1) / 16384} }

func (s *script) Stream(samples [][2]float64) (int, bool) {
	if s.over {
		s.beyond++
		return 0, false
	}
	n := s.calls[s.at]
	s.at++
	switch n {
	case end:
		s.over = true
		for i := range samples[:s.last] {
			samples[i] = [2]float64{9, 9}
		}
		return s.last, false
	case fault:
		s.over = true
		panic("broken")
	case full:
		n = len(samples)
	}
	n = min(n, len(samples))
	for i := range samples[:n] {
		samples[i] = number(s.given)
		s.given++
	}
	return n, true
}

func (s *script) Err() error {
	if s.over {
		return s.err
	}
	return nil
}

// TestTakesStreamers covers every valid return pattern of a streamer, and many invalid ones. Read and Stream
// deliver each frame once and in order, do not read a drained streamer, and report errors.
func TestTakesStreamers(t *testing.T) {
	failure := errors.New("the disk is gone")
	for name, c := range map[string]struct {
		script
		text string // of the error; "": no error
	}{
		"full, then drained":               {script{calls: []int{full, full, end}}, ""},
		"full, short, drained":             {script{calls: []int{full, full, 100, end}}, ""},
		"drained at once":                  {script{calls: []int{end}}, ""},
		"a single frame":                   {script{calls: []int{1, end}}, ""},
		"short of one":                     {script{calls: []int{511, end}}, ""},
		"short, and not drained":           {script{calls: []int{1, 511, full, 3, 3, full, 100, end}}, ""},
		"nothing for a while":              {script{calls: []int{0, 0, full, 0, 0, 7, 0, full, 0, 0, end}}, ""},
		"nothing for ever":                 {script{calls: []int{full, 7, 0, 0, 0, full, end}}, "no data|gives nothing after 519 frames"},
		"an error at the end":              {script{calls: []int{full, 100, end}, err: failure}, "the disk is gone"},
		"an error at once":                 {script{calls: []int{end}, err: failure}, "the disk is gone"},
		"an error and frames":              {script{calls: []int{full, end}, last: 5, err: failure}, "the disk is gone"},
		"frames with the end":              {script{calls: []int{full, end}, last: 5}, ""},
		"a panic":                          {script{calls: []int{full, 100, fault}}, "panics after 612 frames: broken"},
		"a panic at once":                  {script{calls: []int{fault}}, "panics after 0 frames: broken"},
		"a panic when asked for its error": {script{calls: []int{5, end}, err: panics{}}, "panics after 5 frames: no error"},
	} {
		check := func(way string, s *script, frames int, err error) {
			t.Helper()
			if frames != s.given {
				t.Errorf("%s, %s: %d frames come of %d", name, way, frames, s.given)
			}
			if s.beyond > 0 {
				t.Errorf("%s, %s: %d calls after its end", name, way, s.beyond)
			}
			told := false
			for text := range strings.SplitSeq(c.text, "|") {
				told = told || err != nil && strings.Contains(err.Error(), text)
			}
			if (err == nil) != (c.text == "") || err != nil && !told {
				t.Errorf("%s, %s: error %v, want %q", name, way, err, c.text)
			}
			if c.err == failure && !errors.Is(err, failure) {
				t.Errorf("%s, %s: the cause is lost: %v", name, way, err)
			}
		}
		read := c.script
		clip, err := beepio.Read(name, &faulty{&read}, 48000, 10000)
		if err == nil {
			for i := range read.given {
				if w := number(i); clip.Samples[2*i] != float32(w[0]) || clip.Samples[2*i+1] != float32(w[1]) {
					t.Fatalf("%s, read: frame %d is %v, want %v", name, i, clip.Samples[2*i:2*i+2], w)
				}
			}
			check("read", &read, len(clip.Samples)/2, nil)
		} else {
			check("read", &read, read.given, err)
		}

		var told faults
		stream := c.script
		s, err := library.NewLibrary(library.Options{}).StreamFrames(beepio.Stream(name, &faulty{&stream}, 48000), library.StreamOptions{OnError: told.add})
		if err != nil {
			t.Fatal(err)
		}
		got := hear(t, s, sounds.PlayRange{}, 1<<15)
		for i, x := range got {
			if w := number(i); x != (pcm.Frame{float32(w[0]), float32(w[1])}) {
				t.Fatalf("%s, streamed: frame %d is %v, want %v", name, i, x, w)
			}
		}
		check("streamed", &stream, len(got), told.first())
	}
}

// panics is an error that a streamer panics with instead of returning it.
type panics struct{}

func (panics) Error() string { return "no error" }

// faulty is a script whose Err panics if its error is a panics.
type faulty struct{ *script }

func (f *faulty) Err() error {
	err := f.script.Err()
	if p, ok := err.(panics); ok {
		panic(p)
	}
	return err
}

// seeker is a beep.StreamSeeker whose Seek and Len are replaced.
type seeker struct {
	beep.StreamSeeker
	seek func(int) error
	len  func() int
}

func (s *seeker) Seek(n int) error {
	if s.seek != nil {
		return s.seek(n)
	}
	return s.StreamSeeker.Seek(n)
}

func (s *seeker) Len() int {
	if s.len != nil {
		return s.len()
	}
	return s.StreamSeeker.Len()
}

// TestTakesSeekers checks that a failing or panicking seek is an error of a start that needs it. A wrong
// length, even a negative one, affects only the frames beyond it.
func TestTakesSeekers(t *testing.T) {
	const length = 3000
	failure := errors.New("the disk is gone")
	open := func(s beep.Streamer) (*sounds.Sound, *faults) {
		told := &faults{}
		out, err := library.NewLibrary(library.Options{}).StreamFrames(beepio.Stream("x", s, 48000), library.StreamOptions{OnError: told.add})
		if err != nil {
			t.Fatal(err)
		}
		return out, told
	}
	for name, c := range map[string]struct {
		seek func(int) error
		text string
	}{
		"fails":  {func(int) error { return failure }, "the disk is gone"},
		"panics": {func(int) error { panic("broken") }, "it panics after 0 frames: broken"},
	} {
		for _, played := range []int{0, 7} { // the first play needs no seek
			inner := ramp(length).Streamer(0, length)
			if err := inner.Seek(played); err != nil {
				t.Fatal(err)
			}
			s, _ := open(&seeker{StreamSeeker: inner, seek: c.seek})
			if f, err := s.Open(sounds.PlayRange{}); played == 0 && err != nil {
				t.Errorf("a seek that %s, and is not needed: %v", name, err)
			} else if err == nil {
				f.Close()
			}
			if _, err := s.Open(sounds.PlayRange{}); !errors.Is(err, beepio.ErrStreamer) || !strings.Contains(err.Error(), c.text) {
				t.Errorf("a seek that %s: %v, want %q", name, err, c.text)
			}
		}
	}
	s, told := open(&seeker{StreamSeeker: ramp(length).Streamer(0, length), len: func() int { return -5 }})
	if got := len(hear(t, s, sounds.PlayRange{}, 2*length)); got != length || told.first() != nil {
		t.Errorf("with a length of -5 frames %d come, %v", got, told.first())
	}
}
