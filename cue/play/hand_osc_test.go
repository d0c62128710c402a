package play_test

import (
	"errors"
	"slices"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
)

// TestSendsByHand checks that a message requested by hand is sent once, at the next moment.
func TestSendsByHand(t *testing.T) {
	f := newFolder(t)
	for _, live := range []bool{false, true} {
		var p *play.Player
		got, o := listen(t, &p, play.Options{Live: live, Block: 5})
		p = f.player("cues: [{at: 0, play: half.wav}]", o)
		for _, wrong := range [][]string{
			{"osc"}, {"osc", "h:1"}, {"osc", "to=h:1"}, {"osc", "to=h:1", "address=go"}, {"osc", "to=h:1", "address=/a", "over=1s"},
		} {
			if err := p.Do(wrong...); !errors.Is(err, cue.ErrAction) {
				t.Errorf("%q: %v", wrong, err)
			}
		}
		playLive(t, p, 5, func(frame int) {
			switch frame {
			case 40:
				if err := p.Do("osc", "to=h:1", "address=/hand", "args=[1,two]"); err != nil {
					t.Error(err)
				}
			case 200:
				p.Finish()
			}
		})
		if want := (*got)[0].frame; len(*got) != 1 || want < 40 || want > 60 || !slices.Contains(*got, sent{"/hand", want}) {
			t.Errorf("live %v: %v", live, *got)
		}
	}
}
