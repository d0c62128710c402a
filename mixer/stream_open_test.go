package mixer_test

import (
	"errors"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/sounds"
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

// TestCloseDuringSeek closes the mixer while a Seek opens its stream: the Seek fails without a command under way.
func TestCloseDuringSeek(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Commands: 1})
	var feeds []*sounds.StreamBuffer
	s, err := sounds.NewStream(sounds.Stream{Name: "closing", Rate: 1000, Open: func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
		if feeds = append(feeds, sounds.NewStreamBuffer(0, c)); len(feeds) == 2 {
			m.Close()
		}
		return feeds[len(feeds)-1], nil
	}})
	must(t, err)
	h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
	left(m, 10)
	if err := h.Seek(time.Second); !errors.Is(err, mixer.ErrClosed) || !feeds[1].Closed() {
		t.Errorf("Seek returns %v, and its stream is closed: %v", err, feeds[1].Closed())
	}
	must(t, m.Engine().At(mixer.Now).Pause(mixer.TargetVoice(h))) // the only command
}
