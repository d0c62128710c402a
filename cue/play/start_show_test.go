package play_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// TestStartIsFound checks that cues find starts by hand by their id, including delayed layers and
// parameters.
func TestStartIsFound(t *testing.T) {
	f := newFolder(t)
	for _, c := range []struct {
		start play.Start
		do    string
	}{
		{play.Start{Sound: "drone"}, "stop: x"},
		{play.Start{Sound: "drone"}, "fade: x, to: -20, over: 40ms"},
		{play.Start{Sound: "crash"}, "stop: x"},
		{play.Start{Sound: "crash"}, "set: x, gain: -9"},
		{play.Start{Sound: "crash"}, "stop: all"},
		{play.Start{Sound: "motor"}, "set: x, parameters: {rpm: 8}, over: 60ms"},
		{play.Start{Sound: "motor"}, "set: all, parameters: {rpm: 8}, over: 60ms"},
	} {
		const tail = "  - {at: 5s, play: motor, id: x}\n" + stopped
		cues := "cues:\n  - {at: 400ms, play: " + c.start.Sound + ", id: x}\n  - {at: 420ms, " + c.do + "}\n" + tail
		want := turned(t, f.player(kit+strings.Replace(cues, tail, "  - {at: 900ms, play: motor, id: x}\n"+stopped, 1), play.Options{Block: 20}), 20, nil)[:800]
		p := f.player(kit+strings.Replace(cues, "at: 400ms, play: "+c.start.Sound, "at: 5s, play: "+c.start.Sound, 1), play.Options{Block: 20, Live: true})
		c.start.Frame, c.start.ID = 400, "x"
		got := turned(t, p, 20, func(frame int) {
			switch frame {
			case 20: // commands of the next 200 ms were handed over before
				if _, err := p.Start(c.start); err != nil {
					t.Fatal(err)
				}
			case 800:
				p.Finish()
			}
		})[:800]
		alike(t, c.start.Sound+" and "+c.do, got, want)
	}
}

// TestStartAndTheEnd checks that a sheet ends exactly when all its sounds and all starts by hand have
// ended.
func TestStartAndTheEnd(t *testing.T) {
	f := newFolder(t)
	for _, c := range []struct{ cue, first, last, ends int }{
		{600, 20, 40, 700},   // starts by hand end before the sheet begins
		{100, 150, 500, 600}, // after the end of the sheet
		{100, 300, 500, 600},
		{0, 0, 0, 100},
	} {
		for _, read := range []bool{false, true} {
			p := f.player(fmt.Sprintf("cues: [{at: %dms, play: half.wav}]", c.cue), play.Options{Block: 20, Events: true})
			for _, at := range []int{c.first, c.last} {
				if _, err := p.Start(play.Start{Sound: "half.wav", Frame: int64(at)}); err != nil {
					t.Fatal(err)
				}
			}
			var out []pcm.Frame
			if read {
				out = readAll(t, p, 20)
			} else {
				out = turned(t, p, 20, nil)
			}
			if len(out) < c.ends || len(out) > c.ends+60 {
				t.Errorf("%+v: it ends after %d frames", c, len(out))
			}
			r := p.Report()
			f.identities(r)
			if r.Totals.Ended != 3 || r.Totals.Asked != 3 {
				t.Errorf("%+v: %+v", c, r.Totals)
			}
		}
	}
}

// TestStartOfBatch checks that the starts of a batch begin together when it is fired, and never if it is
// dropped.
func TestStartOfBatch(t *testing.T) {
	f := newFolder(t)
	p := f.player(kit+"cues: [{at: 5s, play: bell}]\n", play.Options{Block: 20, Live: true, Events: true})
	m := p.Mixer()
	fired, dropped := m.Engine().NewBatch(), m.Engine().NewBatch()
	turned(t, p, 20, func(frame int) {
		switch frame {
		case 0:
			for _, batch := range []*mixer.Batch{fired, dropped} {
				for i := range 2 {
					if _, err := p.Start(play.Start{Sound: "bell", Batch: batch, Frame: int64(5 * i)}); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := errors.Join(m.Engine().At(100).Fire(fired), m.Engine().At(110).Drop(dropped)); err != nil {
				t.Fatal(err)
			}
		case 400:
			if !p.Idle() {
				p.Finish() // the cue at 5 s is still pending
			}
		}
	})
	r := p.Report()
	if got := events(r); r.Totals.Ended != 2 || !strings.Contains(got, "100 started bell/-1") || !strings.Contains(got, "105 started bell/-1") || r.Totals.Stopped != 2 {
		t.Errorf("%s, %+v", got, r.Totals)
	}
}

// TestStartWhileAllMoves starts sounds from many goroutines while the sheet changes and renders. Each
// start must be reported once, with the name of its sound.
func TestStartWhileAllMoves(t *testing.T) {
	f := newFolder(t)
	requested, told := [2]sync.Map{}, 0
	p := f.player(kit+"cues: [{at: 0, play: drone, id: d}]\n", play.Options{Block: 20, Live: true, Changes: true, Watch: func(e report.Event) {
		if e.Cue >= 0 || e.Voice == 0 && e.Kind != mixer.EventLimited && e.Kind != mixer.EventRejected || e.Ref == 0 {
			return
		}
		if e.Kind == mixer.EventStarted || e.Kind == mixer.EventLimited || e.Kind == mixer.EventRejected {
			told++
			if name, _ := requested[1].Load(e.Ref); name != "crash" && name != e.Sound {
				t.Errorf("%+v was started as %v", e, name)
			}
		}
	}})
	other := strings.Replace(kit, "sounds:\n", "sounds:\n  new: {file: short.wav}\n", 1) + "cues: [{at: 0, play: drone, id: d, loop: true}, {at: 0, play: bell, id: e}]\n"
	sheets := []*cue.Sheet{f.sheet(rate, other), f.sheet(rate, kit+"cues: [{at: 0, play: drone, id: d}]\n")}
	lib := library.NewLibrary(library.Options{Rate: rate})
	var wait, turns sync.WaitGroup
	stop := make(chan struct{})
	turns.Go(func() {
		dst := make([]pcm.Frame, 20)
		for {
			if done, err := p.Step(); done || err != nil {
				t.Errorf("Step gave %v, %v", done, err)
				return
			}
			p.Idle()
			select {
			case <-stop:
				return
			default:
				p.Render(dst)
			}
		}
	})
	for g := range 4 {
		wait.Go(func() {
			for i := range 150 {
				name := []string{"bell", "crash", "many", "cool", "motor"}[i%5]
				ref := mixer.Ref(1 + g*1000 + i)
				requested[1].Store(ref, name)
				h, err := p.Start(play.Start{Sound: name, ID: fmt.Sprint("id", g), Owner: fmt.Sprint("o", i%9), Ref: ref, Gain: -20, For: 30 * time.Millisecond})
				switch {
				case errors.Is(err, mixer.ErrBusy):
				case err != nil:
					t.Error(err)
				default:
					for range h {
						requested[0].Store(ref, true)
					}
				}
				if _, known := p.Tag(fmt.Sprint("id", g)); !known {
					t.Error("an id that was made is not known")
				}
			}
		})
	}
	wait.Go(func() {
		for i := range 12 {
			if _, err := p.Change(t.Context(), sheets[i%2], lib, nil); err != nil {
				t.Error(err)
			}
			if err := p.Do("play", "bell", "id=hand", "owner=o1"); err != nil {
				t.Error(err)
			}
		}
	})
	wait.Wait()
	close(stop)
	turns.Wait()
	starts := 0
	requested[0].Range(func(any, any) bool { starts++; return true })
	if told == 0 || starts == 0 {
		t.Errorf("%d starts, %d were told", starts, told)
	}
	p.Close()
}

// TestStartAfterChange checks that a new sheet adds its sounds and removes others.
func TestStartAfterChange(t *testing.T) {
	f := newFolder(t)
	var told []string
	p := f.player("sounds: {old: half.wav, both: short.wav}\ncues: []\n", play.Options{Block: 20, Live: true, Changes: true, Watch: func(e report.Event) {
		told = append(told, fmt.Sprint(e.Kind, " ", e.Sound))
	}})
	changed := make(chan struct{})
	playLive(t, p, 20, func(frame int) {
		switch frame {
		case 100:
			if _, err := p.Start(play.Start{Sound: "old"}); err != nil {
				t.Error(err)
			}
			go func() {
				f.changed(p, "sounds: {new: {file: quiet.wav, loop: true}, both: quiet.wav}\ncues: []\n", nil)
				close(changed)
			}()
			<-changed
			if _, err := p.Start(play.Start{Sound: "old"}); !errors.Is(err, cue.ErrAction) {
				t.Errorf("what is gone: %v", err)
			}
			for _, name := range []string{"new", "both"} {
				if h, err := p.Start(play.Start{Sound: name}); err != nil || !strings.Contains(h[0].Sound().Name(), "quiet") {
					t.Errorf("%s: %v", name, err)
				}
			}
		case 400:
			p.Finish()
		}
	})
	if got := strings.Join(told, ", "); got != "started old, started new, started both, ended old, ended both, stopped new" {
		t.Error(got)
	}
}

// BenchmarkStart measures a start by hand, and separately the part of the mixer.
func BenchmarkStart(b *testing.B) {
	f := newFolder(b)
	p := f.player(kit+"cues: [{at: 5s, play: bell}]\n", play.Options{Live: true})
	if err := p.Prime(); err != nil {
		b.Fatal(err)
	}
	sound, m, n := (*mixer.Mixer).Play, p.Mixer(), 0
	h, err := p.Start(play.Start{Sound: "cool"})
	if err != nil {
		b.Fatal(err)
	}
	s := h[0].Sound()
	for _, one := range []struct {
		name string
		do   func() error
	}{
		{"mixer", func() error {
			_, err := sound(m, s, mixer.Options{Gain: -3, EngineOptions: mixer.EngineOptions{Tag: 3, Ref: 4}})
			return err
		}},
		{"Start", func() error { _, err := p.Start(play.Start{Sound: "cool", Gain: -3, ID: "x", Ref: 4}); return err }},
		{"Start of layers", func() error { _, err := p.Start(play.Start{Sound: "crash", Gain: -3, ID: "x"}); return err }},
	} {
		b.Run(one.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := one.do(); err != nil {
					b.Fatal(err)
				}
				if n++; n%500 == 0 {
					b.StopTimer()
					m.Render(make([]pcm.Frame, 400))
					_, _ = p.Step()
					b.StartTimer()
				}
			}
		})
	}
}
