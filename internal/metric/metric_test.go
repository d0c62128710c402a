package metric

import (
	"math"
	"slices"
	"testing"

	"voicepool/pcm"
	"voicepool/sounds"
)

// recorder is a meter that keeps the frames.
type recorder struct{ reference, test []pcm.Frame }

func (r *recorder) Add(reference, test []pcm.Frame) {
	r.reference, r.test = append(r.reference, reference...), append(r.test, test...)
}

func TestFeed(t *testing.T) {
	for _, channels := range []int{1, 2} {
		for _, n := range []int{0, 1, 1023, 1024, 1025, 3000} {
			a, b := make([]float32, n*channels), make([]float32, n*channels)
			var want recorder
			for i := range a {
				a[i], b[i] = float32(i+1), float32(-i-1)
			}
			for i := range n {
				x := pcm.Frame{float32(i*channels + 1)}
				if channels == 2 {
					x[1] = x[0] + 1
				}
				want.Add([]pcm.Frame{x}, []pcm.Frame{{-x[0], -x[1]}})
			}
			var got recorder
			if err := Feed(&got, samples(channels, a), samples(channels, b)); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.reference, want.reference) || !slices.Equal(got.test, want.test) {
				t.Errorf("%d frames of %d channels arrive as %v and %v", n, channels, got.reference, got.test)
			}
		}
	}
}

func samples(channels int, data []float32) sounds.Samples {
	return sounds.Samples{Rate: Rate, Channels: channels, Data: data}
}

func TestFeedErrors(t *testing.T) {
	mono := samples(1, make([]float32, 2000))
	with := func(change func(*sounds.Samples)) sounds.Samples {
		s := samples(1, make([]float32, 2000))
		change(&s)
		return s
	}
	slow := with(func(s *sounds.Samples) { s.Rate = 44100 })
	for _, c := range []struct {
		reference, test sounds.Samples
		want            string
	}{
		{mono, slow, "the reference has a rate of 48000 Hz, the test 44100 Hz, want 48000 Hz for both"},
		{slow, slow, "the signals have a rate of 44100 Hz, want 48000 Hz"},
		{mono, samples(2, mono.Data), "the reference has 1 channels, the test 2, want the same number"},
		{samples(3, mono.Data), samples(3, mono.Data), "the signals have 3 channels, want 1 or 2"},
		{samples(2, mono.Data[:40]), samples(2, mono.Data[:60]), "the reference has 20 frames, the test 30, want the same number"},
		{samples(2, mono.Data), samples(2, mono.Data[:1999]), "the reference has 2000 samples, the test 1999, want whole frames of 2 channels"},
		{mono, with(func(s *sounds.Samples) { s.Data[1999] = float32(math.NaN()) }), "frame 1999 of the test is NaN, want -65536 to 65536"},
		{with(func(s *sounds.Samples) { s.Data[0] = -65537 }), mono, "frame 0 of the reference is -65537, want -65536 to 65536"},
	} {
		if err := Feed(&recorder{}, c.reference, c.test); err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}
