package mixer_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestRoundsBeyondCounting plays more rounds of a short loop than an unrolled position could count,
// without delay.
func TestRoundsBeyondCounting(t *testing.T) {
	for _, rounds := range []int{50_000_000, 1_000_000_000} {
		m := at1k(t)
		h := play(t, m.Engine().At(0), loopedRamp(t, 1000, 100, 160), mixer.Options{Pan: -1, Loop: true, EngineOptions: mixer.EngineOptions{Rounds: rounds}})
		got := left(m, 2000)
		if h.State() != mixer.StatePlaying || got[160] != got[100] || got[1960] != got[100] {
			t.Errorf("%d rounds: %v, frames %v and %v, want %v", rounds, h.State(), got[160], got[1960], got[100])
		}
	}
}

// whole returns a stream that is decoded at once, and the feeds that it has opened.
func whole(t *testing.T, frames int) (*sounds.Sound, *[]weak.Pointer[sounds.StreamBuffer]) {
	t.Helper()
	var opened []weak.Pointer[sounds.StreamBuffer]
	s, err := sounds.NewStream(sounds.Stream{Rate: 1000, Frames: int64(frames), Open: func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
		f := sounds.NewStreamBuffer(frames, c)
		f.Write(make([]pcm.Frame, frames))
		f.End()
		opened = append(opened, weak.Make(f))
		return f, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s, &opened
}

// TestFeedsAreLetGo checks that the feed of an ended voice is released long before its record is reused.
func TestFeedsAreLetGo(t *testing.T) {
	m := at1k(t)
	s, opened := whole(t, 100)
	for range 50 {
		play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
		left(m, 150)
	}
	runtime.GC()
	kept := 0
	for _, f := range *opened {
		if f.Value() != nil {
			kept++
		}
	}
	if len(*opened) != 50 || kept > 1 { // the control side keeps the last one
		t.Errorf("of %d feeds %d are kept", len(*opened), kept)
	}
	runtime.KeepAlive(m)
}

// TestBusyOpensNothing checks that a Play without room in the ring buffer does not open the stream.
func TestBusyOpensNothing(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Commands: 1})
	s, opened := whole(t, 100)
	play(t, m.Engine().At(mixer.Now), level(t, 1000, 10, 1), mixer.Options{})
	if _, err := m.Play(s, mixer.Options{}); !errors.Is(err, mixer.ErrBusy) || len(*opened) != 0 {
		t.Errorf("a full ring: %v, %d streams opened", err, len(*opened))
	}
	left(m, 1)
	if _, err := m.Play(s, mixer.Options{}); err != nil || len(*opened) != 1 {
		t.Errorf("asked again: %v, %d streams opened", err, len(*opened))
	}
}

// TestStopKeepsItsLead checks that a stop without room in the ring buffer keeps its distance to the
// start, within a block.
func TestStopKeepsItsLead(t *testing.T) {
	for _, full := range []bool{false, true} {
		c := &clock{}
		m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Lead: 100 * ms, Clock: c.read, Commands: 3})
		step := func(blocks int) {
			for range blocks {
				left(m, 10)
				c.now += 10 * ms
			}
		}
		step(20)
		h := play(t, m.Engine().At(mixer.Now), level(t, 1000, 900, 1), mixer.Options{})
		if full {
			m.Engine().At(1<<40).Stop(mixer.TargetTag(1), 0)
			m.Engine().At(1<<40).Stop(mixer.TargetTag(1), 0)
		}
		step(5)
		if err := h.Stop(0); err != nil {
			t.Fatal(err)
		}
		step(40)
		events := make([]mixer.Event, 8)
		var at []int64
		for _, e := range events[:m.Events(events)] {
			at = append(at, e.Frame)
		}
		if len(at) != 2 || at[1]-at[0] < 50 || at[1]-at[0] > 60 {
			t.Errorf("full %v: it began and stopped at %v, want 50 to 60 frames between", full, at)
		}
	}
}

// TestClosed checks that Close releases waiters, and that no stream is opened after it.
func TestClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := at1k(t)
		h := play(t, m.Engine().At(mixer.Now), level(t, 1000, 900, 1), mixer.Options{})
		done := h.Done()
		m.Close()
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		for i, c := range []<-chan struct{}{done, h.Done()} {
			select {
			case <-c:
			default:
				t.Errorf("channel %d is open after Close", i)
			}
		}
		s, opened := whole(t, 100)
		if _, err := m.Play(s, mixer.Options{}); !errors.Is(err, mixer.ErrClosed) {
			t.Errorf("a stream after Close: %v", err)
		}
		for _, f := range *opened {
			if f := f.Value(); f != nil && !f.Closed() {
				t.Error("its feed is open")
			}
		}
	})
}

// TestHostileRefiner checks that invalid versions are not used, and that other sounds play as without
// them.
func TestHostileRefiner(t *testing.T) {
	data := slices.Repeat([]float32{0.1}, 9000)
	for name, give := range map[string]func(n int64) []float32{
		"NaN":   func(n int64) []float32 { return slices.Repeat([]float32{float32(math.NaN())}, int(n)) },
		"loud":  func(n int64) []float32 { return slices.Repeat([]float32{600000}, int(n)) },
		"short": func(int64) []float32 { return make([]float32, 100) },
		"none":  func(int64) []float32 { return nil },
	} {
		bad := sound(t, sounds.Samples{Rate: 8000, Channels: 1, Data: data, Refine: func(_ *sounds.Sound, _ int, _ bool, _, frames int64) []float32 { return give(frames) }})
		plain := sound(t, sounds.Samples{Rate: 8000, Channels: 1, Data: data})
		render := func(s *sounds.Sound) []float32 {
			m := newMixer(t, mixer.Config{Rate: 8000, NoLimiter: true})
			h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{Pitch: 3, Pan: -1})
			m.Prepare()
			got := left(m, 512)
			h.Stop(0)
			got = append(got, left(m, 512)...)
			if st := m.Stats(); st.Faults != 0 {
				t.Errorf("%s: %d faults", name, st.Faults)
			}
			return got
		}
		if !slices.Equal(render(bad), render(plain)) {
			t.Errorf("%s: it is not heard as a sound without versions", name)
		}
		if bad.CanRefine() {
			t.Errorf("%s: it still claims versions", name)
		}
	}
}

// TestDryWhateverTheBlocks checks that the output and events of a stream that runs dry do not depend on
// the blocks.
func TestDryWhateverTheBlocks(t *testing.T) {
	run := func(block int) string {
		m := newMixer(t, mixer.Config{NoLimiter: true})
		s, err := sounds.NewStream(sounds.Stream{Rate: 48000, Frames: 100000, Open: func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
			f := sounds.NewStreamBuffer(1<<14, c)
			f.Write(slices.Repeat([]pcm.Frame{{0.1, 0.1}}, 6000))
			return f, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
		var heard []pcm.Frame
		for len(heard) < 8192 {
			b := make([]pcm.Frame, block)
			m.Render(b)
			heard = append(heard, b...)
		}
		events := make([]mixer.Event, 8)
		n := m.Events(events)
		if n != 2 || events[1].Kind != mixer.EventUnderrun {
			t.Fatalf("blocks of %d: %d events", block, n)
		}
		return fmt.Sprint(events[1].Frame, heard[:8192])
	}
	want := run(64)
	for _, block := range []int{1, 7, 512, 1024, 4096} {
		if run(block) != want {
			t.Errorf("in blocks of %d something else is heard than in blocks of 64", block)
		}
	}
}

// TestPrepareSmallFeeds checks the result of Prepare at the highest speed.
func TestPrepareSmallFeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMixer(t, mixer.Config{NoLimiter: true})
		defer m.Close()
		s, err := sounds.NewStream(sounds.Stream{Rate: 48000, Open: func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
			f := sounds.NewStreamBuffer(1, c)
			go func() {
				for !f.Closed() {
					f.Write(slices.Repeat([]pcm.Frame{{0.1, 0.1}}, 1000))
					if f.Free() == 0 {
						<-f.Wake()
					}
				}
			}()
			return f, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		play(t, m.Engine().At(mixer.Now), s, mixer.Options{Pitch: 48, Speed: 16, EngineOptions: mixer.EngineOptions{Base: mixer.Base{Pitch: 48}}})
		for range 300 {
			m.Render(make([]pcm.Frame, m.Prepare()))
		}
		if st := m.Stats(); st.Underruns != 0 || st.Playing != 1 {
			t.Errorf("%d underruns, %d voices", st.Underruns, st.Playing)
		}
	})
}
