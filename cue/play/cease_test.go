package play_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cue/play"
	"voicepool/pcm"
)

// ceased is a list whose cues have all kinds of pending actions.
const ceased = `
sounds: {half: half.wav, late: {layers: [half, {sound: half, delay: 2s}]}}
list:
  - {cue: 1, play: half.wav, loop: true}
  - {cue: 2, pre: 300ms, play: half.wav, loop: true}
  - {cue: 3, play: late}
  - {cue: 4, play: half.wav, loop: true, then: continue, wait: 150ms}
  - {cue: 5, do: [{play: short.wav, id: s, every: 40ms, times: 300}, {at: end of s, play: half.wav, loop: 9}], then: follow}
  - {cue: 6, play: half.wav, loop: true}
`

// TestCease stops a cue at any time after its GO, followed by a panic. No action may remain, no sound may
// follow, and the show must end at once.
func TestCease(t *testing.T) {
	f := newFolder(t)
	const block = 10
	for list := range 5 {
		for cease := range 6 {
			for _, panics := range [][]int{nil, {0}, {1}, {0, 0}, {2, 1}, {30, 0, 1}} {
				what := fmt.Sprintf("cue %d, stopped %d blocks after its GO, panics %v blocks after that", list+1, cease, panics)
				p := f.player(ceased, play.Options{Live: true, Events: true, Block: block})
				last := 5 + cease
				due := map[int]int{} // panics by block
				for _, n := range panics {
					last += n
					due[last]++
				}
				t.Run("", func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						dst := make([]pcm.Frame, block)
						for n := 0; n < 400; n++ {
							switch n {
							case 5:
								if err := p.Fire(list); err != nil {
									t.Fatal(err)
								}
							case 399:
								p.Finish()
							}
							if n == 5+cease {
								p.StopCue(list, 20*time.Millisecond)
							}
							for range due[n] {
								p.Panic(20 * time.Millisecond)
							}
							if done, err := p.Step(); err != nil || done && n < 399 {
								t.Fatal(n, done, err)
							}
							p.Render(dst)
							time.Sleep(pcm.Duration(block, rate))
							quiet := last + 12
							if len(panics) == 0 && list > 2 {
								quiet = 400 // its follower still begins
							}
							if n < quiet {
								continue
							}
							if dst[0] != (pcm.Frame{}) || dst[block-1] != (pcm.Frame{}) {
								t.Errorf("%s: it sounds at %d: %v", what, n*block, dst)
								return
							}
							for h := range p.Mixer().Voices() {
								t.Errorf("%s: after %d a start is %v", what, n*block, h.State())
								return
							}
							if all := p.Playing(); len(all) > 0 {
								t.Errorf("%s: after %d these are not over: %+v", what, n*block, all)
								return
							}
						}
						begin := time.Now()
						for done := false; !done && time.Since(begin) < 5*time.Second; done, _ = p.Step() {
							p.Render(dst)
							time.Sleep(pcm.Duration(block, rate))
						}
						if took := time.Since(begin); took > 1600*time.Millisecond {
							t.Errorf("%s: the end took %v", what, took)
						}
					})
				})
				f.identities(p.Report())
			}
		}
	}
}

// TestEndComes checks that pending actions in the distant future, or with endless waits, do not delay the
// end by more than a second and never sound.
func TestEndComes(t *testing.T) {
	f := newFolder(t)
	const block = 10
	begin := func(p *play.Player) {
		if err := p.Fire(4); err != nil {
			t.Error(err)
		}
		if _, err := p.Start(play.Start{Sound: "half", Frame: 3600 * rate}); err != nil {
			t.Error(err)
		}
	}
	turned := f.player(ceased, play.Options{Live: true, Block: block})
	fed := f.player(ceased, play.Options{Live: true, Block: block})
	synctest.Test(t, func(t *testing.T) {
		dst, finished := make([]pcm.Frame, block), time.Time{}
		begin(turned)
		for n := 0; n < 2000; n++ {
			if n == 50 {
				finished = time.Now()
				turned.Finish()
			}
			if done, err := turned.Step(); err != nil {
				t.Fatal(err)
			} else if done {
				break
			}
			turned.Render(dst)
			time.Sleep(pcm.Duration(block, rate))
		}
		if took := time.Since(finished); took > 1600*time.Millisecond {
			t.Errorf("by turns the end took %v", took)
		}
	})
	playLive(t, fed, block, func(frame int) {
		switch frame {
		case 50:
			begin(fed)
		case 500:
			fed.Finish()
		}
		if frame > 2100 {
			t.Fatal("it does not end")
		}
	})
	for _, p := range []*play.Player{turned, fed} {
		p.Mixer().Engine().Skip(3600 * rate)
		if st := p.Mixer().Stats(); st.Playing > 0 {
			t.Errorf("an hour later it plays: %+v", st)
		}
	}
}
