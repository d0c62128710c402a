package play_test

import (
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cue/play"
	"voicepool/device/null"
)

// liveSheet is a list with a loop, a chain, a follow-on and a wait for the end of an id.
const liveSheet = `
voices: 8
list:
  - {cue: 1, play: half.wav, loop: true, id: house}
  - {cue: 2, play: short.wav, then: follow}
  - {cue: 3, play: half.wav}
  - {cue: 4, do: [{play: short.wav, id: s, every: 40ms, times: 3}, {at: end of s, stop: house}]}
  - {cue: 5, play: coin, arm: false}
`

// TestLive checks commands to a list while it plays.
func TestLive(t *testing.T) {
	f := newFolder(t)
	var fired []int
	p := f.player(liveSheet, play.Options{Events: true, Live: true, Fired: func(list int, _ int64) { fired = append(fired, list) }})
	synctest.Test(t, func(t *testing.T) {
		d := null.NewPaced(null.Config{Rate: rate, Block: 20})
		if err := d.Start(p); err != nil {
			t.Fatal(err)
		}
		go func() {
			for _, list := range []int{0, 1, 0, 3} {
				if err := p.Fire(list); err != nil {
					t.Error(err)
				}
				time.Sleep(300 * time.Millisecond)
			}
			p.Panic(100 * time.Millisecond)
			time.Sleep(300 * time.Millisecond)
			p.Finish()
		}()
		if err := p.Run(t.Context()); err != nil {
			t.Error(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	r := p.Report()
	f.identities(r)
	t.Log(fired, events(r))
	if r.Totals.Playing != 0 || len(fired) != 5 {
		t.Errorf("%+v", r.Totals)
	}
}

// TestLeft compares the reported remaining time of a cue with its actual duration.
func TestLeft(t *testing.T) {
	f := newFolder(t)
	for _, c := range []string{
		"play: half.wav", "play: half.wav, loop: 3", "play: half.wav, from: 60ms", "play: half.wav, pitch: -12",
		"play: half.wav, loop: 4, from: 30ms, speed: 0.5", "play: half.wav, loop: true, for: 250ms", "play: half.wav, for: 300ms", "play: half.wav, for: 50ms",
		"play: short.wav, every: 150ms, times: 4",
		"pre: 200ms, play: half.wav",
	} {
		p := f.player("list: [{cue: 1, "+c+"}]", play.Options{Live: true, Events: true})
		var at, left, looks int64
		playLive(t, p, 20, func(frame int) {
			switch all := p.Playing(); {
			case frame == 40:
				if err := p.Fire(0); err != nil {
					t.Error(err)
				}
			case len(all) > 0 && all[0].StartFrame >= 0 && !all[0].Waiting && looks < 2:
				at, left, looks = p.Mixer().Now(), all[0].Remaining, looks+1
			case frame > 60 && len(all) == 0:
				p.Finish()
			}
		})
		events := p.Report().Events
		ends := events[len(events)-1].Frame
		if looks == 0 || at+left < ends-25 || at+left > ends+25 { // within a few blocks
			t.Errorf("%s: at %d %d are left, but it ends at %d", c, at, left, ends)
		}
		f.identities(p.Report())
	}
}
