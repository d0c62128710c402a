package mixer_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// effectSwaps is the slow version of the effects of a bus: each chain processes the whole input from the start of its
// crossfade on, and a crossfade is linear over fade frames.
type effectSwaps struct {
	fade          int
	began         int // the frame where the last crossfade began
	before, after []*effect.Processor
	waiting       []*effect.Processor
	waits         bool
}

// set replaces the effects at a frame.
func (s *effectSwaps) set(frame int, effects []effect.Effect) {
	chain := make([]*effect.Processor, len(effects))
	for i := range effects {
		chain[i] = effects[i].NewProcessor(1000, 1)
	}
	if frame < s.began+s.fade {
		s.waiting, s.waits = chain, true
		return
	}
	s.before, s.after, s.began, s.waits = s.after, chain, frame, false
}

// pitched returns a mono sine with a peak of 0.25.
func pitched(t testing.TB, rate, frames int, hertz float64) *sounds.Sound {
	data := make([]float32, frames)
	for i := range data {
		data[i] = float32(0.25 * math.Sin(2*math.Pi*hertz*float64(i)/float64(rate)))
	}
	return sound(t, sounds.Samples{Name: "sine", Rate: rate, Channels: 1, Data: data})
}

// passed returns x after the effects of chain.
func passed(chain []*effect.Processor, x pcm.Frame, frame int) pcm.Frame {
	block := []pcm.Frame{x}
	for _, p := range chain {
		p.Process(block, nil, int64(frame))
	}
	return block[0]
}

// step returns the frame of the output for x.
func (s *effectSwaps) step(frame int, x pcm.Frame) (y pcm.Frame) {
	if s.waits && frame == s.began+s.fade {
		s.before, s.after, s.began, s.waits = s.after, s.waiting, frame, false
	}
	y = passed(s.after, x, frame)
	if left := s.began + s.fade - frame; left > 0 {
		old := passed(s.before, x, frame)
		g := float64(left) / float64(s.fade)
		for c := range y {
			y[c] = float32(float64(y[c]) + (float64(old[c])-float64(y[c]))*g)
		}
	}
	return y
}

// TestSetEffects compares random replacements of effects, also during a crossfade of 20 ms, with the slow version.
func TestSetEffects(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		draw := func() (all []effect.Effect) {
			for _, i := range r.Perm(len(effect.Kinds()))[:r.IntN(4)] {
				e := newEffect(t, effect.Kinds()[i].Name, nil)
				if e.Name() == "delay" {
					must(t, e.Set("time", 0.001+0.05*r.Float64()))
				}
				all = append(all, e)
			}
			return all
		}
		first := draw()
		m := at1k(t, mixer.BusConfig{Name: "a", Effects: first})
		a := busOf(t, m, "a")
		play(t, m.Engine().At(0), pitched(t, 1000, 900, 7), mixer.Options{Bus: a})
		dry := at1k(t, mixer.BusConfig{Name: "a"})
		play(t, dry.Engine().At(0), pitched(t, 1000, 900, 7), mixer.Options{Bus: busOf(t, dry, "a")})
		want := &effectSwaps{fade: 20, began: -1 << 30}
		want.set(0, first)
		want.before, want.began = nil, -20
		for at := 0; at < 1200; {
			n := 1 + r.IntN(40)
			got, input := inBlocks(m, n, 1+r.IntN(25)), inBlocks(dry, n, n)
			for i := range got {
				w := want.step(at+i, input[i])
				for c := range w {
					if math.Abs(float64(got[i][c]-w[c])) > 1e-6 {
						t.Fatalf("seed %d, frame %d: %v, want %v", seed, at+i, got[i], w)
					}
				}
			}
			at += n
			if r.IntN(3) > 0 {
				next := draw()
				must(t, a.SetEffects(next))
				want.set(at, next)
				if has := a.Effects(); len(has) != len(next) || len(has) > 0 && has[0] != next[0] {
					t.Errorf("the bus has %v, want %v", has, next)
				}
			}
		}
	}
}

// TestSetEffectOfANewEffect checks that SetEffect applies to the effect that has the name and the kind when it is
// executed. After a replacement this is the new effect, unless its kind differs.
func TestSetEffectOfANewEffect(t *testing.T) {
	wide := func(mix float64) effect.Effect { return newEffect(t, "width", effect.Values{"width": mix}) }
	m := at1k(t, mixer.BusConfig{Name: "a", Effects: []effect.Effect{wide(1)}})
	a := busOf(t, m, "a")
	must(t, m.Engine().At(50).SetEffect(a, "width", effect.Values{"width": 0.5}, 0))
	must(t, m.Engine().At(90).SetEffect(a, "width", effect.Values{"width": 0.25}, 0))
	must(t, a.SetEffects([]effect.Effect{wide(2)}))
	value := func() float64 { e := a.Effects()[0]; return e.Value(e.Kind().Find("width")) }
	inBlocks(m, 40, 40)
	if value() != 2 {
		t.Errorf("width is %v before the set, want 2", value())
	}
	inBlocks(m, 20, 20)
	if value() != 0.5 {
		t.Errorf("width is %v after the set, want 0.5", value())
	}
	other := newEffect(t, "delay", nil)
	other.ID = "width"
	must(t, a.SetEffects([]effect.Effect{other}))
	inBlocks(m, 100, 10)
	if got := a.Effects()[0]; got != other {
		t.Errorf("the set of another kind changed %v", got)
	}
	must(t, a.SetEffects(nil))
	if got := a.Effects(); len(got) != 0 {
		t.Errorf("it still has %v", got)
	}
	inBlocks(m, 100, 10)
}

// TestSetEffectsWithKey checks a compressor that is added while the mixer plays and listens to another bus: after the
// crossfade it lowers the bus as in a mixer that had it from the beginning.
func TestSetEffectsWithKey(t *testing.T) {
	pump := newEffect(t, "compressor", effect.Values{"threshold": -40, "ratio": 100, "attack": 0.0005, "release": 0.02})
	pump.Key = "kick"
	render := func(early bool) []float32 {
		music := mixer.BusConfig{Name: "music"}
		if early {
			music.Effects = []effect.Effect{pump}
		}
		m := at1k(t, music, mixer.BusConfig{Name: "kick"})
		play(t, m.Engine().At(0), level(t, 1000, 999, 0.5), mixer.Options{Pan: -1, Bus: busOf(t, m, "music")})
		play(t, m.Engine().At(100), level(t, 1000, 100, 1), mixer.Options{Pan: 1, Bus: busOf(t, m, "kick")})
		out := left(m, 30)
		if !early {
			must(t, busOf(t, m, "music").SetEffects([]effect.Effect{pump}))
		}
		return append(out, left(m, 300)...)
	}
	got, want := render(false), render(true)
	for i := range got {
		if math.Abs(float64(got[i]-want[i])) > 1e-6 {
			t.Fatalf("frame %d is %v, want %v", i, got[i], want[i])
		}
	}
	if db := 20 * math.Log10(float64(got[140])/0.5); math.Abs(db+39.6) > 0.2 {
		t.Errorf("the key takes it down by %.2f dB, want 39.6", db)
	}
}

// TestSetEffectsEndsTails checks that a mixer sleeps soon after its only effect with a tail is removed, and that a new
// effect has a tail.
func TestSetEffectsEndsTails(t *testing.T) {
	echo := newEffect(t, "delay", effect.Values{"time": 0.25, "feedback": 0.9})
	m := at1k(t, mixer.BusConfig{Name: "hall"})
	hall := busOf(t, m, "hall")
	asleep := func() bool { return m.Sleep(time.Unix(0, m.Now()*1e6)) }
	must(t, hall.SetEffects([]effect.Effect{echo}))
	play(t, m.Engine().At(30), level(t, 1000, 1, 1), mixer.Options{Pan: -1, Bus: hall})
	if got := inBlocks(m, 600, 20); got[280][0] != 1 || got[530][0] != 0.9 {
		t.Errorf("the echoes are %v and %v, want 1 and 0.9", got[280][0], got[530][0])
	}
	if asleep() {
		t.Error("it sleeps between two echoes")
	}
	must(t, hall.SetEffects(nil))
	for _, f := range inBlocks(m, 60, 20)[20:] {
		if f != (pcm.Frame{}) {
			t.Fatalf("after the crossfade it plays %v", f)
		}
	}
	inBlocks(m, 400, 20)
	if !asleep() {
		t.Error("without effects and voices it does not sleep")
	}
}

// TestSetEffectsForgetsTails checks that the tail of a removed effect does not count for sounds that play later.
func TestSetEffectsForgetsTails(t *testing.T) {
	echo := newEffect(t, "delay", effect.Values{"time": 0.1, "feedback": 0.5})
	for _, waits := range []bool{false, true} {
		m := at1k(t, mixer.BusConfig{Name: "hall", Effects: []effect.Effect{echo}})
		hall := busOf(t, m, "hall")
		must(t, hall.SetEffects([]effect.Effect{echo, newEffect(t, "width", nil)}))
		inBlocks(m, map[bool]int{false: 50, true: 5}[waits], 5)
		must(t, hall.SetEffects(nil))
		play(t, m.Engine().At(mixer.Now), level(t, 1000, 10, 1), mixer.Options{Bus: hall})
		inBlocks(m, 15, 5)
		until := m.Stats().RingsUntil
		if until < 1000 || until > 5000 {
			t.Fatalf("during the crossfade it rings until %d", until)
		}
		inBlocks(m, int(until), 500)
		play(t, m.Engine().At(mixer.Now), level(t, 1000, 10, 1), mixer.Options{Bus: hall})
		inBlocks(m, 20, 5)
		if now := m.Now(); m.Stats().RingsUntil > now {
			t.Errorf("at %d a sound without effects rings until %d", now, m.Stats().RingsUntil)
		}
	}
}

// TestSetEffectsAsleep checks that a mixer that sleeps during a crossfade sounds afterwards as a mixer that renders on,
// also if other effects wait for the end of the crossfade.
func TestSetEffectsAsleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		output := func(sleeps bool) []pcm.Frame {
			m := at1k(t, mixer.BusConfig{Name: "a"})
			a := busOf(t, m, "a")
			for width := range 3 {
				must(t, a.SetEffects([]effect.Effect{newEffect(t, "width", effect.Values{"width": float64(width)})}))
				inBlocks(m, 5, 5)
			}
			for m.Now() < 1000 {
				if !sleeps || !m.Sleep(time.Now()) {
					inBlocks(m, 5, 5)
					continue
				}
				time.Sleep(time.Duration(1000-m.Now()) * ms)
				m.Wake(time.Now())
			}
			play(t, m.Engine().At(mixer.Now), level(t, 1000, 20, 0.5), mixer.Options{Bus: a, Pan: -1})
			return inBlocks(m, 20, 20)
		}
		if got, want := output(true), output(false); !slices.Equal(got, want) {
			t.Errorf("after a sleep it plays %v, want %v", got, want)
		}
	})
}

// TestSetEffectsReversesKeys checks that a bus may listen to a bus that has listened to it before. The crossfade of the
// old effects must be over.
func TestSetEffectsReversesKeys(t *testing.T) {
	listens := func(to string) []effect.Effect {
		e := newEffect(t, "compressor", nil)
		e.Key = to
		return []effect.Effect{e}
	}
	m := at1k(t, mixer.BusConfig{Name: "a", Effects: listens("b")}, mixer.BusConfig{Name: "b"})
	a, b := busOf(t, m, "a"), busOf(t, m, "b")
	must(t, a.SetEffects(nil))
	if err := b.SetEffects(listens("a")); !errors.Is(err, mixer.ErrOption) {
		t.Errorf("during the crossfade of the old key: %v", err)
	}
	inBlocks(m, 200, 10)
	must(t, b.SetEffects(listens("a")))
	inBlocks(m, 200, 10)
	if err := a.SetEffects(listens("b")); !errors.Is(err, mixer.ErrOption) {
		t.Errorf("two buses listen to each other: %v", err)
	}
}

// TestSetEffectsOften checks that frequent calls do not collect keys.
func TestSetEffectsOften(t *testing.T) {
	m := at1k(t, mixer.BusConfig{Name: "a"}, mixer.BusConfig{Name: "b"})
	a, e := busOf(t, m, "a"), newEffect(t, "compressor", nil)
	for i := range 100 {
		e.Key = []string{"", "b"}[i%2]
		must(t, a.SetEffects([]effect.Effect{e}))
		inBlocks(m, 10, 10)
	}
	if n := mixer.KeysOf(m, a); n > 3 {
		t.Errorf("after 100 calls the mixer remembers %d keys", n)
	}
}

// TestSetEffectsCountsInScores checks that an equalizer that is added later counts in the choice of a victim.
// An equalizer of the configuration counts in the same way.
func TestSetEffectsCountsInScores(t *testing.T) {
	dark := newEffect(t, "eq", effect.Values{"bands.1.type": effect.LowPass, "bands.1.freq": 100})
	rain := rainy(t)
	victim := func(early, late []effect.Effect) string {
		m := newMixer(t, mixer.Config{Rate: 48000, Voices: 2, Buses: []mixer.BusConfig{{Name: "a", Effects: early}, {Name: "b"}}})
		if late != nil {
			must(t, busOf(t, m, "a").SetEffects(late))
		}
		play(t, m.Engine().At(0), rain, mixer.Options{Bus: busOf(t, m, "a"), Gain: 6, EngineOptions: mixer.EngineOptions{Ref: 1}})
		play(t, m.Engine().At(0), rain, mixer.Options{Bus: busOf(t, m, "b"), EngineOptions: mixer.EngineOptions{Ref: 2}})
		inBlocks(m, 4800, 480)
		play(t, m.Engine().At(mixer.Now), rain, mixer.Options{Bus: busOf(t, m, "b"), Gain: 12})
		inBlocks(m, 480, 480)
		for _, e := range events(m) {
			if e.Kind == mixer.EventStolen {
				return map[mixer.Ref]string{1: "a", 2: "b"}[e.Ref]
			}
		}
		return "none"
	}
	if got := victim(nil, nil); got != "b" {
		t.Errorf("without an equalizer the victim is on %s, want b", got)
	}
	for name, got := range map[string]string{"from the beginning": victim([]effect.Effect{dark}, nil), "later": victim(nil, []effect.Effect{dark})} {
		if got != "a" {
			t.Errorf("with an equalizer %s the victim is on %s, want a", name, got)
		}
	}
}

// TestSetEffectsRefused checks the errors of SetEffects: place and cause.
func TestSetEffectsRefused(t *testing.T) {
	compressor, echo := newEffect(t, "compressor", nil), newEffect(t, "delay", nil)
	key := func(e effect.Effect, bus string) effect.Effect {
		e.Key = bus
		return e
	}
	m := newMixer(t, mixer.Config{Buses: []mixer.BusConfig{{Name: "a", Effects: []effect.Effect{echo}}, {Name: "below", Parent: "a"}, {Name: "c"}}})
	below := busOf(t, m, "below")
	for want, err := range map[string]error{
		`effect 1 of bus "below" has no kind; effect.New makes one`:                        below.SetEffects([]effect.Effect{{}}),
		`bus "below" has 17 effects, a bus has at most 16`:                                 below.SetEffects(make([]effect.Effect, 17)),
		`bus "below" has two effects "delay"; one needs an ID`:                             below.SetEffects([]effect.Effect{echo, echo}),
		`the delay of bus "below" has a key; only a compressor listens to another bus`:     below.SetEffects([]effect.Effect{key(echo, "c")}),
		`the key of the compressor of bus "below", "cc", is not a bus; the nearest is "c"`: below.SetEffects([]effect.Effect{key(compressor, "cc")}),
		`bus "below" comes to itself: "below" goes into "a", "below" listens to "a"`:       below.SetEffects([]effect.Effect{key(compressor, "a")}),
		`bus "below" comes to itself: "below" listens to "below"`:                          below.SetEffects([]effect.Effect{key(compressor, "below")}),
		`the zero Bus is the master of no mixer`:                                           mixer.Bus{}.SetEffects([]effect.Effect{echo}),
	} {
		if err == nil || !errors.Is(err, mixer.ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	if got := busOf(t, m, "a").Effects(); len(got) != 1 || len(below.Effects()) != 0 {
		t.Errorf("a refused call changed the effects to %v", got)
	}
	must(t, below.SetEffects([]effect.Effect{key(compressor, "c"), echo}))
}

// TestSetEffectsIsJournaled checks the entry of the journal.
func TestSetEffectsIsJournaled(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Journal: 16, Buses: []mixer.BusConfig{{Name: "a"}}})
	must(t, busOf(t, m, "a").SetEffects([]effect.Effect{newEffect(t, "width", nil)}))
	left(m, 5)
	var entries [4]mixer.Entry
	if n := m.Engine().Journal(entries[:]); n != 1 || entries[0].Kind != mixer.EntryEffects || entries[0].Bus != "a" {
		t.Errorf("%d entries, the first %+v", n, entries[0])
	}
}

// TestSetEffectsAllocatesOutsideRender checks that blocks that begin, run and end crossfades allocate nothing, also
// when effects fail.
func TestSetEffectsAllocatesOutsideRender(t *testing.T) {
	now := time.Duration(0)
	m := newMixer(t, mixer.Config{
		Rate: 8000, Lead: 10 * ms, Clock: func() time.Duration { return now }, Buses: []mixer.BusConfig{{Name: "a"}, {Name: "b"}},
	})
	var all []effect.Effect
	for _, k := range effect.Kinds() {
		all = append(all, newEffect(t, k.Name, nil))
	}
	a := busOf(t, m, "a")
	play(t, m.Engine().At(0), level(t, 8000, 16000, 0.1), mixer.Options{Bus: a, Loop: true})
	for i := range 120 {
		now += 5 * ms
		must(t, a.SetEffects(all[:i%len(all)]))
	}
	block := make([]pcm.Frame, 40)
	if got := testing.AllocsPerRun(119, func() { m.Render(block) }); got != 0 || m.Stats().Pending > 4 {
		t.Errorf("%v allocations a block, %d commands wait", got, m.Stats().Pending)
	}
}
