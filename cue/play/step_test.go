package play_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/pcm"
)

// turned plays with Step on one goroutine, without waiting, until the player is done.
func turned(t *testing.T, p *play.Player, block int, do func(frame int)) (out []pcm.Frame) {
	t.Helper()
	if err := p.Prime(); err != nil {
		t.Fatal(err)
	}
	dst := make([]pcm.Frame, block)
	for len(out) < 60*rate {
		if do != nil {
			do(len(out))
		}
		switch done, err := p.Step(); {
		case err != nil:
			t.Fatalf("Step gave %v", err)
		case done:
			return out
		}
		p.Render(dst)
		out = append(out, dst...)
	}
	t.Fatalf("after %d frames it is not done", len(out))
	return nil
}

// alike compares frames. Additional frames of the longer one must be silent.
func alike(t *testing.T, what string, got, want []pcm.Frame) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		var a, b pcm.Frame
		if i < len(got) {
			a = got[i]
		}
		if i < len(want) {
			b = want[i]
		}
		if a != b {
			t.Fatalf("%s: frame %d is %v, want %v", what, i, a, b)
		}
	}
}

// TestStep checks that a player driven by Step plays and reports the same as with Run, in no time.
func TestStep(t *testing.T) {
	f := newFolder(t)
	sheets := []string{busySheet, liveSheet + "goes: [10ms, 100ms, 170ms]\n"}
	for seed := range rounds(8, 20) {
		sheets = append(sheets, randomList(rand.New(rand.NewPCG(seed, 21)))+"goes: [0ms]\n")
	}
	for _, sheet := range sheets {
		if s, err := cue.Parse("s", []byte(sheet)); err != nil || play.CheckRender(s) != nil {
			continue
		}
		fed := f.player(sheet, play.Options{Events: true, Block: 20})
		want := playLive(t, fed, 20, func(int) {})
		p := f.player(sheet, play.Options{Events: true, Block: 20})
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			alike(t, sheet, turned(t, p, 20, nil), want)
			if took := time.Since(begin); took != 0 {
				t.Errorf("turns waited for %v", took)
			}
		})
		if got, want := p.Report(), fed.Report(); events(got) != events(want) || len(want.Events) == 0 {
			t.Errorf("%s\ngot  %s\nwant %s", sheet, events(got), events(want))
		}
		if done, err := p.Step(); !done || err != nil || !p.Idle() {
			t.Errorf("after the end Step gives %v, %v; idle: %v", done, err, p.Idle())
		}
	}
}

// TestStepFinishes checks that Step performs the fade-out, which ends after a second if the device does
// not render.
func TestStepFinishes(t *testing.T) {
	f := newFolder(t)
	const sheet = "list: [{cue: 1, play: half.wav, loop: true}]"
	for _, renders := range []bool{true, false} {
		p := f.player(sheet, play.Options{Live: true, Events: true, Block: 20})
		synctest.Test(t, func(t *testing.T) {
			if err := p.Fire(0); err != nil {
				t.Fatal(err)
			}
			dst, begin := make([]pcm.Frame, 20), time.Now()
			for turns := 0; ; turns++ {
				if turns == 50 {
					p.Finish()
				}
				done, err := p.Step()
				if err != nil {
					t.Fatal(err)
				}
				if done {
					break
				}
				time.Sleep(20 * time.Millisecond) // of the synctest bubble
				if renders || turns < 50 {
					p.Render(dst)
				}
			}
			took := time.Since(begin) - time.Second
			if p.Render(dst); renders && dst[0] != (pcm.Frame{}) {
				t.Errorf("behind the end %v is heard", dst[0])
			}
			if least, most := 280*time.Millisecond, 400*time.Millisecond; renders && (took < least || took > most) {
				t.Errorf("it took %v", took)
			}
			if !renders && (took < time.Second || took > 1100*time.Millisecond) {
				t.Errorf("on a device that stands still it took %v", took)
			}
		})
		if err := p.Do("play", "half.wav"); err != nil {
			t.Error(err)
		}
	}
}

// TestIdle checks that a silent player is idle until a request, which calls Wake.
func TestIdle(t *testing.T) {
	f := newFolder(t)
	woken := 0
	p := f.player("sounds: {a: half.wav, b: {layers: [a, {sound: a, delay: 30ms}]}}\nlist: [{cue: 1, play: half.wav}, {cue: 2, pre: 300ms, play: half.wav}]",
		play.Options{Live: true, Events: true, Block: 20, Wake: func() { woken++ }})
	dst := make([]pcm.Frame, 20)
	if p.Idle() {
		t.Error("before the first turn it is idle")
	}
	rest := func(what string, least int) {
		t.Helper()
		for n := 0; n < 100; n++ {
			if done, err := p.Step(); done || err != nil {
				t.Fatal(done, err)
			}
			if p.Idle() {
				if n < least || n > least+10 {
					t.Errorf("%s: after %d blocks it is idle, want %d or a few more", what, n, least)
				}
				before := len(p.Report().Events)
				if st := p.Mixer().Stats(); st.Playing+st.Pending > 0 {
					t.Errorf("%s: %d play, %d are to come", what, st.Playing, st.Pending)
				}
				p.Render(dst)
				if _, err := p.Step(); err != nil || len(p.Report().Events) != before || !p.Idle() {
					t.Errorf("%s: something happened while it was idle", what)
				}
				return
			}
			p.Render(dst)
		}
		t.Fatalf("%s: it is never idle", what)
	}
	rest("at first", 0)
	for _, c := range []struct {
		what  string
		do    func() error
		least int
	}{
		{"a GO", func() error { return p.Fire(0) }, 5},
		{"a GO with a wait", func() error { return p.Fire(1) }, 20},
		{"by hand", func() error { _, err := p.Start(play.Start{Sound: "a"}); return err }, 5},
		{"layers by hand", func() error { _, err := p.Start(play.Start{Sound: "b"}); return err }, 6},
		{"by hand, for later", func() error {
			_, err := p.Start(play.Start{Sound: "a", Frame: p.Mixer().Now() + 400})
			return err
		}, 25},
		{"words", func() error { return p.Do("play", "a") }, 5},
		{"a panic", func() error { p.Panic(time.Second); return nil }, 0},
		{"a hold", func() error { p.Hold(true); return nil }, 1},
		{"the end of it", func() error { p.Hold(false); return nil }, 1},
	} {
		before := woken
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		if woken == before || p.Idle() {
			t.Errorf("%s: the owner was not woken, or it is idle", c.what)
		}
		rest(c.what, c.least)
	}
}
