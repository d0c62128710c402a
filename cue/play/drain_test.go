package play_test

import (
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cue/play"
	"voicepool/mixer"
)

// TestFinishWithStartsToCome checks that starts in several hours do not delay the end and never sound.
func TestFinishWithStartsToCome(t *testing.T) {
	f := newFolder(t)
	p := f.player("cues: [{at: 0, play: half.wav, id: first}]", play.Options{Live: true})
	var later []mixer.Handle
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		go func() {
			for range 3 {
				h, err := p.Start(play.Start{Sound: "half.wav", Frame: p.Mixer().Now() + 3600*rate})
				if err != nil {
					t.Error(err)
				}
				later = append(later, h...)
			}
			time.Sleep(time.Second)
			p.Finish()
		}()
		if err := perform(t, p, t.Context(), 20); err != nil {
			t.Error(err)
		}
		if d := time.Since(begin); d < time.Second || d > 1500*time.Millisecond {
			t.Errorf("it took %v, with a Finish after a second", d)
		}
	})
	if len(later) != 3 || p.Report().Totals.Started != 1 {
		t.Errorf("%d starts are to come, %+v", len(later), p.Report().Totals)
	}
}
