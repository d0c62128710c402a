package scenetest

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/audiotest"
	"voicepool/device/null"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

const rate = 48000

// clip returns a mono sound from a function of the frame.
func clip(t testing.TB, name string, frames int, f func(i int) float64) *sounds.Sound {
	t.Helper()
	c := &library.Clip{Name: name, Channels: 1, Rate: rate}
	for i := range frames {
		c.Samples = append(c.Samples, float32(f(i)))
	}
	s, err := library.Prepare(c, library.Options{Rate: rate})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func tone(i int, hz float64) float64 { return math.Sin(2 * math.Pi * hz * float64(i) / rate) }

// stepped returns a mixer with a manually stepped device.
func stepped(t testing.TB, c mixer.Config) (*mixer.Mixer, *null.Stepped) {
	t.Helper()
	m, err := mixer.New(c)
	if err != nil {
		t.Fatal(err)
	}
	d := null.NewStepped(null.Config{Rate: m.Rate()})
	if err := d.Start(m); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return m, d
}

func playSound(t testing.TB, m *mixer.Mixer, s *sounds.Sound, o mixer.Options) mixer.Handle {
	t.Helper()
	h, err := m.Play(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestTheQuietestGivesWay checks that with all voices busy the quietest is stolen, and that the incoming
// start's first sample is exact.
func TestTheQuietestGivesWay(t *testing.T) {
	a := audiotest.New(t, mixer.Config{Voices: 3, NoLimiter: true})
	for name, gain := range map[string]pcm.Decibels{"loud": 0, "soft": -24, "middle": -12} {
		hum := clip(t, name, rate, func(i int) float64 { return 0.25 * tone(i, 220) })
		playSound(t, a.Mixer(), hum, mixer.Options{Pan: 1, Gain: gain})
	}
	a.Step(20 * time.Millisecond)
	hit := clip(t, "hit", 4800, func(i int) float64 { return 0.5 * tone(i+7, 1000) })
	playSound(t, a.Mixer(), hit, mixer.Options{Pan: -1})
	a.Step(80 * time.Millisecond)
	a.Stolen("soft").By("hit")
	if st := a.Mixer().Stats(); st.Stolen != 1 || st.Playing != 3 {
		t.Errorf("%d voices were stolen, %d play", st.Stolen, st.Playing)
	}
	a.Heard("hit").At(20 * time.Millisecond).Left()
	for i, f := range a.Mix()[960:] {
		if want := hit.Samples()[i]; f[0] != want {
			t.Fatalf("frame %d of the newcomer is %v, want %v", i, f[0], want)
		}
	}
}

// TestTheFutureCounts checks that the score includes upcoming audio. A door that is silent between two knocks
// stays; a decaying bell that is louder at this moment is stolen.
func TestTheFutureCounts(t *testing.T) {
	a := audiotest.New(t, mixer.Config{Voices: 2})
	knock := clip(t, "knock", rate, func(i int) float64 {
		if i < 4800 || i >= 24000 && i < 33600 {
			return 0.5 * tone(i, 300)
		}
		return 0
	})
	bell := clip(t, "bell", rate, func(i int) float64 { return 0.5 * math.Exp(-float64(i)/4000) * tone(i, 1000) })
	playSound(t, a.Mixer(), knock, mixer.Options{})
	playSound(t, a.Mixer(), bell, mixer.Options{})
	a.Step(320 * time.Millisecond) // at 320 ms the knock pauses and the bell has -37 dB
	for i := 14400; i < 15360; i++ {
		if door, dying := a.Stem("knock")[i], a.Stem("bell")[i]; door != (pcm.Frame{}) || dying == (pcm.Frame{}) && i%24 != 0 {
			t.Fatalf("frame %d: the bell should be heard where the door is silent, not %v and %v", i, dying, door)
		}
	}
	again := clip(t, "bell again", rate, func(i int) float64 { return float64(bell.Samples()[i]) })
	playSound(t, a.Mixer(), again, mixer.Options{})
	a.Step(20 * time.Millisecond)
	a.Stolen("bell").By("bell again")
	if n := a.Mixer().Stats().Stolen; n != 1 {
		t.Errorf("%d voices were stolen, want the bell alone", n)
	}
}

// TestAnOverloadedSecond starts 400 sounds within a second on 8 voices. It compares every frame with a sum
// built from the events: when each voice sounded, and the 10 ms tail of each victim.
func TestAnOverloadedSecond(t *testing.T) {
	m, d := stepped(t, mixer.Config{Voices: 8, NoLimiter: true})
	var sources []*sounds.Sound
	for k := range 7 {
		sources = append(sources, clip(t, "s", 4800+2400*k, func(i int) float64 {
			return 0.1 * math.Exp(-float64(i)/float64(3000+1000*k)) * tone(i, 200+130*float64(k))
		}))
	}
	type start struct {
		sound *sounds.Sound
		frame int64
		gain  pcm.Decibels
	}
	var asked []start
	for i := range 400 {
		s := start{sources[i%7], int64(i*117 + i*i%50), pcm.Decibels(-i * 7 % 24)}
		if _, err := m.Engine().At(s.frame).Play(s.sound, mixer.Options{Pan: -1, Gain: s.gain, EngineOptions: mixer.EngineOptions{Ref: mixer.Ref(i)}}); err != nil {
			t.Fatal(err)
		}
		asked = append(asked, s)
	}
	var got []pcm.Frame
	for range 60 {
		got = append(got, d.Step(1200)...)
	}
	st := m.Stats()
	if st.Asked != 400 || st.Started != 400 || st.Playing != 0 || st.HighWater != 8 || st.Stolen < 100 || st.Stolen+st.Ended != 400 || st.EventsLost != 0 {
		t.Fatalf("%+v", st)
	}
	want := make([]float64, len(got))
	events := make([]mixer.Event, 2000)
	began := map[uint64]int64{}
	living := 0
	for _, e := range events[:m.Events(events)] {
		s := asked[e.Ref]
		gain := s.gain.Linear()
		from := began[e.Voice]
		switch e.Kind {
		case mixer.EventStarted:
			if e.Frame != s.frame {
				t.Fatalf("start %d is at frame %d, asked for %d", e.Ref, e.Frame, s.frame)
			}
			began[e.Voice] = e.Frame
			if living++; living > 8 {
				t.Fatalf("%d voices live at frame %d", living, e.Frame)
			}
			continue
		case mixer.EventStolen:
			if from == e.Frame { // it never sounded
				break
			}
			for i := int64(0); i < 480 && e.Frame+i-from < s.sound.Frames(); i++ {
				w := 0.5 + 0.5*math.Cos(math.Pi*float64(i)/480)
				want[e.Frame+i] += w * gain * float64(s.sound.Samples()[e.Frame+i-from])
			}
		case mixer.EventEnded:
			if e.Frame-from != s.sound.Frames() {
				t.Fatalf("start %d ended after %d frames of %d", e.Ref, e.Frame-from, s.sound.Frames())
			}
		}
		living--
		for f := from; f < e.Frame; f++ {
			want[f] += gain * float64(s.sound.Samples()[f-from])
		}
	}
	for i := range got {
		if math.Abs(float64(got[i][0])-want[i]) > 1e-6 || got[i][1] != 0 {
			t.Fatalf("frame %d is %v, the sum of what lived is %v", i, got[i], want[i])
		}
	}
}

// TestAMinute plays a minute against a real-time device; under synctest the time passes at once.
func TestAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := mixer.New(mixer.Config{Voices: 4})
		if err != nil {
			t.Fatal(err)
		}
		d := null.NewPaced(null.Config{Rate: rate})
		if err := d.Start(m); err != nil {
			t.Fatal(err)
		}
		tick := clip(t, "tick", 24000, func(i int) float64 { return 0.5 * tone(i, 440) })
		for range 120 {
			if _, err := m.Play(tick, mixer.Options{}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(500 * time.Millisecond)
		}
		time.Sleep(time.Second)
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		st := m.Stats()
		if st.Started != 120 || st.Ended != 120 || st.Stolen != 0 || st.Frame < 61*rate || st.Frame > 61*rate+4*rate/10 {
			t.Errorf("after a minute and a second: %+v", st)
		}
	})
}
