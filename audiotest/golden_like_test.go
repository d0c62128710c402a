package audiotest_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"voicepool/audiotest"
	"voicepool/device/wav"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// noise returns noise at 48 kHz that begins with an amplitude of 0.2 and falls by a factor of e every tau seconds.
func noise(t testing.TB, name string, seed uint64, seconds, tau float64) *sounds.Sound {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	s := sounds.Samples{Name: name, Rate: 48000, Channels: 1, Data: make([]float32, int(seconds*48000))}
	for i := range s.Data {
		s.Data[i] = float32(0.2 * (2*r.Float64() - 1) * math.Exp(-float64(i)/48000/tau))
	}
	out, err := sounds.NewSound(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestGoldenLike checks the threshold, and that the message lists the changed sounds only, not the engines that play at
// the same time.
func TestGoldenLike(t *testing.T) {
	t.Parallel()
	file := filepath.ToSlash(t.TempDir()) + "/mix"
	f := newFake(t)
	engines := []*sounds.Sound{noise(t, "engine", 1, 1, 9), noise(t, "engine", 2, 1, 9), noise(t, "engine", 3, 1, 9), noise(t, "engine", 4, 1, 9)}
	boom, tick := noise(t, "boom", 5, 0.4, 0.2), noise(t, "tick", 6, 0.05, 9)
	game := func(seconds int, boomGain, tickGain pcm.Decibels) *audiotest.Audio {
		a := audiotest.New(f, mixer.Config{Rate: 48000, Voices: 8})
		for _, e := range engines {
			play(t, a, e, mixer.Options{Gain: -30})
		}
		a.Do(100*ms, func() { play(t, a, boom, mixer.Options{Gain: boomGain}) })
		if tickGain > -100 {
			a.Do(400*ms, func() { play(t, a, tick, mixer.Options{Gain: tickGain}) })
		}
		for range seconds {
			a.Step(600 * ms)
		}
		return a
	}
	first := game(1, 0, -6)
	f.says(t, "no file", "there is no "+file+".wav, which go test -audiotest.update writes; the mix is in "+file+".got.wav", func() { first.GoldenLike(file, audiotest.Imperceptible) })
	first.Update(true)
	first.GoldenLike(file, audiotest.Imperceptible)
	first.Update(false)
	f.says(t, "equal bits", "", func() { first.GoldenLike(file, audiotest.Imperceptible) })
	f.says(t, "a mistake", "unknown likeness 7, want Imperceptible", func() { first.GoldenLike(file, 7) })

	slight := game(1, 0.005, -6)
	if said := f.failure(func() { slight.Golden(file + ".wav") }); said == "" {
		t.Error("a change by 0.005 dB leaves the bits")
	}
	f.says(t, "a change by 0.005 dB", "", func() { slight.GoldenLike(file+".wav", audiotest.Imperceptible) })
	if _, err := os.Stat(file + ".got.wav"); err == nil {
		t.Error("an equal sound leaves the mix beside the file")
	}
	for _, c := range []struct {
		name       string
		boom, tick pcm.Decibels
		want       string
	}{
		{"the boom by 1 dB", -1, -6, `changed: "boom" #5; the mix is in `},
		{"both", -1, -3, `changed: "tick" #6, "boom" #5; the mix is in `},
		{"no tick", 0, -100, `no voice of the mix explains the change; a sound may be missing; the mix is in `},
	} {
		said := f.failure(func() { game(1, c.boom, c.tick).GoldenLike(file, audiotest.Imperceptible) })
		want := `^audiotest: the mix sounds different from ` + regexp.QuoteMeta(file) + `\.wav: the 2f score is [0-8]?\d(\.\d+)?, want at least 90; the Zimtohrli distance is [\d.]+(e-\d\d)?, want at most 0\.0001; ` + c.want
		if !regexp.MustCompile(want).MatchString(said) {
			t.Errorf("%s says\n%s\nwant\n%s", c.name, said, want)
		}
	}
	f.says(t, "another length", "the mix has 57600 frames and "+file+".wav has 28800, want the same number; the mix is in "+file+".got.wav",
		func() { game(2, 0, -6).GoldenLike(file, audiotest.Imperceptible) })
	short := audiotest.New(f, mixer.Config{Rate: 48000})
	short.Step(100 * ms)
	short.Update(true)
	short.GoldenLike(file, audiotest.Imperceptible)
	short = audiotest.New(f, mixer.Config{Rate: 48000})
	play(t, short, boom, mixer.Options{})
	short.Step(100 * ms)
	f.says(t, "a short mix", "the mix differs from "+file+".wav and lasts 100ms, want at least 0.53 s for GoldenLike; the mix is in "+file+".got.wav",
		func() { short.GoldenLike(file, audiotest.Imperceptible) })
}

// stereo returns independent noise in the middle and, quieter, at the sides. It fades until 0.4 s, and 0.2 s of silence
// follow.
func stereo() []pcm.Frame {
	r := rand.New(rand.NewPCG(7, 1))
	frames := make([]pcm.Frame, 28800)
	for i := range frames[:19200] {
		gain := 0.2 * min(1, (19200-float32(i))/4800)
		middle, side := gain*(2*r.Float32()-1), gain/4*(2*r.Float32()-1)
		frames[i] = pcm.Frame{middle + side, middle - side}
	}
	return frames
}

// TestGoldenLikeOfStereo checks changes that leave the power of each channel, and a sound in the silence of the file.
func TestGoldenLikeOfStereo(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "mix.wav")
	want := stereo()
	out, err := wav.Create(file, wav.Config{Rate: 48000, Format: wav.F32, Frames: int64(len(want))})
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Write(want); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	dither := rand.New(rand.NewPCG(8, 1))
	for _, c := range []struct {
		name   string
		change func(i int, f pcm.Frame) pcm.Frame
		passes bool
	}{
		{"the right channel inverted", func(_ int, f pcm.Frame) pcm.Frame { return pcm.Frame{f[0], -f[1]} }, false},
		{"both channels inverted", func(_ int, f pcm.Frame) pcm.Frame { return pcm.Frame{-f[0], -f[1]} }, true},
		{"a tick in the silence at the end", func(i int, f pcm.Frame) pcm.Frame {
			if i >= 26400 && i < 27600 {
				f = want[i-26400]
			}
			return f
		}, false},
		{"16 bits with dither", func(_ int, f pcm.Frame) pcm.Frame {
			for c := range f {
				f[c] = float32(math.Round(float64(f[c])*32768+dither.Float64()-dither.Float64())) / 32768
			}
			return f
		}, true},
	} {
		mix := make([]pcm.Frame, len(want))
		for i, f := range want {
			mix[i] = c.change(i, f)
		}
		var raw bytes.Buffer
		binary.Write(&raw, binary.LittleEndian, mix)
		f := newFake(t)
		heard := audiotest.ListenRaw(f, &raw, audiotest.Raw{})
		said := f.failure(func() { heard.GoldenLike(file, audiotest.Imperceptible) })
		if (said == "") != c.passes {
			t.Errorf("%s says %q", c.name, said)
		}
	}
}
