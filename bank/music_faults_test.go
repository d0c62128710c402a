package bank_test

import (
	"errors"
	"slices"
	"testing"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
)

// must fails the test at the first error.
func must(t *testing.T, all ...error) {
	t.Helper()
	if err := errors.Join(all...); err != nil {
		t.Fatal(err)
	}
}

// isSilent reports whether the mixer gives silence for n frames, after the tails of 10 ms.
func isSilent(m *mixer.Mixer, n int) bool {
	render(m, 200)
	return !slices.ContainsFunc(render(m, n), func(f pcm.Frame) bool { return f != pcm.Frame{} })
}

// TestMusicOnANewMixer replaces the mixer during a transition. The theme must play on the new one.
func TestMusicOnANewMixer(t *testing.T) {
	b, m, mu := openMusic(t, crossfading)
	must(t, mu.Play(bank.Options{}))
	render(m, 10)
	must(t, mu.Go("b"))
	m2, err := mixer.New(b.Config())
	must(t, err)
	defer m2.Close()
	must(t, b.Use(m2), mu.Play(bank.Options{}))
	render(m2, 100)
	must(t, mu.Go("b"))
	render(m2, 5000)
	if p := mu.Position(); p != (bank.Position{Segment: "b", Bar: 1, Beat: 1, Frame: 5100}) {
		t.Errorf("%+v", p)
	}
	must(t, mu.Stop(0))
	if !isSilent(m2, 5000) {
		t.Error("the theme sounds after Stop")
	}
}
