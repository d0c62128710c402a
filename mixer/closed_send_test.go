package mixer_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"voicepool/effect"
	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
)

// echoHall returns a bus with echoes, and a bus that sends to it and feeds another bus with echoes.
func echoHall(t *testing.T, send mixer.Send) []mixer.BusConfig {
	echo := newEffect(t, "delay", effect.Values{"time": 0.1, "feedback": 0.5})
	return []mixer.BusConfig{
		{Name: "hall", Effects: []effect.Effect{echo}}, {Name: "group", Effects: []effect.Effect{echo}},
		{Name: "sfx", Parent: "group", Sends: []mixer.Send{send}}, {Name: "dry", Parent: "group"},
	}
}

// TestNothingRingsBehindSilence checks that sound behind closed gains leaves Stats.RingsUntil at 0 and
// lets the mixer sleep.
func TestNothingRingsBehindSilence(t *testing.T) {
	silent := pcm.Decibels(math.Inf(-1))
	for _, c := range []struct {
		name   string
		send   mixer.Send // of the bus
		voice  mixer.Options
		gain   pcm.Decibels // of the bus
		mute   bool
		volume pcm.Decibels
		before bool // set while the mixer runs, instead of in the configuration
		rings  bool
	}{
		{name: "an open send behind a closed gain", send: mixer.Send{Gain: -20}, gain: silent},
		{name: "a closed send", send: mixer.Send{Gain: -80}, gain: silent},
		{name: "a send of -120 dB", send: mixer.Send{Gain: -120, Pre: true}, gain: -80},
		{name: "an open send before the gain", send: mixer.Send{Gain: -20, Pre: true}, gain: -80, rings: true},
		{name: "a closed send of a voice", send: mixer.Send{Gain: -80}, gain: silent, voice: mixer.Options{EngineOptions: mixer.EngineOptions{Sends: []mixer.Send{{To: "hall", Gain: -80}}}}},
		{name: "an open send of a voice", send: mixer.Send{Gain: -80}, gain: silent, voice: mixer.Options{EngineOptions: mixer.EngineOptions{Sends: []mixer.Send{{To: "hall"}}}}, rings: true},
		{name: "an open bus", send: mixer.Send{Gain: -80}, rings: true},
		{name: "a muted bus", send: mixer.Send{Gain: -80}, mute: true},
		{name: "a closed bus, set later", send: mixer.Send{Gain: -80}, gain: silent, before: true},
		{name: "a volume of silence", send: mixer.Send{Gain: -80}, volume: silent, before: true},
		{name: "a muted bus, set later", send: mixer.Send{Gain: -80}, mute: true, before: true},
	} {
		c.send.To = "hall"
		buses := echoHall(t, c.send)
		if !c.before {
			buses[2].Gain, buses[2].Mute = c.gain, c.mute
		}
		m := at1k(t, buses...)
		sfx := busOf(t, m, "sfx")
		if c.before {
			must(t, sfx.SetGain(c.gain))
			must(t, sfx.SetMute(c.mute))
			must(t, sfx.SetVolume(c.volume))
			left(m, 20)
		}
		c.voice.Bus = sfx
		play(t, m.Engine().At(m.Now()), level(t, 1000, 50, 1), c.voice)
		left(m, 100)
		if got := m.Stats().RingsUntil; got > 0 != c.rings {
			t.Errorf("%s: it rings until %d", c.name, got)
		}
		if sleeps := m.Sleep(time.Now()); sleeps == c.rings {
			t.Errorf("%s: it sleeps: %v", c.name, sleeps)
		}
	}
}

// TestRingsUntilIsLateEnough opens and closes sends, gains, volumes and mutes at random. The output must be silent
// after the last voice and RingsUntil, and equal in blocks of any length.
func TestRingsUntilIsLateEnough(t *testing.T) {
	loud := 0
	for seed := range uint64(longtest.Amount(30, 150)) {
		var first []float32
		for _, block := range []int{1, 17, 400} {
			r := rand.New(rand.NewPCG(seed, 9))
			gain := func() pcm.Decibels { return []pcm.Decibels{0, -20, -80, -120}[r.IntN(4)] }
			m := at1k(t, echoHall(t, mixer.Send{To: "hall", Gain: gain(), Pre: r.IntN(2) == 0})...)
			ends := int64(0)
			for range 3 {
				o := mixer.Options{Bus: busOf(t, m, []string{"sfx", "dry"}[r.IntN(2)])}
				if r.IntN(2) == 0 {
					o.Sends = []mixer.Send{{To: "hall", Gain: gain(), Pre: r.IntN(2) == 0}}
				}
				begin := r.Int64N(700)
				h := play(t, m.Engine().At(begin), level(t, 1000, 1+r.IntN(150), 0.2), o)
				ends = max(ends, begin+160)
				for range r.IntN(3) {
					must(t, m.Engine().At(begin+r.Int64N(200)).SetSend(mixer.TargetVoice(h), "hall", gain(), time.Duration(r.IntN(100))*time.Millisecond))
				}
			}
			for range r.IntN(8) {
				name := []string{"sfx", "dry", "group", "hall"}[r.IntN(4)]
				at, bus, within := m.Engine().At(r.Int64N(700)), mixer.TargetBus(busOf(t, m, name)), time.Duration(r.IntN(100))*time.Millisecond
				switch r.IntN(4) {
				case 0:
					must(t, at.Fade(bus, gain(), within))
				case 1:
					must(t, at.Set(bus, mixer.Change{Fields: mixer.FieldMute, Mute: r.IntN(2) == 0}, within))
				case 2:
					must(t, at.Set(bus, mixer.Change{Fields: mixer.FieldVolume, Volume: gain()}, within))
				case 3:
					must(t, at.SetSend(mixer.TargetBus(busOf(t, m, "sfx")), "hall", gain(), within))
				}
			}
			var out []float32
			for len(out) < 4000 {
				out = append(out, left(m, min(block, 4000-len(out)))...)
			}
			last := int64(-1)
			for i, x := range out {
				if math.Abs(float64(x)) > 3.17e-5 {
					last = int64(i)
				}
			}
			st := m.Stats()
			if last >= max(st.RingsUntil, ends) {
				t.Errorf("seed %d: frame %d is heard, the voices are over at %d, and effects ring until %d", seed, last, ends, st.RingsUntil)
			}
			if last >= ends {
				loud++
			}
			out = append(out, float32(st.RingsUntil), float32(st.SilentFrom))
			if first == nil {
				first = out
			} else if !slices.Equal(out, first) {
				t.Errorf("seed %d: blocks of %d give something else", seed, block)
			}
		}
	}
	if loud < 50 {
		t.Errorf("effects ring in %d runs, too few to prove anything", loud)
	}
}
