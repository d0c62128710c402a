package mixer_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestBrute plays random programs on small mixers of every policy, with priorities, protection, limits,
// virtual voices and pools that grow and are resized. It checks every choice by brute force: the victim,
// the refused start, the voice that is lost for good, becomes virtual or is restored. Positions, scores
// and events are computed by definition. After every block the handles, the counters and the identities
// must agree.
func TestBrute(t *testing.T) {
	runs, checks, calls := 1, "100", 130
	switch {
	case long:
		runs, checks = 40, "100"
	case !longtest.Enabled() || raceDetector:
		checks = "10"
	}
	_ = checks
	defer flag.Set("rapid.checks", flag.Lookup("rapid.checks").Value.String())
	must(t, flag.Set("rapid.checks", checks))
	choices := map[string]int{}
	for range runs {
		rapid.Check(t, func(rt *rapid.T) {
			d := newBruteDuo(t, rt, rapid.Uint64().Draw(rt, "config"))
			for i, seed := range rapid.SliceOfN(rapid.Uint64(), calls, calls).Draw(rt, "calls") {
				if seed != 0 { // 0 is the shrunk value
					d.call(rand.New(rand.NewPCG(seed, uint64(i))))
				}
			}
			d.finish()
			for k, n := range d.x.choices {
				choices[k] += n
			}
			d.m.Close()
		})
	}
	names, all := []string{}, 0
	for k, n := range choices {
		if names = append(names, k); k != "near-ties" && k != "grow" && k != "contract" {
			all += n
		}
	}
	slices.Sort(names)
	said := ""
	for _, k := range names {
		said += fmt.Sprintf("; %s %d", k, choices[k])
	}
	t.Logf("%d choices%s", all, said)
	if !longtest.Enabled() || raceDetector || t.Failed() {
		return
	}
	want := []string{ // hundreds of each occur
		"resize", "reject", "grow", "a free slot", "a lower priority", "a virtual one lost", "the victim lost", "became virtual", "begins virtual", "no virtual one", "less than all",
		"no exchange", "protected, nobody", "priority, nobody",
	}
	if long { // and some of these
		want = append(want, "pool, quietest", "pool, oldest", "pool, gain", "pool, masked", "limit", "limit, oldest", "limit, reject", "an owner's limit", "its like alone", "bus", "quieter", "contract", "a virtual one by a limit", "a limit's victim stays",
			"exchange, quietest", "exchange, oldest", "exchange, gain", "exchange, reject", "exchange, grow", "exchange, masked")
	}
	for _, k := range want {
		if choices[k] == 0 {
			t.Errorf("nothing was checked of %q", k)
		}
	}
}

// bruteDuo is a mixer with its brute-force model.
type bruteDuo struct {
	t       *rapid.T
	m       *mixer.Mixer
	x       *brute
	sounds  []*bruteSound
	groups  []*bruteGroup
	plays   []*brutePlay
	log     []string
	resizes int // number of calls
	block   []pcm.Frame
	events  []mixer.Event
}

var bruteSoundsOf = map[int][]*bruteSound{}

// newBruteDuo returns a mixer and its model with a random configuration, drawn from seed.
func newBruteDuo(t *testing.T, rt *rapid.T, seed uint64) *bruteDuo {
	r := rand.New(rand.NewPCG(seed, 8))
	c := mixer.Config{
		Rate: pick(r, 1000, 1000, 8000), Voices: 1 + r.IntN(6), MaxVoices: 9, Virtual: pick(r, 0, 1, 2, 3, 5, 8), NoLimiter: true, Commands: 4096, Events: 8192,
		Overflow: pick(r, mixer.StealQuietest, mixer.StealQuietest, mixer.StealOldest, mixer.StealGain, mixer.Reject, mixer.GrowPool, mixer.GrowPool, mixer.StealMasked, mixer.StealMasked, mixer.StealMasked),
		Grow:     mixer.Grow{Step: 1 + r.IntN(2), Max: 8, Idle: time.Duration(10+10*r.IntN(11)) * ms},
		Buses: []mixer.BusConfig{
			{Name: "a", Gain: -1, Voices: r.IntN(7)}, {Name: "b", Parent: "a", Voices: r.IntN(4)}, {Name: "c", Gain: 2, Mute: r.IntN(3) == 0},
		},
	}
	if c.Overflow == mixer.StealMasked {
		c.Rate, c.Virtual = 8000, max(c.Virtual, 1)
	}
	c.RejectQuietest = (c.Overflow == mixer.StealQuietest || c.Overflow == mixer.GrowPool) && r.IntN(2) == 0
	endless := pick(r, 1, 2, 3, 9)
	mixer.LimitEndless(&c, endless)
	d := &bruteDuo{t: rt, m: newMixer(t, c), block: make([]pcm.Frame, 4096), events: make([]mixer.Event, 8192)}
	d.log = append(d.log, fmt.Sprintf("%+v", c))
	rate := int64(c.Rate)
	x := &brute{
		config: c, endless: endless, rate: rate, hop: rate / 50, smooth: rate / 200, ticked: -1, limit: c.Voices, wanted: c.Voices, choices: map[string]int{},
		fatal: func(format string, a ...any) { rt.Fatalf("%s\n"+format, append([]any{d.last()}, a...)...) },
	}
	for i, b := range append([]mixer.BusConfig{{Name: "master"}}, c.Buses...) {
		n := bruteBus{name: b.Name, limit: b.Voices, muted: b.Mute, gain: bruteMove{from: float64(b.Gain), to: float64(b.Gain)}}
		if n.parent = 0; i == 0 {
			n.parent = -1
		} else if b.Parent == "a" {
			n.parent = 1
		}
		x.buses = append(x.buses, n)
	}
	d.x = x
	d.sounds = bruteSounds(t, c.Rate)
	for i, o := range []mixer.GroupOptions{{Voices: 1 + r.IntN(3)}, {Voices: 2, Cooldown: 12 * ms}, {Coalesce: 25 * ms, Voices: 3}} {
		o.PerOwner, o.Full = r.IntN(2) == 0, pick(r, mixer.StealQuietest, mixer.StealQuietest, mixer.StealOldest, mixer.Reject)
		g, err := d.m.NewGroup(fmt.Sprint("g", i), o)
		if err != nil {
			t.Fatal(err)
		}
		d.groups = append(d.groups, &bruteGroup{
			g: g, o: o, limit: o.Voices, cooldown: o.Cooldown.Milliseconds() * rate / 1000, within: o.Coalesce.Milliseconds() * rate / 1000, most: 3.9810717055349722,
		})
	}
	return d
}

// last returns the last calls.
func (d *bruteDuo) last() string {
	return d.log[0] + "\n" + strings.Join(d.log[max(len(d.log)-50, 1):], "\n")
}

// say appends a formatted call to the log, which a failure prints.
func (d *bruteDuo) say(format string, a ...any) {
	d.log = append(d.log, fmt.Sprintf("%d: ", d.x.now)+fmt.Sprintf(format, a...))
}

func (d *bruteDuo) busOf(i int) mixer.Bus {
	b, _ := d.m.Bus(d.x.buses[i].name)
	return b
}

// check fails the test with the last calls if err is not nil.
func (d *bruteDuo) check(err error) {
	if err != nil {
		d.t.Fatalf("%s\n%v", d.last(), err)
	}
}

// call makes one random call to the mixer and the model, or renders a block.
func (d *bruteDuo) call(r *rand.Rand) {
	switch n := r.IntN(100); {
	case n < 30:
		d.render(pick(r, 0, 1, 3, 7, 20, 20, 33, 60, 90) * pick(r, 1, d.sounds[0].sound.Rate()/1000))
	case n < 72:
		d.play(r)
	case n < 78:
		n, at := 1+r.IntN(d.x.config.MaxVoices), d.when(r)
		if d.x.config.Overflow == mixer.GrowPool {
			n = 1 + r.IntN(4)
		}
		d.say("At(%d).Resize %d", at, n)
		d.check(d.m.Engine().At(at).Resize(n))
		d.resizes++
		call := d.resizes
		d.x.send(at, func() {
			if call >= d.x.resized { // the later call counts
				d.x.wanted, d.x.limit, d.x.resized = n, n, call
				d.x.shrink()
			}
		})
	case n < 84:
		d.bus(r)
	default:
		d.moment(r)
	}
}

// when returns Now or a later frame.
func (d *bruteDuo) when(r *rand.Rand) int64 {
	if r.IntN(2) == 0 {
		return mixer.Now
	}
	return d.x.now + r.Int64N(80*d.x.rate/1000)
}

// play starts a random sound with random options on both.
func (d *bruteDuo) play(r *rand.Rand) {
	p := &brutePlay{sound: d.sounds[r.IntN(len(d.sounds))], bus: r.IntN(4), state: mixer.StatePending}
	p.o = mixer.Options{
		Gain: pick(r, 0, 0, -6, -12, -30, -80, 3, pcm.Decibels(-r.Float64()*60)), EngineOptions: mixer.EngineOptions{Base: mixer.Base{Gain: pick[pcm.Decibels](r, 0, 0, -6)}, Protect: r.IntN(9) == 0, Tag: mixer.Tag(r.IntN(4)), Ref: mixer.Ref(len(d.plays) + 1), Quality: sounds.Linear, WhenFull: pick(r, mixer.WhenFullDefault, mixer.WhenFullDefault, mixer.WhenFullVirtual, mixer.WhenFullEnd)}, Pan: pick(r, 0, 0, 1, -0.4),
		Priority: pick(r, 0, 0, 0, 0, 1, 1, 2, -3), Importance: pick[pcm.Decibels](r, 0, 0, 0, 6, -6, 12.5, 60, -60), Loop: r.IntN(3) == 0,
		Pitch: pick[pcm.Semitones](r, 0, 0, 0, 12, -12),
	}
	switch r.IntN(5) {
	case 0:
		p.o.From = time.Duration(r.IntN(300)) * ms
	case 1:
		p.o.For = time.Duration(1+r.IntN(300)) * ms
	case 2:
		p.o.FadeIn = time.Duration(r.IntN(200)) * ms
	}
	if r.IntN(3) == 0 {
		p.group = d.groups[r.IntN(len(d.groups))]
		p.o.Group, p.o.Owner = p.group.g, uint64(r.IntN(3))
	}
	p.o.Bus = d.busOf(p.bus)
	at := d.when(r)
	d.say("At(%d).Play #%d %s on %s %+v", at, len(d.plays)+1, p.sound.sound.Name(), d.x.buses[p.bus].name, p.o)
	h, err := d.m.Engine().At(at).Play(p.sound.sound, p.o)
	d.check(err)
	p.h = h
	d.plays = append(d.plays, p)
	d.x.send(at, func() { d.x.start(p) })
}

// bus changes a bus.
func (d *bruteDuo) bus(r *rand.Rand) {
	i, at, over := r.IntN(4), d.when(r), time.Duration(5+r.IntN(3)*40)*ms
	b := &d.x.buses[i]
	c := mixer.Change{Fields: mixer.FieldGain, Gain: pcm.Decibels(-r.IntN(20))}
	if r.IntN(3) == 0 {
		c = mixer.Change{Fields: mixer.FieldMute, Mute: r.IntN(2) == 0}
	}
	d.say("At(%d).Set bus %s %+v over %v", at, b.name, c, over)
	d.check(d.m.Engine().At(at).Set(mixer.TargetBus(d.busOf(i)), c, over))
	d.x.send(at, func() {
		if c.Fields == mixer.FieldMute {
			b.muted = c.Mute
			return
		}
		b.gain.fade(d.x.now, float64(c.Gain), over.Milliseconds()*d.x.rate/1000)
	})
}

// moment sends a random command to some voices.
func (d *bruteDuo) moment(r *rand.Rand) {
	x := d.x
	var target mixer.Target
	var of func(*bruteVoice) bool
	name, flag, bus := "", 0, 0
	switch n := r.IntN(20); {
	case n < 9 && len(x.voices) > 0:
		v := x.voices[r.IntN(len(x.voices))]
		target, name = mixer.TargetVoice(v.play.h), fmt.Sprint("voice ", v.number)
		of = func(w *bruteVoice) bool { return w == v }
	case n < 16:
		tag := mixer.Tag(1 + r.IntN(3))
		target, name = mixer.TargetTag(tag), fmt.Sprint("tag ", tag)
		of = func(w *bruteVoice) bool { return w.tag == tag }
	case n < 19:
		bus, flag = 1+r.IntN(3), 1
		target, name = mixer.TargetBus(d.busOf(bus)), x.buses[bus].name
		of = func(w *bruteVoice) bool { return x.below(w.bus, bus) }
	default:
		flag = 2
		target, name = mixer.TargetAll(), "everything"
		of = func(w *bruteVoice) bool { return true }
	}
	at, ref := d.when(r), int64(1000+len(d.log))
	over := pick[time.Duration](r, 0, 5, 30, 200) * ms
	frames := over.Milliseconds() * x.rate / 1000
	to := d.m.Engine().At(at).WithRef(mixer.Ref(ref))
	each := func(do func(*bruteVoice)) func() {
		return func() {
			if !x.each(of, do) && strings.HasPrefix(name, "tag") {
				x.stats.Missed++
				x.expectEvent(nil, modelEvent{Kind: mixer.EventMissed, Slot: -1, Ref: mixer.Ref(ref)})
			}
		}
	}
	kind := r.IntN(10)
	if flag > 0 {
		kind = pick(r, 0, 1, 2, 2, 2)
	}
	if kind == 0 && flag > 0 && r.IntN(3) > 0 {
		kind = 2
	}
	switch kind {
	case 0:
		d.say("At(%d).Stop %s over %v", at, name, over)
		d.check(to.Stop(target, over))
		x.send(at, each(func(v *bruteVoice) { x.stop(v, frames) }))
	case 1:
		d.say("At(%d).Pause %s", at, name)
		d.check(to.Pause(target))
		x.send(at, func() { x.hold(flag, bus, true); each(func(v *bruteVoice) { x.pause(v, flag) })() })
	case 2, 3:
		d.say("At(%d).Resume %s", at, name)
		d.check(to.Resume(target))
		x.send(at, func() { x.hold(flag, bus, false); each(func(v *bruteVoice) { x.resume(v, flag) })() })
	case 4, 5, 6:
		gain := pick(r, 0, 3, -6, -20, -50, -80, pcm.Decibels(-r.Float64()*50))
		d.say("At(%d).Set %s gain %v over %v", at, name, gain, over)
		d.check(to.Set(target, mixer.Change{Fields: mixer.FieldGain, Gain: gain}, over))
		x.send(at, each(func(v *bruteVoice) {
			smoothed := frames
			if v.heard {
				smoothed = max(frames, x.smooth)
			}
			v.gain.fade(x.now, float64(gain), smoothed)
		}))
	case 7, 8:
		prio := r.IntN(4) - 1
		d.say("At(%d).Set %s priority %d", at, name, prio)
		d.check(to.Set(target, mixer.Change{Fields: mixer.FieldPriority, Priority: prio}, 0))
		x.send(at, each(func(v *bruteVoice) { v.prio = prio }))
	default:
		on := r.IntN(2) == 0
		d.say("At(%d).Set %s protect %v", at, name, on)
		d.check(to.Set(target, mixer.Change{Fields: mixer.FieldProtect, Protect: on}, 0))
		// First all voices are set, then voices beyond the limit that were only protected are stolen.
		x.send(at, func() { each(func(v *bruteVoice) { v.protect = on })(); x.shrink() })
	}
}

// render advances both and compares the visible state.
func (d *bruteDuo) render(n int) {
	d.say("render %d", n)
	d.m.Render(d.block[:n])
	d.x.render(n, flatEvents(d.events[:d.m.Events(d.events)]))
	got, x := d.m.Stats(), d.x
	got.SilentFrom = 0
	if got != x.stats {
		d.t.Fatalf("%s\nthe mixer counts\n%+v, by brute force\n%+v", d.last(), got, x.stats)
	}
	if got.Asked != got.Started+got.Rejected+got.Limited+got.Coalesced || got.Started != got.Ended+got.Stopped+got.Stolen+got.Playing {
		d.t.Fatalf("%s\nthe identities do not hold: %+v", d.last(), got)
	}
	for i, p := range d.plays {
		if p.h.State() != p.state || p.h.Number() != p.number {
			d.t.Fatalf("%s\n#%d is %v, voice %d, by brute force %v, %d", d.last(), i+1, p.h.State(), p.h.Number(), p.state, p.number)
		}
	}
}

// finish ends all voices.
func (d *bruteDuo) finish() {
	d.render(int(d.x.rate) / 10)
	d.check(d.m.Engine().At(mixer.Now).Stop(mixer.TargetAll(), 0))
	d.x.send(mixer.Now, func() { d.x.each(func(*bruteVoice) bool { return true }, func(v *bruteVoice) { d.x.stop(v, 0) }) })
	d.render(int(d.x.rate) / 10)
	if d.x.stats.Playing != 0 {
		d.t.Fatalf("%s\n%d go on", d.last(), d.x.stats.Playing)
	}
}
