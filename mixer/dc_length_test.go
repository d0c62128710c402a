package mixer_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestSilentFromWithDCGuard checks that Stats.SilentFrom is independent of blocks and is the frame after
// the last frame that is not silent, while the DC guard fades out.
func TestSilentFromWithDCGuard(t *testing.T) {
	const rate, length = 8000, 60000
	r := rand.New(rand.NewPCG(4, 4))
	for range 6 {
		data := make([]float32, rate+r.IntN(2*rate))
		for i := range data {
			data[i] = float32(0.2 + 0.1*r.Float64())
		}
		s := sound(t, sounds.Samples{Rate: rate, Channels: 1, Data: data})
		at := r.Int64N(100)
		run := func(block func() int) (silent, last int64) {
			m := newMixer(t, mixer.Config{Rate: rate, DCGuard: true, NoLimiter: true})
			play(t, m.Engine().At(at), s, mixer.Options{})
			for now := int64(0); now < length; {
				b := make([]pcm.Frame, min(int64(block()), length-now))
				m.Render(b)
				now += int64(len(b))
				for i, x := range b {
					if x != (pcm.Frame{}) {
						last = now - int64(len(b)-i) + 1
					}
				}
				if st := m.Stats(); last == now && now > at && st.SilentFrom < now && st.Playing == 0 {
					t.Fatalf("frame %d is heard, and said to be silent from %d on", now-1, st.SilentFrom)
				}
			}
			return m.Stats().SilentFrom, last
		}
		want, last := run(func() int { return length })
		if last < int64(len(data))+at+rate {
			t.Fatalf("the last frame that is heard is %d: the guard does nothing", last)
		}
		if want != last {
			t.Errorf("it is silent from %d on, and said to be from %d", last, want)
		}
		for _, block := range []int{1, 7, 64, 512, 4096, 0} {
			got, _ := run(func() int {
				if block == 0 {
					return 1 + r.IntN(5000)
				}
				return block
			})
			if got != want {
				t.Errorf("blocks of %d: silent from %d, as a whole from %d", block, got, want)
			}
		}
	}
}

// TestSilentFromGrows renders blocks of one frame while the DC guard fades out. SilentFrom must never be
// before an audible frame.
func TestSilentFromGrows(t *testing.T) {
	const rate = 8000
	m := newMixer(t, mixer.Config{Rate: rate, DCGuard: true, NoLimiter: true})
	play(t, m.Engine().At(0), sound(t, sounds.Samples{Rate: rate, Channels: 1, Data: slices.Repeat([]float32{0.3}, 2*rate)}), mixer.Options{})
	m.Render(make([]pcm.Frame, 2*rate))
	block := make([]pcm.Frame, 1)
	was := m.Stats().SilentFrom
	for m.Stats().Frame < m.Stats().SilentFrom {
		frame := m.Stats().Frame
		m.Render(block)
		if now := m.Stats().SilentFrom; now < was {
			t.Fatalf("after frame %d it falls from %d to %d", frame, was, now)
		} else {
			was = now
		}
	}
	after := make([]pcm.Frame, 5*rate)
	m.Render(after)
	if i := slices.IndexFunc(after, func(x pcm.Frame) bool { return x != pcm.Frame{} }); i >= 0 {
		t.Errorf("frame %d is heard, and was said to be silent from %d on", m.Stats().Frame-5*rate+int64(i), was)
	}
}
