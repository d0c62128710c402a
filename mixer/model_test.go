package mixer_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestAgainstModel sends random calls to a mixer and to the model, and renders blocks of random lengths
// in between. Voices, events, handles and counters must agree. The output must agree within
// heard.tolerance.
func TestAgainstModel(t *testing.T) {
	calls := 1080
	if !longtest.Enabled() || raceDetector {
		calls = 200
	}
	defer longtest.Checks(30)()
	var made, frames, ties, stolen int64
	kinds := map[mixer.EventKind]int{}
	reasons := map[mixer.Reason]int{}
	rapid.Check(t, func(rt *rapid.T) {
		d := newModelTest(t, rt, rapid.Uint64().Draw(rt, "config"))
		for i, seed := range rapid.SliceOfN(rapid.Uint64(), calls, calls).Draw(rt, "calls") {
			if seed != 0 { // 0 is the shrunk value
				d.call(rand.New(rand.NewPCG(seed, uint64(i))))
				made++
			}
		}
		d.finish()
		ties, frames, stolen = ties+int64(d.model.ties), frames+d.model.now, stolen+d.model.stats.Stolen
		for k, n := range d.kinds {
			kinds[k] += n
		}
		for k, n := range d.reasons {
			reasons[k] += n
		}
	})
	t.Logf("%d calls, %d frames, %d stolen, %d near-ties; %v, %v", made, frames, stolen, ties, kinds, reasons)
	if !longtest.Enabled() || raceDetector {
		return
	}
	for _, k := range []mixer.EventKind{mixer.EventStarted, mixer.EventEnded, mixer.EventStopped, mixer.EventStolen, mixer.EventRejected, mixer.EventLimited, mixer.EventMissed, mixer.EventCoalesced} {
		if kinds[k] == 0 && !t.Failed() {
			t.Errorf("nothing was ever %v: it proves too little", k)
		}
	}
	for _, r := range []mixer.Reason{mixer.ReasonPoolFull, mixer.ReasonGroupLimit, mixer.ReasonBusLimit, mixer.ReasonCooldown, mixer.ReasonResize, mixer.ReasonQuieter, mixer.ReasonProtected, mixer.ReasonOutranked} {
		if reasons[r] == 0 && !t.Failed() {
			t.Errorf("nothing ever happened because of %v: it proves too little", r)
		}
	}
}

// modelTest is a mixer with its model.
type modelTest struct {
	t       *rapid.T
	m       *mixer.Mixer
	model   *model
	sounds  []*sounds.Sound
	counts  bool // rounds are counted, and loops left
	seeks   bool
	groups  []*modelGroup
	plays   []*modelPlay
	log     []string
	kinds   map[mixer.EventKind]int
	reasons map[mixer.Reason]int
	block   []pcm.Frame
	events  []mixer.Event
}

// newModelTest returns a mixer and its model with a random configuration, drawn from seed.
func newModelTest(t *testing.T, rt *rapid.T, seed uint64) *modelTest {
	r := rand.New(rand.NewPCG(seed, 7))
	c := mixer.Config{ // no duck's Above is a whole number of decibels, so that rounding does not decide
		Rate: []int{1000, 1000, 1000, 8000}[r.IntN(4)], Voices: 1 + r.IntN(8), MaxVoices: 12, NoLimiter: true, Commands: longtest.Amount(512, 8192),
		Overflow: mixer.Overflow(r.IntN(5)), Grow: mixer.Grow{Step: 2, Max: 11, Idle: 70 * time.Millisecond},
		MasterGain: pcm.Decibels(-r.IntN(3)),
		Buses: []mixer.BusConfig{
			{Name: "top", Gain: -1, Voices: r.IntN(8)},
			{Name: "left", Parent: "top", Pan: -0.3, Voices: r.IntN(4), Pitch: pcm.Semitones(r.IntN(2))},
			{Name: "right", Parent: "top", Mute: r.IntN(4) == 0, Duck: mixer.Duck{When: "left", By: 9, Above: -49.91 + pcm.Decibels(30*r.IntN(2)), Attack: 3 * time.Millisecond, Hold: time.Duration(r.IntN(2)) * 20 * time.Millisecond, Release: 30 * time.Millisecond}},
			{Name: "music", Solo: r.IntN(6) == 0, Duck: mixer.Duck{When: "top", By: 6, Above: pcm.Decibels(-75 + 70*r.Float64()), Release: 90 * time.Millisecond}},
		},
	}
	c.RejectQuietest = (c.Overflow == mixer.StealQuietest || c.Overflow == mixer.GrowPool) && r.IntN(2) == 0
	d := &modelTest{
		t: rt, m: newMixer(t, c), block: make([]pcm.Frame, 4096), events: make([]mixer.Event, 8192),
		kinds: map[mixer.EventKind]int{}, reasons: map[mixer.Reason]int{}, counts: r.IntN(2) == 0,
	}
	d.seeks = !d.counts // the rounds after a seek are not specified
	d.log = append(d.log, fmt.Sprintf("%+v", c))
	d.model = newModel(d.m, c, func(format string, a ...any) {
		rt.Fatalf("%s\n"+format, append([]any{d.last()}, a...)...)
	})
	d.sounds = modelSounds(t, c.Rate, d.counts)
	for i, o := range []mixer.GroupOptions{
		{Voices: 2}, {Cooldown: 12 * time.Millisecond}, {Coalesce: 25 * time.Millisecond, Voices: 3}, {Coalesce: 8 * time.Millisecond, Most: 3, Cooldown: 20 * time.Millisecond},
	} {
		g, err := d.m.NewGroup(fmt.Sprint("g", i), o)
		if err != nil {
			t.Fatal(err)
		}
		if o.Most == 0 {
			o.Most = 6
		}
		d.groups = append(d.groups, &modelGroup{
			g: g, limit: o.Voices, cooldown: d.model.frames(o.Cooldown), within: d.model.frames(o.Coalesce), most: math.Pow(10, float64(o.Most)/10),
		})
	}
	return d
}

// last returns the last calls.
func (d *modelTest) last() string {
	return strings.Join(d.log[:1], "") + "\n" + strings.Join(d.log[max(len(d.log)-60, 1):], "\n")
}

// modelSounds returns tones and noise, mono and stereo, of several lengths, some with an index. The index
// of looping voices is different, except if loops are left: the frame at which such a voice stops looping
// is not specified. All tests share the sounds.
func modelSounds(t testing.TB, rate int, counts bool) []*sounds.Sound {
	key := modelSoundsKey{rate, counts}
	if modelSoundsMade[key] == nil {
		modelSoundsMade[key] = newModelSounds(t, rate, counts)
	}
	return modelSoundsMade[key]
}

type modelSoundsKey struct {
	rate   int
	counts bool
}

var modelSoundsMade = map[modelSoundsKey][]*sounds.Sound{}

// newModelSounds makes the sounds of modelSounds.
func newModelSounds(t testing.TB, rate int, counts bool) (all []*sounds.Sound) {
	r := rand.New(rand.NewPCG(3, 4))
	ms := rate / 1000
	for i, n := range []int{0, 1, 35, 90, 150, 280, 400, 700, 1000, 1600} {
		n *= ms
		s := sounds.Samples{Name: fmt.Sprint("m", i), Rate: rate, Channels: 1 + i%2}
		for range n * s.Channels {
			s.Data = append(s.Data, float32(r.Float64()-0.5))
		}
		if i%3 == 1 && n >= 90 {
			s.Loop = [2]int64{int64(n / 4), int64(n/4 + 64 + n/8)}
		}
		if i == 8 { // a loop that is repeated within its seam
			s.Loop = [2]int64{30, 37}
		}
		for at := 0; at < n && i%4 != 3; at += rate / 50 {
			fade := 1 - float64(at)/float64(n)
			s.Envelope.Hop = int64(rate / 50)
			s.Envelope.Once = append(s.Envelope.Once, float32(0.1*fade*fade*(0.5+r.Float64())))
			if i%2 == 0 && !counts {
				s.Envelope.Loop = append(s.Envelope.Loop, float32(0.05+0.02*r.Float64()))
			}
		}
		all = append(all, sound(t, s))
	}
	return all
}

// say appends a formatted call to the log, which a failure prints.
func (d *modelTest) say(format string, a ...any) {
	d.log = append(d.log, fmt.Sprintf("%d: ", d.model.now)+fmt.Sprintf(format, a...))
}

// pick returns a random element of from.
func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// call makes one random call to both, or renders a block.
func (d *modelTest) call(r *rand.Rand) {
	switch n := r.IntN(100); {
	case n < 15:
		d.render(pick(r, 0, 1, 2, 7, 20, 33, 60, 150) * pick(r, 1, 1, 1, d.model.rate/1000))
	case n < 45:
		d.play(r)
	case n < 70:
		d.handle(r)
	case n < 98:
		d.moment(r)
	case n < 99:
		n := 1 + r.IntN(d.model.config.MaxVoices)
		d.say("Resize %d", n)
		d.check(d.m.Engine().At(mixer.Now).Resize(n))
		d.model.send(modelCommand{kind: modelResize, frame: mixer.Now, over: int64(n)})
	default:
		over := pick(r, 0, 0, 40*time.Millisecond)
		d.say("StopAll %v", over)
		d.m.StopAll(over)
		d.model.send(modelCommand{kind: modelStop, frame: mixer.Now, target: modelTarget{all: true, bus: -1, names: anyVoice}, over: d.model.frames(over)})
	}
}

func anyVoice(*modelVoice) bool { return true }

// check fails the test with the last calls if err is not nil.
func (d *modelTest) check(err error) {
	if err != nil {
		d.t.Fatalf("%s\n%v", d.last(), err)
	}
}

// when returns Now, or an earlier or later frame.
func (d *modelTest) when(r *rand.Rand) int64 {
	if r.IntN(2) == 0 {
		return mixer.Now
	}
	return max(d.model.now+r.Int64N(120)-10, 0)
}

func (d *modelTest) gain(r *rand.Rand) pcm.Decibels {
	return pick(r, 0, 0, -6, -12, -20, -40, -80, 6, pcm.Decibels(-r.Float64()*60))
}

func (d *modelTest) pan(r *rand.Rand) float64 { return pick(r, 0, -1, 1, 0.5, r.Float64()*2-1) }

func (d *modelTest) time(r *rand.Rand) time.Duration {
	return time.Duration(pick(r, 0, 1, 3, 10, 40, 200, 1500)) * time.Millisecond
}

// play starts a random sound with random options on both.
func (d *modelTest) play(r *rand.Rand) {
	i := r.IntN(len(d.sounds))
	o := mixer.Options{
		Gain: d.gain(r), Pan: d.pan(r), EngineOptions: mixer.EngineOptions{Base: mixer.Base{Gain: pick[pcm.Decibels](r, 0, 0, -6)}, Protect: r.IntN(12) == 0, Tag: mixer.Tag(r.IntN(4)), Ref: mixer.Ref(len(d.plays) + 1), Quality: sounds.Linear}, Priority: pick(r, 0, 0, 0, 1, 2), Importance: pick[pcm.Decibels](r, 0, 0, 3, -10, 24.25),
		Loop: r.IntN(4) == 0,
	}
	switch r.IntN(6) {
	case 0:
		o.From = d.time(r) / 4
	case 1:
		o.For = max(d.time(r), 1)
	case 2:
		o.FadeIn, o.FadeShape = d.time(r), sounds.Shape(r.IntN(5))
	case 3:
		o.Pitch, o.Base.Pitch = pick[pcm.Semitones](r, 0, 7, -12, 1.37), pick[pcm.Semitones](r, 0, 0, -1)
		o.Speed = pick(r, 0, 1, 1.1, 0.7)
	}
	if o.Loop && d.counts && r.IntN(2) == 0 {
		o.Rounds = 1 + r.IntN(4)
	}
	if o.Loop || d.counts || r.IntN(2) == 0 { // the model has no virtual voices; TestBrute does
		o.WhenFull = mixer.WhenFullEnd
	}
	p := &modelPlay{sound: d.sounds[i], state: mixer.StatePending}
	buses := []string{"master", "top", "left", "right", "music"}
	p.bus = r.IntN(len(buses))
	o.Bus, _ = d.m.Bus(buses[p.bus])
	if r.IntN(2) == 0 {
		p.group = d.groups[r.IntN(len(d.groups))]
		o.Group = p.group.g
	}
	p.o, p.prio, p.from, p.fadeIn, p.lasts = o, o.Priority, min(d.model.frames(o.From), p.sound.Frames()), d.model.frames(o.FadeIn), d.model.frames(o.For)
	if p.from > 0 && o.FadeIn == 0 {
		p.fadeIn = d.model.smooth
	}
	if o.For > 0 {
		p.lasts = max(p.lasts, 1)
	}
	at := d.when(r)
	d.say("At(%d).Play #%d %s on %s %+v", at, len(d.plays), p.sound.Name(), buses[p.bus], o)
	h, err := d.m.Engine().At(at).Play(p.sound, o)
	d.check(err)
	p.h = h
	d.plays = append(d.plays, p)
	d.model.send(modelCommand{kind: modelStart, frame: at, play: p})
}

// some returns a start, usually a late one, and its number.
func (d *modelTest) some(r *rand.Rand) (*modelPlay, int) {
	if len(d.plays) == 0 {
		return nil, 0
	}
	n := len(d.plays)
	i := n - 1 - r.IntN(min(n, 12))
	return d.plays[i], i
}

// handle makes a random call of a handle.
func (d *modelTest) handle(r *rand.Rand) {
	p, i := d.some(r)
	if p == nil {
		return
	}
	gone := p.state.Over()
	done := func(err error) {
		if gone != errors.Is(err, mixer.ErrGone) || err != nil && !gone {
			d.t.Fatalf("%s\nof a voice that is %v: %v", d.last(), p.state, err)
		}
	}
	want := func(name string, field int, value float64, err error) {
		d.say("%s #%d %v", name, i, value)
		done(err)
		if !gone {
			d.model.want(p, field, value)
		}
	}
	switch r.IntN(12) {
	case 0:
		d.say("Stop #%d", i)
		done(p.h.Stop(0))
		if !gone {
			d.model.send(modelCommand{kind: modelStop, frame: mixer.Now, target: modelTarget{one: p, bus: -1}})
		}
	case 1:
		over := d.time(r)
		d.say("Stop #%d %v", i, over)
		done(p.h.Stop(over))
		if !gone {
			d.model.send(modelCommand{kind: modelStop, frame: mixer.Now, target: modelTarget{one: p, bus: -1}, over: d.model.frames(over)})
		}
	case 2:
		want("Pause", wantPause, 1, p.h.Pause())
	case 3, 4:
		want("Resume", wantPause, 0, p.h.Resume())
	case 5:
		g := d.gain(r)
		want("SetGain", wantGain, float64(g), p.h.SetGain(g))
	case 6:
		x := d.pan(r)
		want("SetPan", wantPan, x, p.h.SetPan(x))
	case 7:
		n := r.IntN(3)
		want("SetPriority", wantPriority, float64(n), p.h.SetPriority(n))
	case 8:
		on := r.IntN(3) == 0
		want("Protect", wantProtect, oneIf(on), p.h.Protect(on))
	case 9:
		if !d.counts {
			return
		}
		n := pick(r, 1, mixer.Forever, 2, 3)
		want("SetLoop", wantRounds, float64(n), p.h.SetLoop(n))
	case 10:
		if !d.seeks {
			return
		}
		to := d.time(r) / 3
		want("Seek", wantSeek, float64(d.model.frames(to)), p.h.Seek(to))
	case 11:
		g, over, shape := d.gain(r), d.time(r), sounds.Shape(r.IntN(4))
		d.say("Fade #%d %v %v %v", i, g, over, shape)
		switch {
		case shape == sounds.InDecibels || gone:
			done(p.h.Fade(g, over))
		default:
			done(d.m.Engine().At(mixer.Now).Set(mixer.TargetVoice(p.h), mixer.Change{Fields: mixer.FieldGain, Gain: g, Shape: shape}, over))
		}
		if !gone {
			d.model.send(modelCommand{
				kind: modelSet, frame: mixer.Now, target: modelTarget{one: p, bus: -1},
				change: mixer.Change{Fields: mixer.FieldGain, Gain: g, Shape: shape}, over: d.model.frames(over),
			})
		}
	}
}

// render renders n frames on both sides and compares the visible state.
func (d *modelTest) render(n int) {
	d.say("render %d", n)
	block := d.block[:n]
	d.m.Render(block)
	events := d.events[:d.m.Events(d.events)]
	for _, e := range events {
		d.kinds[e.Kind]++
		d.reasons[e.Reason]++
	}
	from := d.model.now
	for i, w := range d.model.render(n, flatEvents(events)) {
		for c, x := range w.pair {
			off, allowed := math.Abs(float64(block[i][c])-x), w.tolerance()
			if !(off <= allowed) {
				d.t.Fatalf("%s\nframe %d is %v, the model says %v: %.3g off, of %.3g that lines and roundings explain", d.last(), from+int64(i), block[i], w, off, allowed)
			}
		}
	}
	if got := d.m.Stats(); got != d.model.stats {
		d.t.Fatalf("%s\nthe mixer counts\n%+v, the model\n%+v", d.last(), got, d.model.stats)
	}
	for i, p := range d.plays {
		if got := p.h.State(); got != p.state || p.h.Number() != p.number {
			d.t.Fatalf("%s\n#%d is %v, voice %d; the model says %v, %d", d.last(), i, got, p.h.Number(), p.state, p.number)
		}
		if v := p.voice; v != nil {
			if got, want := p.h.Position(), pcm.Duration(v.pos>>32, d.model.rate); got != want {
				d.t.Fatalf("%s\n#%d is at %v, the model says %v", d.last(), i, got, want)
			}
			if got, want := p.h.Audibility(), pcm.FromPower(float64(v.score.heard)); math.Abs(float64(got-want)) > 1e-4 {
				d.t.Fatalf("%s\nthe audibility of #%d is %v, the model says %v", d.last(), i, got, want)
			}
		}
	}
}

// finish ends all voices.
func (d *modelTest) finish() {
	d.render(200)
	for range 2 {
		d.m.StopAll(0)
		d.model.send(modelCommand{kind: modelStop, frame: mixer.Now, target: modelTarget{all: true, bus: -1, names: anyVoice}})
		d.render(int(2 * d.model.tail))
	}
	for i, p := range d.plays {
		if !p.state.Over() {
			d.t.Fatalf("%s\n#%d is still %v", d.last(), i, p.state)
		}
	}
	if st := d.model.stats; st.Playing != 0 || st.Pending != 0 || st.SilentFrom > st.Frame {
		d.t.Fatalf("%s\nat the end %+v", d.last(), st)
	}
}
