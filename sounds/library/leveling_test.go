package library

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"voicepool/pcm"
)

// hum returns half a second of a sine; its loudness is 3 dB below its level.
func hum(level float64) *Clip {
	c := &Clip{Name: "hum", Format: "wav", Channels: 1, Rate: 48000}
	for i := range 24000 {
		c.Samples = append(c.Samples, float32(math.Pow(10, level/20)*math.Sin(2*math.Pi*997*float64(i)/48000)))
	}
	return c
}

func tagged(level, gain float64) *Clip {
	c := hum(level)
	c.Gain = (*pcm.Decibels)(&gain)
	return c
}

// TestLeveling checks that the result has the requested loudness unless its peaks limit it. Without a request
// the bits stay unchanged.
func TestLeveling(t *testing.T) {
	for _, c := range []struct {
		name  string
		clip  *Clip
		level Leveling
		gain  float64 // within 0.05 dB
	}{
		{name: "nothing asked", clip: tagged(-20, 5)},
		{name: "lowered", clip: hum(-5), level: Leveling{LUFS: -18}, gain: -9.99},
		{name: "raised", clip: hum(-35), level: Leveling{LUFS: -18}, gain: 20.01},
		{name: "raised to its peak", clip: hum(-10), level: Leveling{LUFS: -2}, gain: 9},
		{name: "peak already over", clip: hum(-0.5), level: Leveling{LUFS: -1}},
		{name: "tag, not asked", clip: tagged(-35, -7), level: Leveling{LUFS: -18}, gain: 20.01},
		{name: "tag", clip: tagged(-35, -7.03), level: Leveling{Tags: true}, gain: -7.03},
		{name: "tag, to another level", clip: tagged(-35, -7), level: Leveling{LUFS: -23, Tags: true}, gain: -12},
		{name: "tag, to its peak", clip: tagged(-10, 20), level: Leveling{Tags: true}, gain: 9},
		{name: "no tag", clip: hum(-35), level: Leveling{Tags: true}},
		{name: "no tag, measured", clip: hum(-35), level: Leveling{LUFS: -18, Tags: true}, gain: 20.01},
		{
			name:  "silence",
			clip:  &Clip{Name: "none", Channels: 1, Rate: 48000, Samples: make([]float32, 48000)},
			level: Leveling{LUFS: -18},
		},
		{name: "empty", clip: &Clip{Name: "none", Channels: 1, Rate: 48000}, level: Leveling{LUFS: -18}},
	} {
		before := slices.Clone(c.clip.Samples)
		s, err := Prepare(c.clip, Options{Leveling: c.level})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if !slices.Equal(before, c.clip.Samples) {
			t.Errorf("%s: the clip was changed", c.name)
		}
		if c.gain == 0 {
			if !slices.Equal(s.Samples(), c.clip.Samples) {
				t.Errorf("%s: samples are changed", c.name)
			}
			continue
		}
		got := 20 * math.Log10(float64(slices.Max(s.Samples()))/float64(slices.Max(c.clip.Samples)))
		if math.Abs(got-c.gain) > 0.05 {
			t.Errorf("%s: changed by %.3f dB, want %.2f", c.name, got, c.gain)
		}
		if e := s.Envelope().Once[0]; math.Abs(10*math.Log10(float64(e))-(-3.01+20*math.Log10(float64(slices.Max(s.Samples())))+0.7)) > 0.2 {
			t.Errorf("%s: the index is %.2f dB, it does not know of the gain", c.name, 10*math.Log10(float64(e)))
		}
	}
	for _, lufs := range []float64{1, -70.1, math.NaN(), math.Inf(-1)} {
		if _, err := Prepare(hum(-20), Options{Leveling: Leveling{LUFS: lufs}}); !errors.Is(err, ErrLimit) {
			t.Errorf("%v LUFS: error %v", lufs, err)
		}
	}
}

// TestMP3Tags checks that gain and loop points of an MP3 are read from user-defined tags.
func TestMP3Tags(t *testing.T) {
	data := mustRead(t, "testdata/formats/mp3-44100-2-vbr.mp3")
	tag := id3("replaygain_track_gain=-6.5 dB", "LOOPSTART=100")
	c := mustDecode(t, slices.Concat(tag, data))
	if c.Gain == nil || *c.Gain != -6.5 || c.Loop == nil || c.Loop[0] != 100 {
		t.Errorf("gain %v, loop %v", c.Gain, c.Loop)
	}
}

// TestLibraryLeveling checks that one source can be loaded at several levels.
func TestLibraryLeveling(t *testing.T) {
	b := NewLibrary(Options{Measure: true})
	coin, low := shipped("coin"), shipped("coin")
	low.Leveling.LUFS = -30
	got, err := b.Load(context.Background(), coin, low, low)
	if err != nil {
		t.Fatal(err)
	}
	if got[0] == got[1] || got[1] != got[2] {
		t.Fatal("sounds are shared that are not the same, or are not that are")
	}
	low.Leveling.LUFS = math.NaN()
	if _, err := b.Load(context.Background(), low); !errors.Is(err, ErrLimit) || len(b.entries) != 2 {
		t.Errorf("error %v, %d entries", err, len(b.entries))
	}
	plain, _ := b.Info(got[0])
	quiet, _ := b.Info(got[1])
	if plain.Gain != 0 || math.Abs(float64(plain.Loudness)+float64(quiet.Gain)+30) > 1e-9 || plain.Loudness != quiet.Loudness {
		t.Errorf("gain %v and %v, loudness %v and %v", plain.Gain, quiet.Gain, plain.Loudness, quiet.Loudness)
	}
}
