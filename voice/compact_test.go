package voice_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/sounds"
	"voicepool/voice"
)

// TestCompactBits checks that a 16-bit sound gives the same bits in either storage: at any pitch and quality,
// moving, and over the seam of its loop.
func TestCompactBits(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for n := range 60 {
		s := sounds.Samples{Channels: 1 + n%2, Data: make([]float32, 600*(1+n%2))}
		for i := range s.Data {
			s.Data[i] = float32(int16(r.Uint32())) / 32768
		}
		switch n % 3 {
		case 1:
			s.Loop = [2]int64{100, 500}
		case 2:
			s.Loop = [2]int64{300, 307}
		}
		wide := newSound(t, s)
		s.Compact = true
		compact := newSound(t, s)
		if !compact.Compact() || wide.Compact() || !slices.Equal(compact.Samples(), wide.Samples()) {
			t.Fatalf("sound %d: the samples are not the same", n)
		}
		if compact.Bytes()*2 != wide.Bytes() {
			t.Errorf("sound %d takes %d bytes, compact %d", n, wide.Bytes(), compact.Bytes())
		}
		o := voice.Options{Gain: -3, Pan: 0.3, Loop: n%3 > 0, Quality: sounds.Quality(n / 2 % 2), From: int64(n)}
		if n%5 > 0 {
			o.Speed = 0.5 + r.Float64()*3
		}
		var v, w voice.Voice
		v.Start(wide, o, 0)
		w.Start(compact, o, 0)
		if n%4 == 0 {
			v.SetGain(0, -20, 700, sounds.InDecibels)
			w.SetGain(0, -20, 700, sounds.InDecibels)
			v.SetPitch(0, 5, 300)
			w.SetPitch(0, 5, 300)
		}
		if want, got := mix(&v, 2000, 0), mix(&w, 2000, 0); !slices.Equal(got, want) || len(got) == 0 {
			t.Fatalf("sound %d (%+v): the mixes are not the same", n, o)
		}
	}
}

// TestCompactRounds checks rounding to the nearest 16-bit value and clipping at full scale.
func TestCompactRounds(t *testing.T) {
	const u = 1. / 32768
	s := newSound(t, sounds.Samples{Channels: 1, Compact: true, Data: []float32{0, u, 1.4 * u, 1.6 * u, -1.4 * u, -1.6 * u, 1, -1, 7, -7, 1e-30}})
	want := []float32{0, u, u, 2 * u, -u, -2 * u, 1 - u, -1, 1 - u, -1, 0}
	if got := s.Samples(); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if s := newSound(t, sounds.Samples{Channels: 1, Compact: true}); s.Frames() != 0 || len(s.Samples()) != 0 || !s.Compact() {
		t.Error("an empty sound is not what it should be")
	}
}
