package mixer_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// TestBusSends checks sends of buses after and before their gains, for any order in the configuration.
// Their gains fade, and a mute of the bus or of a bus above it silences both.
func TestBusSends(t *testing.T) {
	for _, block := range []int{1, 7, 64, 999} {
		m := newMixer(t, mixer.Config{
			Rate: 1000, NoLimiter: true, Journal: 100, Outputs: []mixer.Output{{Name: "main", Channel: 1}, {Name: "wet", Channel: 3}},
			Buses: []mixer.BusConfig{
				{Name: "hall", Output: "wet"}, {Name: "room", Output: "wet", Gain: -20}, {Name: "top"},
				{Name: "sfx", Parent: "top", Gain: -20, Pan: -1, Sends: []mixer.Send{{To: "hall", Gain: -6}, {To: "room", Pre: true}}}, {Name: "shots", Parent: "sfx", Gain: -6},
			},
		})
		sfx := busOf(t, m, "sfx")
		play(t, m.Engine().At(0), level(t, 1000, 1500, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, "shots")})
		must(t, m.Engine().At(300).SetSend(mixer.TargetBus(sfx), "hall", -80, 0))
		must(t, m.Engine().At(500).SetSend(mixer.TargetBus(sfx), "hall", 0, 100*ms))
		must(t, m.Engine().At(700).Set(mixer.TargetBus(sfx), mixer.Change{Fields: mixer.FieldMute, Mute: true}, 0))
		must(t, m.Engine().At(900).Set(mixer.TargetBus(sfx), mixer.Change{Fields: mixer.FieldMute}, 0))
		must(t, m.Engine().At(1100).Set(mixer.TargetBus(busOf(t, m, "top")), mixer.Change{Fields: mixer.FieldMute, Mute: true}, 0))
		out := inBlocks(m, 3000, 2*block)
		db := func(x float64) float64 { return math.Pow(10, x/20) }
		for i, want := range map[int][2]float64{
			100: {db(-26), db(-32) + db(-26)}, 400: {db(-26), db(-26)}, 650: {db(-26), db(-26) + db(-26)}, 800: {0, 0},
			1000: {db(-26), db(-26) + db(-26)}, 1200: {0, 0},
		} {
			if main, wet := float64(out[2*i][0]), float64(out[2*i+1][0]); math.Abs(main-want[0]) > 1e-6 || math.Abs(wet-want[1]) > 1e-6 {
				t.Errorf("in blocks of %d: frame %d is %v and %v, want %v", block, i, main, wet, want)
			}
		}
		entries := make([]mixer.Entry, 100)
		entries = entries[:m.Engine().Journal(entries)]
		if i := slices.IndexFunc(entries, func(e mixer.Entry) bool { return e.Kind == mixer.EntrySend }); i < 0 ||
			entries[i].Frame != 300 || entries[i].Bus != "sfx" || entries[i].Send != (mixer.Send{To: "hall", Gain: -80}) {
			t.Errorf("the journal has %+v", entries)
		}
	}
}

// TestSendsRing checks the tail of sent sound after its voices, and its reported end.
func TestSendsRing(t *testing.T) {
	echo := newEffect(t, "delay", effect.Values{"time": 0.1, "feedback": 0.5})
	m := at1k(t, mixer.BusConfig{Name: "hall", Effects: []effect.Effect{echo}}, mixer.BusConfig{Name: "sfx", Sends: []mixer.Send{{To: "hall", Gain: -20}}})
	play(t, m.Engine().At(0), level(t, 1000, 1, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, "sfx")})
	got := left(m, 400)
	for i, x := range got {
		want := map[int]float32{0: 1, 100: 0.1, 200: 0.05, 300: 0.025}[i]
		if math.Abs(float64(x-want)) > 1e-7 {
			t.Errorf("frame %d is %v, want %v", i, x, want)
		}
	}
	if st := m.Stats(); st.SilentFrom != 301 || st.RingsUntil < 1200 || st.RingsUntil > 1800 {
		t.Errorf("it is silent from %d on, and rings until %d", st.SilentFrom, st.RingsUntil)
	}
}

// TestSendsRefused checks the errors for loops, unknown buses and values out of range.
func TestSendsRefused(t *testing.T) {
	to := func(names ...string) (sends []mixer.Send) {
		for _, name := range names {
			sends = append(sends, mixer.Send{To: name})
		}
		return sends
	}
	for _, c := range []struct {
		want  string
		buses []mixer.BusConfig
	}{
		{`bus "a" sends to itself`, []mixer.BusConfig{{Name: "a", Sends: to("a")}}},
		{`bus "a" sends to "b", which is no bus`, []mixer.BusConfig{{Name: "a", Sends: to("b")}}},
		{`bus "a" sends to "master", which is no bus`, []mixer.BusConfig{{Name: "a", Sends: to("master")}}},
		{`bus "a" sends to "b" twice`, []mixer.BusConfig{{Name: "a", Sends: to("b", "b")}, {Name: "b"}}},
		{`bus "a" comes to itself: "a" sends to "b", "b" sends to "c", "c" sends to "a"`, []mixer.BusConfig{{Name: "a", Sends: to("b")}, {Name: "b", Sends: to("c")}, {Name: "c", Sends: to("a")}}},
		{`bus "b" comes to itself: "b" goes into "a", "a" sends to "b"`, []mixer.BusConfig{{Name: "a", Sends: to("b")}, {Name: "b", Parent: "a"}}},
		{`bus "a" comes to itself: "a" sends to "b", "b" sends to "a"`, []mixer.BusConfig{{Name: "a", Sends: to("b")}, {Name: "b", Sends: to("a")}}},
		{`bus "a", send to "b": gain: 30 dB is not in -120..24`, []mixer.BusConfig{{Name: "a", Sends: []mixer.Send{{To: "b", Gain: 30}}}, {Name: "b"}}},
		{`bus "a", send to "b": gain: NaN dB is not in -120..24`, []mixer.BusConfig{{Name: "a", Sends: []mixer.Send{{To: "b", Gain: pcm.Decibels(math.NaN())}}}, {Name: "b"}}},
	} {
		_, err := mixer.New(mixer.Config{Buses: c.buses})
		if err == nil || !errors.Is(err, mixer.ErrConfig) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
	m := newMixer(t, mixer.Config{Buses: []mixer.BusConfig{{Name: "a", Sends: to("hall")}, {Name: "hall"}}})
	for want, err := range map[string]error{
		`there is no bus "hal" to send to; the nearest is "hall"`: busOf(t, m, "a").SetSend("hal", 0, 0),
		`bus "a" has no send to "a"; the nearest is "hall"`:       busOf(t, m, "a").SetSend("a", 0, 0),
		`bus "hall" has no sends`:                                 busOf(t, m, "hall").SetSend("a", 0, 0),
		`gain`:                                                    busOf(t, m, "a").SetSend("hall", 25, 0),
	} {
		if err == nil || !errors.Is(err, mixer.ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
}

// TestVoiceSends checks sends of voices after their gain and place. Their gains fade, also before the
// start. Mute and solo of the voice's bus apply to them, and they carry its tail.
func TestVoiceSends(t *testing.T) {
	db := func(x float64) float64 { return math.Pow(10, x/20) }
	for _, block := range []int{1, 7, 64, 999} {
		m := newMixer(t, mixer.Config{
			Rate: 1000, NoLimiter: true, Journal: 100, Outputs: []mixer.Output{{Name: "main", Channel: 1}, {Name: "wet", Channel: 3}},
			Buses: []mixer.BusConfig{
				{Name: "hall", Output: "wet"}, {Name: "room", Output: "wet", Gain: -20}, {Name: "top"}, {Name: "sfx", Parent: "top", Gain: -40}, {Name: "other"},
			},
		})
		sends := []mixer.Send{{To: "hall", Gain: -6}, {To: "room", Gain: -20}}
		o := mixer.Options{Pan: -1, Gain: -10, Bus: busOf(t, m, "sfx"), EngineOptions: mixer.EngineOptions{Sends: sends, Tag: 7}}
		h := play(t, m.Engine().At(50), level(t, 1000, 3000, 1), o)
		sends[0].Gain = 24 // the slice was copied
		must(t, h.SetSend("room", -80, 0))
		must(t, m.Engine().At(300).SetSend(mixer.TargetTag(7), "hall", 0, 100*ms))
		must(t, m.Engine().At(300).SetSend(mixer.TargetTag(7), "other", 0, 100*ms))
		must(t, m.Engine().At(450).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldGain, Gain: -20}, 0))
		must(t, m.Engine().At(600).Set(mixer.TargetBus(busOf(t, m, "top")), mixer.Change{Fields: mixer.FieldMute, Mute: true}, 0))
		must(t, m.Engine().At(700).Set(mixer.TargetBus(busOf(t, m, "top")), mixer.Change{Fields: mixer.FieldMute}, 0))
		must(t, m.Engine().At(800).Set(mixer.TargetBus(busOf(t, m, "other")), mixer.Change{Fields: mixer.FieldSolo, Solo: true}, 0))
		must(t, m.Engine().At(900).Set(mixer.TargetBus(busOf(t, m, "other")), mixer.Change{Fields: mixer.FieldSolo}, 0))
		must(t, m.Engine().At(1000).Stop(mixer.TargetVoice(h), 0))
		out := inBlocks(m, 2200, 2*block)
		for i, want := range map[int][2]float64{
			49: {0, 0}, 100: {db(-50), db(-16)}, 420: {db(-50), db(-10)}, 550: {db(-60), db(-20)}, 650: {0, 0}, 750: {db(-60), db(-20)},
			850: {0, 0}, 950: {db(-60), db(-20)}, 1005: {db(-60) / 2, db(-20) / 2}, 1010: {0, 0},
		} {
			if main, wet := float64(out[2*i][0]), float64(out[2*i+1][0]); math.Abs(main-want[0]) > 1e-6 || math.Abs(wet-want[1]) > 1e-6 {
				t.Errorf("in blocks of %d: frame %d is %v and %v, want %v", block, i, main, wet, want)
			}
		}
		entries := make([]mixer.Entry, 100)
		entries = entries[:m.Engine().Journal(entries)]
		if e := entries[0]; e.Kind != mixer.EntryPlay || len(e.How.Sends) != 2 || e.How.Sends[0] != (mixer.Send{To: "hall", Gain: -6}) {
			t.Errorf("the journal begins with %+v", e)
		}
		if n := len(slices.DeleteFunc(entries, func(e mixer.Entry) bool { return e.Kind != mixer.EntrySend || e.Start == 0 })); n != 2 {
			t.Errorf("the journal has %d moves of sends, want 2", n)
		}
	}
	m := newMixer(t, mixer.Config{Buses: []mixer.BusConfig{{Name: "a"}, {Name: "b"}}})
	s := level(t, 48000, 10, 1)
	for want, sends := range map[string][]mixer.Send{
		`there is no bus "c" to send to; the nearest is`:   {{To: "c"}},
		`two sends to bus "b"`:                             {{To: "b"}, {To: "b"}},
		`the voice is on bus "a", and sends to it, too`:    {{To: "a"}},
		`5 sends; a voice has at most 4`:                   make([]mixer.Send, 5),
		`25`:                                               {{To: "b", Gain: 25}},
		`there is no bus "master" to send to; the nearest`: {{To: "master"}},
	} {
		if _, err := m.Play(s, mixer.Options{Bus: busOf(t, m, "a"), EngineOptions: mixer.EngineOptions{Sends: sends}}); err == nil || !errors.Is(err, mixer.ErrOption) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant %s", err, want)
		}
	}
	h := play(t, m.Engine().At(0), s, mixer.Options{})
	if err := h.SetSend("c", 0, 0); err == nil || !strings.Contains(err.Error(), `no bus "c"`) {
		t.Errorf("the error is %v", err)
	}
	must(t, h.SetSend("b", 0, 0))
}

// TestVoiceSendsBits checks that voices with sends that start, end, fade and are stolen have the same
// bits in blocks of any length, and that Render does not allocate.
func TestVoiceSendsBits(t *testing.T) {
	render := func(block int) []pcm.Frame {
		m := newMixer(t, mixer.Config{
			Rate: 8000, Voices: 4, Virtual: 3, Buses: []mixer.BusConfig{{Name: "hall", Effects: []effect.Effect{newEffect(t, "delay", effect.Values{"time": 0.03})}}, {Name: "sfx"}},
		})
		for i := range 60 {
			o := mixer.Options{
				Gain: pcm.Decibels(-i % 13), Pan: float64(i%5)/2 - 1, Bus: busOf(t, m, "sfx"), Loop: i%3 == 0, Pitch: pcm.Semitones(i % 4), FadeIn: 3 * ms, EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(1 + i%3)},
			}
			if i%4 != 3 {
				o.Sends = []mixer.Send{{To: "hall", Gain: pcm.Decibels(-i % 20), Pre: i%4 == 1}}
			}
			play(t, m.Engine().At(int64(i*97)), level(t, 8000, 500+i*20, 0.3), o)
			must(t, m.Engine().At(int64(i*97+31)).SetSend(mixer.TargetTag(mixer.Tag(1+i%3)), "hall", pcm.Decibels(-i%40), time.Duration(i%9)*10*ms))
		}
		return inBlocks(m, 12000, block)
	}
	want := render(512)
	for _, block := range []int{1, 7, 64, 4096} {
		if got := render(block); !slices.Equal(got, want) {
			t.Errorf("in blocks of %d other frames come", block)
		}
	}
	m := newMixer(t, mixer.Config{Rate: 8000, Voices: 4, Buses: []mixer.BusConfig{{Name: "hall"}}})
	for i := range 200 {
		play(t, m.Engine().At(int64(i*40)), level(t, 8000, 300, 0.3), mixer.Options{EngineOptions: mixer.EngineOptions{Sends: []mixer.Send{{To: "hall", Gain: -3, Pre: i%2 == 0}}}})
	}
	block := make([]pcm.Frame, 40)
	if n := testing.AllocsPerRun(150, func() { m.Render(block) }); n != 0 {
		t.Errorf("a block allocates %v times", n)
	}
}

// TestFedBusesMoveSmoothly checks that gains of a bus with received sends, or with an echo alone, fade in
// 5 ms, and that a compressor processes its key while its own bus is silent.
func TestFedBusesMoveSmoothly(t *testing.T) {
	echo := newEffect(t, "delay", effect.Values{"time": 0.5, "feedback": 0})
	m := at1k(t, mixer.BusConfig{Name: "sfx", Sends: []mixer.Send{{To: "hall"}}, Gain: -80}, mixer.BusConfig{Name: "hall", Effects: []effect.Effect{echo}}, mixer.BusConfig{Name: "voices"})
	must(t, m.Engine().At(0).Set(mixer.TargetBus(busOf(t, m, "sfx")), mixer.Change{Fields: mixer.FieldGain, Gain: 0}, 0))
	play(t, m.Engine().At(0), level(t, 1000, 400, 0.5), mixer.Options{Pan: -1, Bus: busOf(t, m, "sfx")})
	play(t, m.Engine().At(1500), level(t, 1000, 400, 0.5), mixer.Options{Pan: -1, Gain: -80, EngineOptions: mixer.EngineOptions{Sends: []mixer.Send{{To: "voices", Gain: 0}}}})
	must(t, m.Engine().At(700).Set(mixer.TargetBus(busOf(t, m, "hall")), mixer.Change{Fields: mixer.FieldGain, Gain: -20}, 0))
	got := left(m, 900)
	if got[703] < 0.06 || got[703] > 0.45 || math.Abs(float64(got[720])-0.05) > 1e-6 {
		t.Errorf("an echo goes from %v by %v to %v", got[699], got[703], got[720])
	}
	pump := newEffect(t, "compressor", effect.Values{"threshold": -40, "ratio": 100, "attack": 0.1, "release": 1})
	pump.Key = "speech"
	m = at1k(t, mixer.BusConfig{Name: "music", Effects: []effect.Effect{pump}}, mixer.BusConfig{Name: "speech", Gain: -6})
	play(t, m.Engine().At(0), level(t, 1000, 3000, 1), mixer.Options{Pan: 1, Bus: busOf(t, m, "speech")})
	play(t, m.Engine().At(1000), level(t, 1000, 900, 1), mixer.Options{Pan: -1, Bus: busOf(t, m, "music")})
	if got := left(m, 1200); got[1010] > 0.05 {
		t.Errorf("music begins at %v under speech", got[1010])
	}
}

// TestSendsOfEndingMoves ends the fade of a mute during the fade of a send. The bits must not depend on
// blocks.
func TestSendsOfEndingMoves(t *testing.T) {
	render := func(block int) []pcm.Frame {
		m := newMixer(t, mixer.Config{Rate: 8000, NoLimiter: true, Buses: []mixer.BusConfig{{Name: "hall"}, {Name: "sfx", Mute: true}}})
		sfx := mixer.TargetBus(busOf(t, m, "sfx"))
		h := play(t, m.Engine().At(0), level(t, 8000, 4000, 0.5), mixer.Options{Bus: busOf(t, m, "sfx"), EngineOptions: mixer.EngineOptions{Sends: []mixer.Send{{To: "hall", Gain: -30}}}})
		must(t, m.Engine().At(900).SetSend(mixer.TargetVoice(h), "hall", 0, 300*ms))
		must(t, m.Engine().At(1003).Set(sfx, mixer.Change{Fields: mixer.FieldMute}, 0))
		return inBlocks(m, 4000, block)
	}
	want := render(4000)
	for _, block := range []int{1, 7, 160} {
		if i := differ(render(block), want); i >= 0 {
			t.Errorf("blocks of %d: other bits at frame %d", block, i)
		}
	}
}

// TestVoicePreSends checks that a pre-fader send excludes gain, pan and place, and includes base, filter,
// fades, mutes and tail. The other output of the voice must be unchanged, to the bit.
func TestVoicePreSends(t *testing.T) {
	db := func(x float64) float64 { return math.Pow(10, x/20) }
	for _, block := range []int{1, 7, 64, 999} {
		m := newMixer(t, mixer.Config{
			Rate: 1000, NoLimiter: true, Journal: 100, Outputs: []mixer.Output{{Name: "main", Channel: 1}, {Name: "wet", Channel: 3}},
			Buses: []mixer.BusConfig{{Name: "hall", Output: "wet"}, {Name: "sfx", Gain: -40}},
		})
		data := make([]float32, 6000)
		for i := range data {
			data[i] = 1 - float32(i%2)/2 // 1 on the left, a half on the right
		}
		h := play(t, m.Engine().At(50), sound(t, sounds.Samples{Rate: 1000, Channels: 2, Data: data}), mixer.Options{
			EngineOptions: mixer.EngineOptions{Base: mixer.Base{Gain: -3}, Sends: []mixer.Send{{To: "hall", Gain: -6, Pre: true}}}, Gain: -10, Pan: 1, Bus: busOf(t, m, "sfx"), FadeIn: 100 * ms,
		})
		must(t, m.Engine().At(300).SetGain(mixer.TargetVoice(h), -80))
		must(t, m.Engine().At(400).SetSend(mixer.TargetVoice(h), "hall", 0, 0))
		must(t, m.Engine().At(500).Set(mixer.TargetBus(busOf(t, m, "sfx")), mixer.Change{Fields: mixer.FieldMute, Mute: true}, 0))
		must(t, m.Engine().At(600).Set(mixer.TargetBus(busOf(t, m, "sfx")), mixer.Change{Fields: mixer.FieldMute, Mute: false}, 0))
		must(t, m.Engine().At(700).SetGain(mixer.TargetVoice(h), 0))
		must(t, m.Engine().At(800).Stop(mixer.TargetVoice(h), 0))
		out := inBlocks(m, 2*900, 2*block)
		for i, want := range map[int][3]float64{ // on the right of the bus, and in the reverb
			49: {0, 0, 0}, 100: {db(-53) / 4, db(-9) / 2, db(-9) / 4}, 200: {db(-53) / 2, db(-9), db(-9) / 2}, 350: {0, db(-9), db(-9) / 2},
			450: {0, db(-3), db(-3) / 2}, 550: {0, 0, 0}, 650: {0, db(-3), db(-3) / 2}, 750: {db(-43) / 2, db(-3), db(-3) / 2},
			805: {db(-43) / 4, db(-3) / 2, db(-3) / 4}, 810: {0, 0, 0},
		} {
			got := [3]float64{float64(out[2*i][1]), float64(out[2*i+1][0]), float64(out[2*i+1][1])}
			for c := range got {
				if math.Abs(got[c]-want[c]) > 1e-6 {
					t.Errorf("in blocks of %d: frame %d is %v, want %v", block, i, got, want)
					break
				}
			}
		}
		var e [1]mixer.Entry
		if m.Engine().Journal(e[:]); len(e[0].How.Sends) != 1 || !e[0].How.Sends[0].Pre {
			t.Errorf("the journal has %+v", e)
		}
	}
}

// TestVoicePreSendsPlace checks that a pre-fader send excludes the place and its mono mix, and includes
// the filter.
func TestVoicePreSendsPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, channels := range []int{1, 2} {
		s := sound(t, noise(r, 8000, channels, 4000))
		render := func(o mixer.Options, block int) (dry, wet []pcm.Frame) {
			m := newMixer(t, mixer.Config{
				Rate: 8000, NoLimiter: true, Outputs: []mixer.Output{{Name: "main", Channel: 1}, {Name: "wet", Channel: 3}},
				Buses: []mixer.BusConfig{{Name: "hall", Output: "wet"}, {Name: "sfx"}},
			})
			o.Bus, o.LowPass = busOf(t, m, "sfx"), 900
			h := play(t, m.Engine().At(3), s, o)
			if o.Emitter != nil {
				must(t, m.Engine().At(2000).SetPosition(mixer.TargetVoice(h), space.Spot{Position: space.Vector{9}}))
			}
			out := inBlocks(m, 2*5000, 2*block)
			for i := range 5000 {
				dry, wet = append(dry, out[2*i]), append(wet, out[2*i+1])
			}
			return dry, wet
		}
		sends := func(pre bool) []mixer.Send { return []mixer.Send{{To: "hall", Gain: -6, Pre: pre}} }
		far := mixer.Options{Gain: -12, Emitter: &space.Emitter{Spot: space.Spot{Position: space.Vector{-3, 0, -9}}}, EngineOptions: mixer.EngineOptions{Sends: sends(true)}}
		dry, wet := render(far, 64)
		near := mixer.Options{EngineOptions: mixer.EngineOptions{Sends: sends(false)}}
		_, want := render(near, 64)
		if !slices.Equal(wet, want) {
			t.Errorf("%d channels: the place or the gain is heard before the fader", channels)
		}
		for _, block := range blockLengths {
			d, w := render(far, block)
			if !slices.Equal(d, dry) || !slices.Equal(w, wet) {
				t.Errorf("%d channels, in blocks of %d: other frames come", channels, block)
			}
		}
		far.Sends = nil
		if plain, _ := render(far, 64); !slices.Equal(plain, dry) {
			t.Errorf("%d channels: a send before the fader changes what comes behind it", channels)
		}
	}
}

// TestSoloKeepsSends solos the bus of a voice. Its send to the reverb is still heard, and voices on the
// reverb bus are not, also while the solo fades, in blocks of any length.
func TestSoloKeepsSends(t *testing.T) {
	render := func(block int, own bool) []pcm.Frame {
		m := newMixer(t, mixer.Config{Rate: 8000, NoLimiter: true, Buses: []mixer.BusConfig{{Name: "hall"}, {Name: "sfx"}}})
		s := level(t, 8000, 8000, 0.125)
		play(t, m.Engine().At(0), s, mixer.Options{Bus: busOf(t, m, "sfx"), EngineOptions: mixer.EngineOptions{Sends: []mixer.Send{{To: "hall"}}}})
		if own {
			play(t, m.Engine().At(0), s, mixer.Options{Bus: busOf(t, m, "hall"), Gain: -6})
		}
		sfx := mixer.TargetBus(busOf(t, m, "sfx"))
		must(t, m.Engine().At(1003).Set(sfx, mixer.Change{Fields: mixer.FieldSolo, Solo: true}, 100*ms))
		must(t, m.Engine().At(4007).Set(sfx, mixer.Change{Fields: mixer.FieldSolo}, 100*ms))
		return inBlocks(m, 7000, block)
	}
	want := render(7000, true)
	for _, block := range []int{1, 7, 160, 999} {
		if i := differ(render(block, true), want); i >= 0 {
			t.Errorf("blocks of %d: other bits at frame %d", block, i)
		}
	}
	with, without := want, render(7000, false)
	at := func(out []pcm.Frame, frame int) float64 { return float64(out[frame][0]) }
	if got := at(without, 3000) / at(without, 500); math.Abs(got-1) > 1e-6 {
		t.Errorf("under the solo %v of a voice and its send are left", got)
	}
	if at(with, 500) < 1.1*at(without, 500) || math.Abs(at(with, 3000)/at(without, 3000)-1) > 1e-6 {
		t.Errorf("with a voice in the hall it is %v, under the solo %v; without one %v and %v", at(with, 500), at(with, 3000), at(without, 500), at(without, 3000))
	}
}

// TestSendMovesCount checks that a choice includes a moved send of a voice and a bus's first cutoff, in
// the same frame.
func TestSendMovesCount(t *testing.T) {
	s := rainy(t)
	m := newMixer(t, mixer.Config{Buses: []mixer.BusConfig{{Name: "hall"}, {Name: "sfx"}}})
	h := play(t, m.Engine().At(0), s, mixer.Options{Gain: -30, Loop: true, Bus: busOf(t, m, "sfx"), EngineOptions: mixer.EngineOptions{Sends: []mixer.Send{{To: "hall", Pre: true}}}})
	left(m, 1000)
	before := h.Audibility()
	must(t, h.SetSend("hall", -120, 0))
	left(m, 2000)
	if now := h.Audibility(); now > before-20 {
		t.Errorf("with its send closed it counts %v, before %v", now, before)
	}
	m = newMixer(t, mixer.Config{Buses: []mixer.BusConfig{{Name: "a"}}})
	h = play(t, m.Engine().At(0), s, mixer.Options{Loop: true, Bus: busOf(t, m, "a")})
	left(m, 1000)
	before = h.Audibility()
	must(t, busOf(t, m, "a").SetLowPass(100))
	m.Prepare()
	left(m, 2000)
	if now := h.Audibility(); now > before-20 {
		t.Errorf("behind a low-pass of its bus it counts %v, before %v", now, before)
	}
}
