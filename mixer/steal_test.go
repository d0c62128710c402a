package mixer_test

import (
	"math"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

func TestCooldownAndLimits(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 8, Buses: []mixer.BusConfig{{Name: "sfx", Voices: 2}}})
	s := level(t, 1000, 500, 0.5)
	g, _ := m.NewGroup("g", mixer.GroupOptions{Voices: 2, Cooldown: 10 * time.Millisecond})
	bus, _ := m.Bus("sfx")
	for _, frame := range []int64{0, 9, 10, 20} { // 9 is too soon, 10 is not; 20 steals in the group
		play(t, m.Engine().At(frame), s, mixer.Options{Group: g, Gain: pcm.Decibels(-frame)})
	}
	for _, frame := range []int64{30, 31, 32} {
		play(t, m.Engine().At(frame), s, mixer.Options{Bus: bus, Gain: pcm.Decibels(frame - 40)})
	}
	play(t, m.Engine().At(40), s, mixer.Options{Group: g, Priority: -1}) // all voices of the group have a higher priority
	left(m, 50)
	ev := make([]mixer.Event, 50)
	ev = ev[:m.Events(ev)]
	type line struct {
		frame  int64
		kind   mixer.EventKind
		reason mixer.Reason
		voice  uint64
		by     uint64
	}
	want := []line{
		{frame: 0, kind: mixer.EventStarted, voice: 1},
		{frame: 9, kind: mixer.EventLimited, reason: mixer.ReasonCooldown},
		{frame: 10, kind: mixer.EventStarted, voice: 2},
		{frame: 20, kind: mixer.EventStolen, reason: mixer.ReasonGroupLimit, voice: 2, by: 3},
		{frame: 20, kind: mixer.EventStarted, voice: 3},
		{frame: 30, kind: mixer.EventStarted, voice: 4},
		{frame: 31, kind: mixer.EventStarted, voice: 5},
		{frame: 32, kind: mixer.EventStolen, reason: mixer.ReasonBusLimit, voice: 4, by: 6},
		{frame: 32, kind: mixer.EventStarted, voice: 6},
		{frame: 40, kind: mixer.EventLimited, reason: mixer.ReasonGroupLimit},
	}
	if len(ev) != len(want) {
		t.Fatalf("%d events: %+v", len(ev), ev)
	}
	for i, w := range want {
		if got := (line{frame: ev[i].Frame, kind: ev[i].Kind, reason: ev[i].Reason, voice: ev[i].Voice, by: flatEvent(ev[i]).By}); got != w {
			t.Errorf("event %d is %+v, want %+v", i, got, w)
		}
	}
}

// TestFuture checks the central rule: a voice in a quiet passage with a loud future stays, and a voice
// that is louder now but fading is stolen.
func TestFuture(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2})
	data := make([]float32, 400)
	knock := sound(t, sounds.Samples{Name: "knock", Rate: 1000, Channels: 1, Data: data, Envelope: sounds.Envelope{Hop: 20, Once: []float32{.1, .1, .1, .1, .1, .1, .1, .1, .1, .1}}})
	fading := sound(t, sounds.Samples{Name: "fading", Rate: 1000, Channels: 1, Data: data, Envelope: sounds.Envelope{Hop: 20, Once: []float32{.5, .4, .3, .2, .1, .05, .02, .01}}})
	a := play(t, m.Engine().At(0), knock, mixer.Options{})
	b := play(t, m.Engine().At(0), fading, mixer.Options{})
	play(t, m.Engine().At(100), knock, mixer.Options{})
	left(m, 200)
	if a.State() != mixer.StatePlaying || b.State() != mixer.StateStolen {
		t.Errorf("the knock is %v, the fading one %v", a.State(), b.State())
	}
	ev := make([]mixer.Event, 9)
	for _, e := range ev[:m.Events(ev)] {
		if e.Kind == mixer.EventStolen && (e.Steal.Audibility != pcm.FromPower(float64(float32(0.05))) || e.Steal.RunnerUp != pcm.FromPower(float64(float32(0.1))) || e.Steal.Candidates != 2) {
			t.Errorf("decided by %+v", e)
		}
	}
}

// TestTiesOfGain checks that of two voices with the same gain the older is stolen, not the quieter.
func TestTiesOfGain(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2, Overflow: mixer.StealGain})
	a := play(t, m.Engine().At(0), level(t, 1000, 500, 0.5), mixer.Options{Gain: -6})
	b := play(t, m.Engine().At(0), level(t, 1000, 500, 0.1), mixer.Options{Gain: -6})
	play(t, m.Engine().At(10), level(t, 1000, 500, 0.5), mixer.Options{})
	left(m, 20)
	if a.State() != mixer.StateStolen || b.State() != mixer.StatePlaying {
		t.Errorf("the older one is %v, the quieter one %v", a.State(), b.State())
	}
}

func TestPriorityProtectRefuse(t *testing.T) {
	s := level(t, 1000, 500, 0.5)
	run := func(c mixer.Config, first, second, incoming mixer.Options) (a, b, n mixer.State) {
		c.Rate, c.Voices = 1000, 2
		m := newMixer(t, c)
		x, y := play(t, m.Engine().At(0), s, first), play(t, m.Engine().At(0), s, second)
		z := play(t, m.Engine().At(10), s, incoming)
		left(m, 20)
		return x.State(), y.State(), z.State()
	}
	loud, soft := mixer.Options{}, mixer.Options{Gain: -30}
	high := func(o mixer.Options, p int) mixer.Options { o.Priority = p; return o }
	protect := func(o mixer.Options) mixer.Options { o.Protect = true; return o }
	const p, st, rej = mixer.StatePlaying, mixer.StateStolen, mixer.StateRejected
	for _, c := range []struct {
		name                                 string
		config                               mixer.Config
		older, younger, incoming             mixer.Options
		wantOlder, wantYounger, wantIncoming mixer.State
	}{
		{name: "the quietest goes", older: loud, younger: soft, incoming: loud, wantOlder: p, wantYounger: st, wantIncoming: p},
		{name: "ties take the older", older: loud, younger: loud, incoming: loud, wantOlder: st, wantYounger: p, wantIncoming: p},
		{name: "the lowest priority goes first", older: loud, younger: high(soft, 1), incoming: high(loud, 2), wantOlder: st, wantYounger: p, wantIncoming: p},
		{name: "a higher one does not give way", older: high(loud, 5), younger: high(soft, 5), incoming: loud, wantOlder: p, wantYounger: p, wantIncoming: rej},
		{name: "an equal one does", older: high(loud, 5), younger: high(soft, 5), incoming: high(soft, 5), wantOlder: p, wantYounger: st, wantIncoming: p},
		{name: "a protected one stays", older: loud, younger: protect(soft), incoming: loud, wantOlder: st, wantYounger: p, wantIncoming: p},
		{name: "all protected", older: protect(loud), younger: protect(soft), incoming: high(loud, 1000000), wantOlder: p, wantYounger: p, wantIncoming: rej},
		{name: "oldest", config: mixer.Config{Overflow: mixer.StealOldest}, older: loud, younger: soft, incoming: loud, wantOlder: st, wantYounger: p, wantIncoming: p},
		{name: "gain", config: mixer.Config{Overflow: mixer.StealGain}, older: loud, younger: soft, incoming: loud, wantOlder: p, wantYounger: st, wantIncoming: p},
		{name: "reject", config: mixer.Config{Overflow: mixer.Reject}, older: loud, younger: soft, incoming: loud, wantOlder: p, wantYounger: p, wantIncoming: rej},
		{name: "refuse the faintest", config: mixer.Config{RejectQuietest: true}, older: loud, younger: loud, incoming: mixer.Options{Gain: -20}, wantOlder: p, wantYounger: p, wantIncoming: rej},
		{name: "refuse needs 6 dB", config: mixer.Config{RejectQuietest: true}, older: loud, younger: loud, incoming: mixer.Options{Gain: -5.9}, wantOlder: st, wantYounger: p, wantIncoming: p},
		{name: "refuse looks at equals", config: mixer.Config{RejectQuietest: true}, older: loud, younger: loud, incoming: high(soft, 1), wantOlder: st, wantYounger: p, wantIncoming: p},
		{name: "grow", config: mixer.Config{Overflow: mixer.GrowPool, Grow: mixer.Grow{Max: 3}}, older: loud, younger: soft, incoming: loud, wantOlder: p, wantYounger: p, wantIncoming: p},
	} {
		if a, b, n := run(c.config, c.older, c.younger, c.incoming); a != c.wantOlder || b != c.wantYounger || n != c.wantIncoming {
			t.Errorf("%s: %v, %v, incoming %v; want %v, %v, %v", c.name, a, b, n, c.wantOlder, c.wantYounger, c.wantIncoming)
		}
	}
}

func TestAttackOfTheNewcomerIsExact(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, NoLimiter: true})
	play(t, m.Engine().At(0), level(t, 1000, 500, 1), mixer.Options{Pan: 1})
	play(t, m.Engine().At(50), ramp(t, 1000, 100), hardLeft)
	block := make([]pcm.Frame, 100)
	m.Render(block)
	for i := range 50 {
		if block[50+i][0] != float32(i+1)/1024 {
			t.Fatalf("frame %d of the newcomer is %v", i, block[50+i][0])
		}
		want := 0.0
		if i < 10 {
			want = 0.5 + 0.5*math.Cos(math.Pi*float64(i)/10)
		}
		if math.Abs(float64(block[50+i][1])-want) > 1e-6 {
			t.Errorf("frame %d of the tail is %v, want %v", i, block[50+i][1], want)
		}
	}
}

// TestNothingToPlay checks that an empty sound steals no voice.
func TestNothingToPlay(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1})
	long := play(t, m.Engine().At(0), level(t, 1000, 100, 0.5), mixer.Options{})
	h := play(t, m.Engine().At(10), level(t, 1000, 0, 0), mixer.Options{})
	late := play(t, m.Engine().At(10), level(t, 1000, 100, 0.5), mixer.Options{From: time.Second})
	short := play(t, m.Engine().At(50), level(t, 1000, 100, 0.5), mixer.Options{For: time.Microsecond, Priority: -1})
	left(m, 20)
	if long.State() != mixer.StatePlaying || h.State() != mixer.StateEnded || late.State() != mixer.StateEnded {
		t.Errorf("%v, %v, %v", long.State(), h.State(), late.State())
	}
	long.Stop(0)
	left(m, 40)
	if got := short.State(); got != mixer.StateEnded {
		t.Errorf("a voice for less than a frame is %v", got)
	}
}

// TestWhyNobody checks that a rejected start reports whether protection or priority is the reason.
func TestWhyNobody(t *testing.T) {
	s := level(t, 1000, 100, 0.5)
	for _, c := range []struct {
		first mixer.Options
		want  mixer.Reason
	}{{mixer.Options{EngineOptions: mixer.EngineOptions{Protect: true}}, mixer.ReasonProtected}, {mixer.Options{Priority: 9}, mixer.ReasonOutranked}} {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1})
		play(t, m.Engine().At(0), s, c.first)
		play(t, m.Engine().At(1), s, mixer.Options{})
		left(m, 10)
		ev := make([]mixer.Event, 9)
		ev = ev[:m.Events(ev)]
		if len(ev) != 2 || ev[1].Kind != mixer.EventRejected || ev[1].Reason != c.want {
			t.Errorf("%+v, want %v", ev, c.want)
		}
	}
}

// TestOpposingMoves checks that each fade counts separately with the larger of its current and target
// value: a falling voice on a rising bus does not count as silent.
func TestOpposingMoves(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2, Buses: []mixer.BusConfig{{Name: "sfx", Gain: -80}}})
	bus, _ := m.Bus("sfx")
	s := level(t, 1000, 5000, 0.5)
	moving := play(t, m.Engine().At(0), s, mixer.Options{Bus: bus})
	steady := play(t, m.Engine().At(0), s, mixer.Options{Gain: -40})
	m.Engine().At(10).Set(mixer.TargetBus(bus), mixer.Change{Fields: mixer.FieldGain}, 100*time.Millisecond)
	m.Engine().At(10).Set(mixer.TargetVoice(moving), mixer.Change{Fields: mixer.FieldGain, Gain: -80}, 3*time.Second)
	play(t, m.Engine().At(12), s, mixer.Options{})
	left(m, 20)
	if a, b := moving.State(), steady.State(); a != mixer.StatePlaying || b != mixer.StateStolen {
		t.Errorf("the moving voice is %v, the steady one %v", a, b)
	}
}

// TestTailIsRounded checks that 10 ms at 22,050 Hz are 221 frames, not 220.
func TestTailIsRounded(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 22050, NoLimiter: true})
	h := play(t, m.Engine().At(0), level(t, 22050, 5000, 0.5), mixer.Options{})
	m.Engine().At(100).Stop(mixer.TargetVoice(h), 0)
	left(m, 1000)
	if got := m.Stats().SilentFrom; got != 321 {
		t.Errorf("the tail ends at %d, want 321", got)
	}
}
