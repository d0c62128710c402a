package mixer_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

const stemRate = 8000

// stemSounds returns the sounds of a game, drawn from a seed. The fourth is a stream. In the short variant, eight lists
// serve all seeds.
func stemSounds(t testing.TB, seed uint64, kinds int) []*sounds.Sound {
	if longtest.Enabled() {
		return newStemSounds(t, seed, kinds)
	}
	made := &stemSoundsMade[seed%uint64(len(stemSoundsMade))]
	if *made == nil {
		*made = newStemSounds(t, seed, mostStemSounds)
	}
	return (*made)[:kinds]
}

const mostStemSounds = 6

var stemSoundsMade [8][]*sounds.Sound

func newStemSounds(t testing.TB, seed uint64, kinds int) (list []*sounds.Sound) {
	r := rand.New(rand.NewPCG(seed, 3))
	for i := range kinds {
		if i == 3 {
			list = append(list, filled(t, stemRate, 2000))
			continue
		}
		s := noise(r, stemRate, 1+i%2, 100+r.IntN(2000))
		s.Name, s.Loop = fmt.Sprint("s", i), pcm.Loop{10, 90}
		list = append(list, sound(t, s))
	}
	return list
}

// stemGame plays a random game in blocks and returns the mix and, with keep, the stems.
func stemGame(t testing.TB, seed uint64, list []*sounds.Sound, keep bool, c mixer.Config, block func() int) (mix []pcm.Frame, stems map[string][]pcm.Frame) {
	const rate, length = stemRate, 3200
	kinds := len(list)
	r := rand.New(rand.NewPCG(seed, 2))
	duck := mixer.Duck{When: "left", By: 11, Attack: 9 * time.Millisecond, Hold: 35 * time.Millisecond, Release: 61 * time.Millisecond}
	c.Rate, c.Voices, c.MaxVoices, c.Commands, c.Events, c.NoLimiter, c.Stems = rate, 2+r.IntN(6), 8, 256, 64, true, keep
	c.Virtual = r.IntN(3)
	c.Buses = []mixer.BusConfig{
		{Name: "top", Gain: -2, Pan: 0.2}, {Name: "left", Parent: "top", Pan: -0.4, Voices: 4, Pitch: 1},
		{Name: "right", Parent: "top", Duck: duck}, {Name: "music", Gain: 1},
	}
	m := newMixer(t, c)
	defer m.Close()
	names := []string{"", "step", "shot"}[:min(kinds, 3)] // one sound is one stem
	buses := []string{"master", "top", "left", "right", "music"}
	ms := func(most int) time.Duration { return time.Duration(r.IntN(most)) * time.Millisecond }
	var handles []mixer.Handle
	for range 60 {
		at := m.Engine().At(r.Int64N(length))
		bus := busOf(t, m, buses[r.IntN(len(buses))])
		own := mixer.TargetTag(mixer.Tag(1 + r.IntN(5)))
		switch r.IntN(12) {
		default:
			o := mixer.Options{Gain: pcm.Decibels(-r.Float64() * 20), Pan: r.Float64()*2 - 1, Bus: bus, Loop: r.IntN(4) == 0, EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(1 + r.IntN(5)), Name: names[r.IntN(len(names))]}}
			if r.IntN(2) == 0 {
				o.Pitch, o.Quality = pcm.Semitones(r.Float64()*24-12), sounds.Quality(1+r.IntN(2))
			}
			if r.IntN(3) == 0 {
				o.Emitter = &space.Emitter{Spot: space.Spot{Position: space.Vector{r.Float64()*8 - 4, 1, 0}}}
			}
			if r.IntN(4) == 0 {
				o.For = 1 + ms(200)
			}
			handles = append(handles, play(t, at, list[r.IntN(kinds)], o))
		case 0:
			must(t, at.Stop(own, ms(2)*40))
		case 1:
			must(t, at.Pause(mixer.TargetBus(bus)))
			must(t, m.Engine().At(r.Int64N(length)).Resume(mixer.TargetBus(bus)))
		case 2:
			must(t, at.Set(mixer.TargetBus(bus), mixer.Change{Fields: mixer.FieldMute | mixer.FieldSolo, Mute: r.IntN(4) == 0, Solo: r.IntN(2) == 0}, ms(60)))
		case 3, 4:
			must(t, at.Set(mixer.TargetBus(bus), mixer.Change{Fields: mixer.FieldGain | mixer.FieldPan, Gain: pcm.Decibels(-r.Float64() * 20), Pan: r.Float64() - 0.5}, ms(200)))
		case 5:
			must(t, at.Resize(1+r.IntN(8)))
		}
	}
	for now := int64(0); now < length; now = m.Now() {
		if now%800 == 0 && len(handles) > 0 {
			h := handles[int(now)%len(handles)]
			must(t, m.SetPositions([]mixer.Handle{h}, []space.Spot{{Position: space.Vector{float64(now)/400 - 4, 1, 0}}}))
		}
		n := min(int64(min(m.Prepare(), block())), length-now, 800-now%800)
		mix = append(mix, make([]pcm.Frame, n)...)
		m.Render(mix[now:])
		for of, part := range m.Engine().Stems(int(n)) {
			if stems == nil {
				stems = map[string][]pcm.Frame{}
			}
			name := of.Name + "/" + of.Sound
			stem := append(stems[name], make([]pcm.Frame, now-int64(len(stems[name])))...)
			stems[name] = append(stem, part...)
		}
	}
	return mix, stems
}

// TestStemsAddUp checks that stems do not change the bits of the mix, and add up to it; the stem of a
// single sound is the mix. Another order of the sum rounds differently: each of some 60 additions and
// products of a frame by 2^-24 of the largest sum, which is below 8.
func TestStemsAddUp(t *testing.T) {
	defer longtest.Checks(30)()
	sounding := 0
	rapid.Check(t, func(rt *rapid.T) {
		seed, kinds := rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(1, mostStemSounds).Draw(rt, "sounds")
		lengths := rapid.SliceOfN(rapid.IntRange(1, 160), 1, 20).Draw(rt, "blocks")
		list, i := stemSounds(t, seed, kinds), 0
		drawn := func() int { i++; return lengths[i%len(lengths)] }
		plain, none := stemGame(t, seed, list, false, mixer.Config{}, func() int { return 4096 })
		if none != nil {
			rt.Fatal("there are stems that nobody asked for")
		}
		mix, stems := stemGame(t, seed, list, true, mixer.Config{}, drawn)
		if !slices.Equal(mix, plain) {
			rt.Fatal("with stems the mix is another")
		}
		sums := make([][2]float64, len(mix))
		for name, s := range stems {
			for f := range mix {
				for c, x := range s[f] {
					if sums[f][c] += float64(x); math.Abs(float64(x)) > 8 {
						rt.Fatalf("frame %d of %q is %v", f, name, x)
					}
				}
			}
		}
		for f, sum := range sums {
			for c, x := range mix[f] {
				if d := math.Abs(sum[c] - float64(x)); d > 60*8.0/(1<<24) || len(stems) == 1 && d > 0 {
					rt.Fatalf("frame %d is %v, its %d stems add up to %v", f, mix[f], len(stems), sum)
				}
			}
			if len(stems) > 1 && mix[f] != (pcm.Frame{}) {
				sounding++
			}
		}
	})
	if sounding == 0 && !t.Failed() {
		t.Error("no mix of several sounds was compared")
	}
}

// double is an effect with an obvious result.
type double struct{}

func (double) Process(block []pcm.Frame) {
	for i := range block {
		block[i][0] *= 2
	}
}

// TestStemsComeBeforeEffects checks inserts of a bus and of the master.
func TestStemsComeBeforeEffects(t *testing.T) {
	m := newMixer(t, mixer.Config{
		Rate: 1000, NoLimiter: true, Stems: true, Insert: double{},
		Buses: []mixer.BusConfig{{Name: "fx", Gain: pcm.FromLinear(0.5), Insert: double{}}},
	})
	play(t, m.Engine().At(0), level(t, 1000, 100, 0.25), mixer.Options{Pan: -1, Bus: busOf(t, m, "fx")})
	mix := left(m, 20)
	for name, stem := range m.Engine().Stems(20) {
		if wantAbout(t, "the mix", mix[9], 0.5); name != (mixer.Stem{Sound: "level"}) || len(stem) != 20 || math.Abs(float64(stem[9][0])-0.125) > 1e-6 {
			t.Errorf("the stem %+v is %v, want 0.125", name, stem)
		}
	}
	left(m, 25)
	for _, stem := range m.Engine().Stems(21) {
		if len(stem) != 20 {
			t.Errorf("of a longer block there are %d frames, want 20", len(stem))
		}
	}
}

func TestStemsDoNotAllocateInRender(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Stems: true, Voices: 1})
	s := level(t, 1000, 1000000, 0.25)
	block := make([]pcm.Frame, 20)
	if n := testing.AllocsPerRun(20, func() {
		m.Play(s, mixer.Options{})
		m.Render(block)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// TestNoStems checks that there are no stems without Config.Stems.
func TestNoStems(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000})
	play(t, m.Engine().At(0), level(t, 1000, 100, 0.25), mixer.Options{})
	left(m, 20)
	for name := range m.Engine().Stems(20) {
		t.Errorf("there is a stem %+v", name)
	}
}

// events returns the events since the last call.
func events(m *mixer.Mixer) []mixer.Event {
	all := make([]mixer.Event, 64)
	return all[:m.Events(all)]
}

// TestWhatAStemIs checks that starts with the same name, sound and file share a stem, that others do not,
// and that events contain the stem.
func TestWhatAStemIs(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 8, NoLimiter: true, Stems: true, Virtual: 2})
	made := func(name, file string, x float32) *sounds.Sound {
		data := make([]float32, 100)
		for i := range data {
			data[i] = x
		}
		return sound(t, sounds.Samples{Name: name, File: file, Rate: 1000, Channels: 1, Data: data})
	}
	want := map[mixer.Stem]float32{}
	for i, of := range []mixer.Stem{
		{Sound: "hit"}, {Sound: "hit", File: "a/hit.wav"}, {Sound: "hit", File: "b/hit.wav"}, {Sound: "hit"},
		{Name: "step", Sound: "hit", File: "a/hit.wav"}, {Name: "step", Sound: "foot"}, {Name: "shot", Sound: "foot"},
	} {
		x := float32(int(1)<<i) / 256
		play(t, m.Engine().At(0), made(of.Sound, of.File, x), mixer.Options{EngineOptions: mixer.EngineOptions{Name: of.Name, Play: uint64(len(of.Name))}, Pan: -1})
		want[of] += x
	}
	left(m, 20)
	got := map[mixer.Stem]float32{}
	for of, part := range m.Engine().Stems(1) {
		got[of] = part[0][0]
	}
	if !maps.Equal(got, want) {
		t.Errorf("the stems are\n%v\nwant\n%v", got, want)
	}
	must(t, m.Engine().At(20).Resize(2)) // steals three; two become virtual
	left(m, 200)
	kinds := map[mixer.EventKind]int{}
	for _, e := range events(m) {
		kinds[e.Kind]++
		of := e.Stem()
		if _, known := want[of]; !known || e.Sound.Name() != of.Sound || e.Sound.File() != of.File || e.Play() != uint64(len(of.Name)) {
			t.Errorf("%v is of the stem %+v", e, of)
		}
	}
	if kinds[mixer.EventStarted] != 7 || kinds[mixer.EventStolen] != 3 || kinds[mixer.EventVirtual] < 2 || kinds[mixer.EventEnded] == 0 {
		t.Errorf("there were %v", kinds)
	}
	play(t, m.Engine().At(mixer.Now), made("foot", "", 1), mixer.Options{EngineOptions: mixer.EngineOptions{Name: "short"}, From: time.Second}) // it is over at once
	left(m, 1)
	if all := events(m); len(all) != 2 || all[0].Stem().Name != "short" || all[1].Stem().Name != "short" {
		t.Errorf("of what is over at once there are %v", all)
	}
	plain := newMixer(t, mixer.Config{Rate: 1000})
	play(t, plain.Engine().At(0), made("hit", "a/hit.wav", 1), mixer.Options{EngineOptions: mixer.EngineOptions{Name: "step"}})
	plain.Engine().Expect(mixer.Stem{Name: "step"})
	left(plain, 1)
	if e := events(plain)[0]; e.Stem() != (mixer.Stem{Sound: "hit", File: "a/hit.wav"}) || plain.Engine().Expected() != nil {
		t.Errorf("without stems an event has %+v, and %v are expected", e.Stem(), plain.Engine().Expected())
	}
	if (&mixer.Event{}).Stem() != (mixer.Stem{}) {
		t.Error("of an event without a sound there is a stem")
	}
	m.Engine().Expect(mixer.Stem{Name: "step"}, mixer.Stem{Name: "shot"})
	if m.Engine().Expect(mixer.Stem{Name: "step"}); len(m.Engine().Expected()) != 2 {
		t.Errorf("%v are expected, want two", m.Engine().Expected())
	}
}
