package play_test

import (
	"testing"

	"voicepool/cue/play"
	"voicepool/mixer"
	"voicepool/sounds/library"
)

// TestLeftIsRendered compares the remaining time of a cue with the end of its last voice in a render.
func TestLeftIsRendered(t *testing.T) {
	f := newFolder(t)
	for _, c := range []string{
		"play: half.wav",
		"play: half.wav, loop: 3",
		"play: half.wav, pitch: -12",
		"play: half.wav, from: 40ms, speed: 0.5",
		"play: half.wav, loop: true, for: 170ms",
		"play: half.wav, every: 50ms, times: 3",
	} {
		text := "master: {limiter: false}\nlist: [{cue: 1, " + c + "}]\ngoes: [0]"
		ends := int64(0)
		for _, e := range rendered(t, f.sheet(rate, text), library.NewLibrary(library.Options{Rate: rate})).Events {
			if e.Kind == mixer.EventEnded || e.Kind == mixer.EventStopped {
				ends = e.Frame
			}
		}
		p, looked := f.player(text, play.Options{Live: true}), false
		playLive(t, p, 20, func(frame int) {
			switch frame {
			case 0:
				if err := p.Fire(0); err != nil {
					t.Error(err)
				}
			case 600:
				p.Finish()
			}
			for _, r := range p.Playing() {
				if frame < 80 || frame > 100 || r.StartFrame < 0 {
					continue
				}
				looked = true
				if at, end := int64(frame)+r.Remaining, r.StartFrame+ends; at < end-40 || at > end+40 { // up to a few blocks ago
					t.Errorf("%s: at %d there are %d frames left, and its end is at %d", c, frame, r.Remaining, end)
				}
			}
		})
		if !looked {
			t.Errorf("%s: nothing plays", c)
		}
	}
}
