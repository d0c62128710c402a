package play_test

import (
	"testing"
	"time"

	"voicepool/cue/play"
	"voicepool/pcm"
)

// TestPanicIsSilent checks that a panic is silent one second after it was requested, and 20 ms after a second
// panic, for all kinds of playing, waiting and pending actions. No sound may follow. Blocks have 5 ms.
func TestPanicIsSilent(t *testing.T) {
	f := newFolder(t)
	const rate, block = 8000, 40
	const sheet = "voices: 12\nmaster: {limiter: true}\nbuses: {a: {}, b: {parent: a}}\n" +
		"cues: [{at: 0, play: 'tone:440', loop: true, bus: b}, {at: 100ms, play: 'tone:330', every: 130ms, times: 500}]\n" +
		"list:\n  - {cue: 1, do: [{play: 'tone:220', loop: true, id: x, fade_in: 2s}, {play: half.wav, id: h, loop: 60}, {at: end of h, play: 'tone:500', loop: true, for: 60s}]}\n" +
		"  - {cue: 2, pre: 900ms, play: 'tone:700', then: follow}\n  - {cue: 3, play: 'tone:800', loop: true, for: 60s}\n"
	for _, again := range []bool{false, true} {
		for paused := range 2 {
			p := f.playerAt(rate, sheet, play.Options{Live: true, Block: block})
			first, twice := 0, 0
			got := playLiveAt(t, p, rate, block, func(frame int) {
				switch frame / block {
				case 10:
					_ = p.Fire(0)
				case 12:
					_ = p.Fire(1)
				case 60:
					p.Hold(paused == 1)
				case 80:
					p.Hold(false)
					p.Panic(time.Second)
					first = frame
				case 120:
					if again {
						p.Panic(5 * time.Millisecond)
						twice = frame
					}
				case 900:
					p.Finish()
				}
			})
			silent := first + int(pcm.Frames(time.Second+20*time.Millisecond, rate)) // plus a block and the look-ahead of the limiter
			if again {
				silent = twice + int(pcm.Frames(20*time.Millisecond, rate))
			}
			sounds := false
			for i, frame := range got {
				switch {
				case i >= silent && frame != (pcm.Frame{}):
					t.Fatalf("again %v, paused %d: frame %d sounds; it was asked for at %d and %d", again, paused, i, first, twice)
				case i > first-2*block && frame != (pcm.Frame{}):
					sounds = true
				}
			}
			if !sounds {
				t.Error("nothing was to be heard before")
			}
		}
	}
}
