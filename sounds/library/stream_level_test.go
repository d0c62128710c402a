package library

import (
	"errors"
	"io"
	"math"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"voicepool/internal/panning"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestStreamLeveling checks that a measured stream has the level of the loaded sound, to the bit. By tags alone
// it is only lowered. An unknown loudness is an error.
func TestStreamLeveling(t *testing.T) {
	tagged := func(gain string) []byte {
		return slices.Concat(id3("REPLAYGAIN_TRACK_GAIN="+gain), formatFile(t, "mp3-44100-2-vbr.mp3"))
	}
	files := fstest.MapFS{"plain": {Data: formatFile(t, "mp3-44100-2-vbr.mp3")}, "down": {Data: tagged("-6 dB")}, "up": {Data: tagged("+3 dB")}}
	for _, c := range []struct {
		file     string
		leveling Leveling
		opt      StreamOptions
		gain     float64 // NaN means the gain of the loaded sound
		level    float64 // NaN means the gain and the loudness
		err      bool
	}{
		{file: "plain"},
		{file: "plain", opt: StreamOptions{Gain: -3, CountsAs: -30}, gain: -3, level: -30},
		{file: "plain", opt: StreamOptions{Measure: true}, gain: math.NaN(), level: math.NaN()},
		{
			file: "plain", leveling: Leveling{LUFS: -23}, opt: StreamOptions{Measure: true},
			gain: math.NaN(), level: math.NaN(),
		},
		{
			file: "plain", leveling: Leveling{LUFS: -3}, opt: StreamOptions{Measure: true},
			gain: math.NaN(), level: math.NaN(),
		},
		{file: "plain", leveling: Leveling{LUFS: -23}, err: true},
		{file: "plain", leveling: Leveling{Tags: true}},
		{file: "down", leveling: Leveling{Tags: true}, gain: -6, level: -18},
		{file: "down", leveling: Leveling{Tags: true, LUFS: -20}, gain: -8, level: -20},
		{file: "down", leveling: Leveling{Tags: true}, opt: StreamOptions{Measure: true}, gain: -6, level: math.NaN()},
		{file: "up", leveling: Leveling{Tags: true}, level: -21},
		{
			file: "up", leveling: Leveling{Tags: true}, opt: StreamOptions{Measure: true},
			gain: math.NaN(), level: math.NaN(),
		},
	} {
		b := NewLibrary(Options{Rate: 44100, Leveling: c.leveling, Measure: true})
		want, err := b.LoadFS(files, c.file)
		if err != nil {
			t.Fatal(err)
		}
		info, _ := b.Info(want)
		opt := c.opt
		tr, err := b.openTrack(Source{File: c.file, FS: files}, &opt)
		if (err != nil) != c.err || c.err && !errors.Is(err, ErrStream) {
			t.Errorf("%s, %+v: error %v", c.file, c, err)
		}
		if err != nil {
			continue
		}
		if math.IsNaN(c.gain) {
			c.gain = float64(info.Gain)
		}
		if math.IsNaN(c.level) {
			c.level = float64(info.Loudness) + c.gain
		}
		if float64(tr.gain) != c.gain || math.Abs(float64(opt.CountsAs)-c.level) > 1e-9 {
			t.Errorf("%s, %+v: gain %v, level %v", c.file, c, tr.gain, opt.CountsAs)
		}
		if tr.gain != info.Gain {
			continue
		}
		got, err := readRange(t, b, tr, sounds.PlayRange{}, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		sameFrames(t, c.file, got, loaded(want, sounds.PlayRange{}, 1<<20))
	}
	for _, opt := range []StreamOptions{{CountsAs: 1}, {CountsAs: pcm.LUFS(math.NaN())}, {Gain: pcm.Decibels(math.NaN())}, {Gain: 200}, {Ahead: 1 << 62}, {Ahead: -1}} {
		if _, err := NewLibrary(Options{}).OpenStream(Source{File: "plain", FS: files}, opt); err == nil {
			t.Errorf("%+v is taken", opt)
		}
	}
}

// TestStreamEmbedded checks that embedded sounds can be streamed with their loops.
func TestStreamEmbedded(t *testing.T) {
	b := NewLibrary(Options{})
	files, err := filepath.Glob("../embedded/*.flac")
	if err != nil || len(files) < 30 {
		t.Fatal(len(files), err)
	}
	for _, name := range files {
		want, err := b.LoadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := b.OpenStream(Source{File: name}, StreamOptions{})
		if err != nil {
			t.Fatal(err)
		}
		loop := s.Loop()
		if loop != want.Loop() || s.Frames() != want.Frames() {
			t.Errorf("%s: %d frames, loop %v", name, s.Frames(), loop)
		}
		l := listen(t, s, sounds.PlayRange{Loop: loop})
		expected := loaded(want, sounds.PlayRange{Loop: loop}, 5000)
		if want.Channels() == 1 { // the voice pans it
			centre, _ := panning.Gains(0)
			for i := range expected {
				at := (&sounds.PlayRange{Loop: loop}).FrameAt(int64(i))
				y := float32(want.Samples()[at] * float32(centre))
				expected[i] = pcm.Frame{y, y}
			}
		}
		sameFrames(t, name, l.hear(5000), expected)
		l.buffer.Close()
	}
}

// slice is a FrameReader over a slice; the seeking variant can go back.
type slice struct {
	frames []pcm.Frame
	at     int
}

func (s *slice) Read(dst []pcm.Frame) (int, error) {
	n := copy(dst[:min(len(dst), 777)], s.frames[s.at:])
	if s.at += n; s.at == len(s.frames) {
		return n, io.EOF // returned together with the last frame
	}
	return n, nil
}

type seekingSlice struct{ slice }

func (s *seekingSlice) SeekFrame(frame int64) error {
	s.at = min(int(frame), len(s.frames))
	return nil
}

// TestStreamFrameSource checks that frames of custom readers are converted and looped like those of files.
func TestStreamFrameSource(t *testing.T) {
	x := noise(6000, 3)
	frames := make([]pcm.Frame, 6000)
	clip := &Clip{Channels: 2, Rate: 44100, Loop: &pcm.Loop{1000, 5000}}
	for i := range frames {
		frames[i] = pcm.Frame{float32(x[2*i]) / 32768, float32(x[2*i+1]) / 32768}
		clip.Samples = append(clip.Samples, frames[i][0], frames[i][1])
	}
	want, err := Prepare(clip, Options{})
	if err != nil {
		t.Fatal(err)
	}
	loop := want.Loop()
	b := NewLibrary(Options{})
	for name, open := range map[string]func() (FrameReader, error){
		"in order": func() (FrameReader, error) { return &slice{frames: frames}, nil },
		"seeking":  func() (FrameReader, error) { return &seekingSlice{slice{frames: frames}}, nil },
	} {
		s, err := b.StreamFrames(FrameSource{Name: name, Rate: 44100, Frames: 6000, Loop: clip.Loop, Open: open}, StreamOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if s.Loop() != loop || s.Frames() != want.Frames() {
			t.Errorf("%s: %d frames, loop %v", name, s.Frames(), s.Loop())
		}
		for _, c := range []sounds.PlayRange{{}, {From: 3000}, {From: 6500}, {From: 7000}, {Loop: loop}, {From: 5300, Loop: loop}} {
			l := listen(t, s, c)
			sameFrames(t, name, l.hear(20000), loaded(want, c, 20000))
			l.buffer.Close()
		}
	}
	failure := errors.New("no more of it")
	for _, src := range []FrameSource{
		{Name: "x", Rate: 44100}, {Name: "x", Open: func() (FrameReader, error) { return nil, nil }},
		{Name: "x", Rate: 44100, Frames: 10, Loop: &pcm.Loop{5, 11}, Open: func() (FrameReader, error) { return nil, nil }},
	} {
		if _, err := b.StreamFrames(src, StreamOptions{}); err == nil {
			t.Errorf("%+v is taken", src)
		}
	}
	src := FrameSource{Name: "x", Rate: 44100, Open: func() (FrameReader, error) { return nil, nil }}
	if _, err := NewLibrary(Options{Rate: -44100}).StreamFrames(src, StreamOptions{}); !errors.Is(err, ErrLimit) {
		t.Errorf("a library at -44,100 Hz: %v", err)
	}
	s, err := b.StreamFrames(FrameSource{Name: "x", Rate: 44100, Open: func() (FrameReader, error) { return nil, failure }}, StreamOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Open(sounds.PlayRange{}); !errors.Is(err, failure) || err.Error() != "sounds: x: no more of it" {
		t.Errorf("error %v", err)
	}
}
