package mixer_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// times is an effect that multiplies.
func times(g float32) written {
	return func(block []pcm.Frame) {
		for i := range block {
			block[i][0] *= g
			block[i][1] *= g
		}
	}
}

// settled renders a level of 1 on a bus, at 1 kHz, until it is constant.
func settled(t *testing.T, b mixer.BusConfig) (*mixer.Mixer, mixer.Bus) {
	t.Helper()
	m := at1k(t, b)
	play(t, m.Engine().At(0), level(t, 1000, 900, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, b.Name)})
	left(m, 33)
	return m, busOf(t, m, b.Name)
}

// TestSetInsert adds, replaces and removes an insert with a crossfade of 5 ms, which is 5 frames.
func TestSetInsert(t *testing.T) {
	m, b := settled(t, mixer.BusConfig{Name: "a"})
	for _, c := range []struct {
		effect   mixer.Insert
		from, to float64
	}{
		{effect: times(0.5), from: 1, to: 0.5},
		{effect: times(0.25), from: 0.5, to: 0.25},
		{from: 0.25, to: 1},
		{from: 1, to: 1},
	} {
		must(t, b.SetInsert(c.effect))
		for i, x := range left(m, 30) {
			want := c.from + (c.to-c.from)*math.Min(float64(i)/5, 1)
			if math.Abs(float64(x)-want) > 1e-6 {
				t.Errorf("from %v to %v, frame %d: %v, want %v", c.from, c.to, i, x, want)
			}
		}
	}
}

// TestSetInsertInAFade checks that the last insert that is set during a crossfade follows it.
func TestSetInsertInAFade(t *testing.T) {
	m, b := settled(t, mixer.BusConfig{Name: "a", Insert: times(0.5)})
	must(t, b.SetInsert(times(0.25)))
	got := left(m, 2)
	must(t, b.SetInsert(times(100)))
	must(t, b.SetInsert(nil))
	got = append(got, left(m, 20)...)
	want := []float64{0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.4, 0.55, 0.7, 0.85, 1, 1}
	for i, w := range want {
		if math.Abs(float64(got[i])-w) > 1e-6 {
			t.Errorf("frame %d is %v, want %v", i, got[i], w)
		}
	}
}

// TestSetInsertFails checks that an insert that fails during a crossfade is removed, that the other one
// stays, and that the output does not jump to full scale.
func TestSetInsertFails(t *testing.T) {
	for name, first := range map[string]bool{"the old one": true, "the new one": false} {
		calls := 0
		failing := written(func(block []pcm.Frame) {
			if calls++; calls > 2 {
				block[0][0] = float32(math.NaN())
				return
			}
			times(0.5)(block)
		})
		m, b := settled(t, mixer.BusConfig{Name: "a"})
		effects, want := []mixer.Insert{times(0.25), failing}, float32(1)
		if first {
			effects, want = []mixer.Insert{failing, times(0.25)}, 0.25
			calls = -1
		}
		for _, e := range effects {
			must(t, b.SetInsert(e))
			left(m, 1)
			left(m, 1)
			left(m, 1)
		}
		got := left(m, 30)
		if got[29] != want || slices.ContainsFunc(got, func(x float32) bool { return !(x > 0.1 && x < 1.01) }) {
			t.Errorf("%s fails: %v, want %v in the end", name, got, want)
		}
		if st := m.Stats(); st.Faults != 1 || calls != 3 {
			t.Errorf("%s fails: %d faults, %d calls", name, st.Faults, calls)
		}
	}
}

// TestBlocksDoNotShowInserts sets and removes inserts and ducks in blocks of many lengths. The bits must
// be equal.
func TestBlocksDoNotShowInserts(t *testing.T) {
	var first []float32
	for _, block := range []int{1, 3, 20, 64, 500} {
		m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Insert: times(0.75), Buses: []mixer.BusConfig{{Name: "a"}, {Name: "b"}}})
		a, b, top := busOf(t, m, "a"), busOf(t, m, "b"), busOf(t, m, "master")
		play(t, m.Engine().At(0), level(t, 1000, 900, 0.5), mixer.Options{Bus: a, Pan: -0.3})
		play(t, m.Engine().At(130), level(t, 1000, 100, 0.25), mixer.Options{Bus: b, Pan: -0.9})
		var out []float32
		for step := range 8 {
			switch step {
			case 1:
				must(t, a.SetInsert(times(0.3)))
			case 2:
				must(t, a.SetDuck(mixer.Duck{When: "b", By: 12, Attack: 20 * ms, Release: 30 * ms}))
			case 3:
				must(t, top.SetInsert(times(-0.5)))
				must(t, a.SetInsert(times(0.9)))
				must(t, a.SetInsert(times(0.8)))
			case 4:
				must(t, a.SetDuck(mixer.Duck{When: "b", By: 3, Hold: 15 * ms}))
			case 5:
				must(t, a.SetInsert(nil))
				must(t, b.SetDuck(mixer.Duck{When: "a", By: 6}))
			case 6:
				must(t, a.SetDuck(mixer.Duck{}))
			}
			for n := 0; n < 47; n += block {
				out = append(out, left(m, min(block, 47-n))...)
			}
		}
		if first == nil {
			first = out
		}
		if !slices.Equal(out, first) {
			t.Errorf("in blocks of %d something else is heard", block)
		}
	}
}

// TestMasterInsert checks an insert on the whole mix, before the gain of the master.
func TestMasterInsert(t *testing.T) {
	limit := written(func(block []pcm.Frame) {
		for i := range block {
			block[i][0] = min(block[i][0], 0.5)
		}
	})
	m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, MasterGain: -20, Insert: limit})
	play(t, m.Engine().At(0), level(t, 1000, 900, 1), mixer.Options{Pan: -1})
	wantAbout(t, "under it", left(m, 30)[29], 0.05)
	must(t, busOf(t, m, "master").SetInsert(nil))
	wantAbout(t, "without it", left(m, 30)[29], 0.1)
	must(t, busOf(t, m, "master").SetInsert(written(func([]pcm.Frame) { panic("wrong") })))
	wantAbout(t, "with one that fails", left(m, 30)[29], 0.1)
	var events [4]mixer.Event
	if e := events[m.Events(events[:])-1]; e.Kind != mixer.EventFault || e.Bus != busOf(t, m, "master") {
		t.Errorf("it says %v", e)
	}
}

// TestSetDuck sets another depth, another trigger bus and no duck; the bus must fade from its present
// depth.
func TestSetDuck(t *testing.T) {
	m, err := mixer.New(mixer.Config{Rate: 1000, NoLimiter: true, Journal: 16, Buses: []mixer.BusConfig{{Name: "music"}, {Name: "sfx"}, {Name: "speech"}}})
	must(t, err)
	music, top := busOf(t, m, "music"), busOf(t, m, "master")
	play(t, m.Engine().At(0), level(t, 1000, 900, 1), mixer.Options{Pan: -1, Bus: music})
	play(t, m.Engine().At(0), level(t, 1000, 900, 0), mixer.Options{Bus: busOf(t, m, "sfx")})
	left(m, 40)
	deep := mixer.Duck{When: "sfx", By: 20, Attack: 10 * ms, Hold: 10 * ms, Release: 20 * ms}
	shallow := mixer.Duck{When: "sfx", By: 6, Attack: 10 * ms, Release: 20 * ms}
	other := mixer.Duck{When: "speech", By: 6, Hold: 10 * ms, Release: 20 * ms}
	for _, c := range []struct {
		name       string
		bus        mixer.Bus
		duck       mixer.Duck
		soon, late pcm.Decibels // after 10 and after 40 frames
	}{
		{name: "one comes", bus: music, duck: deep, soon: -20, late: -20},
		{name: "less deep", bus: music, duck: shallow, soon: -6, late: -6},
		{name: "deeper", bus: music, duck: deep, soon: -20, late: -20},
		{name: "by a bus that is silent", bus: music, duck: other, soon: -6},
		{name: "back", bus: music, duck: deep, soon: -20, late: -20},
		{name: "none", bus: music, duck: mixer.Duck{}, soon: -9},
		{name: "of the master", bus: top, duck: deep, soon: -20, late: -20},
		{name: "none of the master", bus: top, duck: mixer.Duck{}, soon: -9},
	} {
		must(t, c.bus.SetDuck(c.duck))
		got := left(m, 41)
		wantAbout(t, c.name+", late", got[40], c.late.Linear())
		if c.soon != -9 {
			wantAbout(t, c.name+", soon", got[10], c.soon.Linear())
		} else if got[10] <= 0.101 || got[10] >= 0.99 {
			t.Errorf("%s: the release is not under way: %v", c.name, got[10])
		}
	}
	for name, d := range map[string]mixer.Duck{
		"no such bus": {When: "musik", By: 6}, "itself": {When: "music", By: 6}, "the master": {When: "master", By: 6}, "too deep": {When: "sfx", By: 121},
		"NaN": {When: "sfx", By: pcm.Decibels(math.NaN())}, "a negative hold": {When: "sfx", By: 6, Hold: -1},
	} {
		if err := music.SetDuck(d); !errors.Is(err, mixer.ErrOption) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (mixer.Bus{}).SetDuck(deep); !errors.Is(err, mixer.ErrOption) {
		t.Errorf("the zero Bus: %v", err)
	}
	if err := (mixer.Bus{}).SetInsert(nil); !errors.Is(err, mixer.ErrOption) {
		t.Errorf("the zero Bus: %v", err)
	}
	mute := &silencer{}
	must(t, top.SetInsert(mute))
	left(m, 1)
	var entries [16]mixer.Entry
	n := m.Engine().Journal(entries[:])
	if e := entries[2]; n != 11 || e.Kind != mixer.EntryDuck || e.Bus != "music" || e.Duck != deep || e.Frame != 40 {
		t.Errorf("%d entries, of a duck %+v", n, e)
	}
	if e := entries[n-1]; e.Kind != mixer.EntryInsert || e.Bus != "master" || e.Insert != mute {
		t.Errorf("of an insert %+v", e)
	}
}

type silencer struct{}

func (*silencer) Process(block []pcm.Frame) { clear(block) }

// TestBusLevels checks the meter of a bus; without meters it is silence.
func TestBusLevels(t *testing.T) {
	silence := fmt.Sprint(mixer.Bus{}.Levels())
	for _, meters := range []bool{false, true} {
		m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true, Meters: meters, Buses: []mixer.BusConfig{{Name: "a"}, {Name: "b"}}})
		a := busOf(t, m, "a")
		play(t, m.Engine().At(0), level(t, 1000, 900, 0.5), mixer.Options{Bus: a, Pan: -1})
		left(m, 250)
		l, other := a.Levels(), busOf(t, m, "b").Levels()
		if meters && (l.Frame != 200 || l.Peak != pcm.FromLinear(0.5) || !math.IsInf(float64(other.Peak), -1) || other.Frame != 200) || !meters && fmt.Sprint(l) != silence {
			t.Errorf("meters %v: %+v, of a silent bus %+v", meters, l, other)
		}
	}
}

// TestSetInsertAllocatesOutsideRender sets and removes inserts and ducks every 5 ms.
func TestSetInsertAllocatesOutsideRender(t *testing.T) {
	now := time.Duration(0)
	m := newMixer(t, mixer.Config{
		Rate: 8000, Lead: 10 * ms, Clock: func() time.Duration { return now }, Buses: []mixer.BusConfig{{Name: "a"}, {Name: "b"}},
	})
	a := busOf(t, m, "a")
	play(t, m.Engine().At(0), level(t, 8000, 16000, 0.1), mixer.Options{Bus: a, Loop: true})
	play(t, m.Engine().At(0), level(t, 8000, 800, 0.1), mixer.Options{Bus: busOf(t, m, "b"), Loop: true})
	for i := range 120 {
		now += 5 * ms
		must(t, a.SetInsert([]mixer.Insert{nil, times(0.5), times(2)}[i%3]))
		must(t, a.SetDuck(mixer.Duck{When: "b", By: pcm.Decibels(i % 4), Release: 3 * ms}))
	}
	block := make([]pcm.Frame, 40)
	if got := testing.AllocsPerRun(119, func() { m.Render(block) }); got != 0 || m.Stats().Pending > 4 {
		t.Errorf("%v allocations a block, %d commands wait", got, m.Stats().Pending)
	}
}
