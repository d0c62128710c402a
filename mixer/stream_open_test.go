package mixer_test

import (
	"testing"

	"voicepool/mixer"
)

// TestDroppedStreamsWakeTheirDecoders checks that the decoder of a stream ends before its next poll, once the voice has
// ended and the mixer looks through its streams.
func TestDroppedStreamsWakeTheirDecoders(t *testing.T) {
	for name, look := range map[string]func(*mixer.Mixer, *supplied){
		"Play":    func(m *mixer.Mixer, s *supplied) { play(t, m.Engine().At(mixer.Now), s.sound, mixer.Options{}) },
		"Prepare": func(m *mixer.Mixer, _ *supplied) { m.Prepare() },
	} {
		m, s := at1k(t), newSupplied(t, 1000, 0)
		must(t, play(t, m.Engine().At(mixer.Now), s.sound, mixer.Options{}).Stop(0))
		left(m, 10)
		look(m, s)
		select {
		case <-s.feeds[0].Wake():
		default:
			t.Errorf("%s: the decoder of the stopped stream is not woken", name)
		}
	}
}
