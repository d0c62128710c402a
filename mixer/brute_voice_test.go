package mixer_test

import (
	"math"

	"voicepool/mixer"
)

// bruteVoice is a voice with all inputs of a choice: its position, its gains and its protection.
type bruteVoice struct {
	play    *brutePlay
	number  uint64
	slot    int // -1: virtual
	prio    int
	protect bool
	tag     mixer.Tag
	bus     int
	loop    bool
	pos     int64 // in 2^-32 frames
	step    int64
	heard   bool // it has sounded, so changes are smoothed
	endAt   int64
	held    int64
	paused  [3]bool // itself, by its bus, by TargetAll
	gain    bruteMove
	crowd   float64 // the summed power of coalesced starts, relative to its own
	stopped *bruteStop
}

// brutePlay is one start, as the caller sees it.
type brutePlay struct {
	h      mixer.Handle
	sound  *bruteSound
	o      mixer.Options
	bus    int
	group  *bruteGroup
	number uint64
	state  mixer.State
	voice  *bruteVoice
}

type bruteGroup struct {
	g                *mixer.Group
	o                mixer.GroupOptions
	limit            int
	cooldown, within int64
	most             float64
	started          bool
	last             int64
	first            *bruteVoice
}

type bruteBus struct {
	name   string
	parent int
	limit  int
	gain   bruteMove
	muted  bool
	paused bool
}

// bruteMove is a fade of a gain in decibels.
type bruteMove struct {
	from, to      float64
	start, frames int64
}

// at returns the value in decibels at frame f.
func (m *bruteMove) at(f int64) float64 {
	if f >= m.start+m.frames {
		return m.to
	}
	return m.from + (m.to-m.from)*float64(f-m.start)/float64(m.frames)
}

// fade begins a fade at frame f to the value to within frames frames; values are at least -80 dB.
func (m *bruteMove) fade(f int64, to float64, frames int64) {
	*m = bruteMove{from: max(m.at(f), -80), to: max(to, -80), start: f, frames: frames}
}

// reach returns the factor that counts: the larger of the current and the target value.
func (m *bruteMove) reach(f int64) float64 { return max(factor(m.at(f)), factor(m.to)) }

// bruteStop is a stop with a fade: a raised cosine from a level.
type bruteStop struct {
	start, frames int64
	level         float64
}

// at returns the factor of the fade-out at frame f: a raised cosine from s.level to 0.
func (s *bruteStop) at(f int64) float64 {
	if f >= s.start+s.frames {
		return 0
	}
	return s.level * (0.5 + 0.5*math.Cos(math.Pi*float64(f-s.start)/float64(s.frames)))
}

func newBruteVoice(p *brutePlay, from int64) *bruteVoice {
	v := &bruteVoice{
		play: p, bus: p.bus, prio: p.o.Priority, protect: p.o.Protect, tag: p.o.Tag, loop: p.o.Loop, pos: from << 32, crowd: 1,
		step: int64(math.Ldexp(1, 32+int(p.o.Pitch)/12)), gain: bruteMove{from: float64(p.o.Gain), to: float64(p.o.Gain)},
	}
	v.wrap()
	return v
}

// holding reports whether the voice is paused for any reason.
func (v *bruteVoice) holding() bool { return v.paused[0] || v.paused[1] || v.paused[2] }
func (v *bruteVoice) virtual() bool { return v.slot < 0 }

// next advances by a frame.
func (v *bruteVoice) next() {
	v.pos += v.step
	v.heard = true
	v.wrap()
}

// wrap moves the position of a looping voice from beyond the end of the loop back into the loop.
func (v *bruteVoice) wrap() {
	s := v.play.sound
	for v.loop && v.pos>>32 >= s.loop[1] {
		v.pos -= (s.loop[1] - s.loop[0]) << 32
	}
}

// over reports whether the voice has ended, and whether a stop ended it.
func (v *bruteVoice) over(now int64) (over, stopped bool) {
	stopped = v.stopped != nil && now >= v.stopped.start+v.stopped.frames
	return stopped || !v.loop && v.pos>>32 >= v.play.sound.frames || v.endAt != 0 && now >= v.endAt, stopped
}

// index returns the loudness index of the sound for looping or single play, and the hop of the present position.
func (v *bruteVoice) index() (*bruteIndex, int64) {
	hop := v.play.sound.sound.Envelope().Hop
	if v.loop {
		return &v.play.sound.many, v.pos >> 32 / hop
	}
	return &v.play.sound.once, v.pos >> 32 / hop
}

// near returns the energy of the next 20 ms.
func (v *bruteVoice) near() float64 {
	i, _ := v.index()
	if step := v.pos >> 32 / v.play.sound.sound.Envelope().Step; step < int64(len(i.near)) {
		return i.near[step]
	}
	return 0
}

// power returns g^2, left and right together, with all gains of the voice.
func (x *brute) power(v *bruteVoice) float64 {
	g := factor(float64(v.play.o.Base.Gain)) * v.gain.reach(x.now) * math.Sqrt(v.crowd)
	if v.stopped != nil {
		g *= v.stopped.at(x.now)
	}
	for b := v.bus; b >= 0; b = x.buses[b].parent {
		if x.buses[b].muted {
			return 0
		}
		g *= x.buses[b].gain.reach(x.now)
	}
	if v.play.sound.channels == 1 {
		return g * g // constant power
	}
	c := math.Cos(math.Pi / 2 * math.Abs(v.play.o.Pan))
	if math.Abs(v.play.o.Pan) == 1 {
		c = 0
	}
	return g * g * (1 + c*c)
}

// best returns the score of a voice that would be lost for good; soon returns the score of its next 20
// ms.
func (x *brute) best(v *bruteVoice) float64 {
	i, hop := v.index()
	if hop >= int64(len(i.best)) {
		return 0
	}
	return x.power(v) * v.worth() * i.best[hop]
}

func (x *brute) soon(v *bruteVoice) float64 {
	return x.power(v) * v.worth() * v.near()
}

// worth returns the importance of the voice as a power factor of its scores.
func (v *bruteVoice) worth() float64 { return math.Pow(10, float64(v.play.o.Importance)/10) }

// level returns the score that is compared for a slot.
func (x *brute) level(v *bruteVoice) float64 {
	if x.keeps(v) {
		return x.soon(v)
	}
	return x.best(v)
}

// endless reports whether a voice does not end by itself.
func (v *bruteVoice) endless() bool { return v.loop && v.play.o.For == 0 && v.stopped == nil }

// like reports whether w shares the group limit of v.
func (v *bruteVoice) like(w *bruteVoice) bool {
	g := v.play.group
	return g != nil && w.play.group == g && (!g.o.PerOwner || w.play.o.Owner == v.play.o.Owner)
}

// keeps reports whether a voice becomes virtual if a full pool has no slot for it.
func (x *brute) keeps(v *bruteVoice) bool {
	return v.play.o.WhenFull != mixer.WhenFullEnd && (v.endless() || x.config.Virtual > 0)
}

// crowded reports whether all places for virtual voices of the kind of v are in use.
func (x *brute) crowded(v *bruteVoice) bool {
	most := x.config.Virtual
	if v.endless() {
		most = x.endless
	}
	return x.count(func(w *bruteVoice) bool { return w.virtual() && w.endless() == v.endless() }) >= most
}

// hides reports whether v may become virtual without another voice being lost.
func (x *brute) hides(v *bruteVoice) bool {
	return !x.crowded(v) && x.count(isVirtual) < x.config.Virtual+x.endless
}

// masks returns the masking energies of the present hop and the next; zero behind the end of the sound.
func (v *bruteVoice) masks() (m [2]bruteMasks) {
	i, hop := v.index()
	switch {
	case hop >= int64(len(i.best)):
	case i.masks == nil:
		m = flatMasks(v.near())
	default:
		m = i.masks[hop]
	}
	return m
}

// heardOf returns how much of a voice is heard beside the voices in slots and the incoming start, if any.
func (x *brute) heardOf(v, newcomer *bruteVoice) float64 {
	var others []bruteMasker
	for _, o := range x.voices {
		if o != v && !o.virtual() && !o.holding() {
			others = append(others, bruteMasker{x.power(o), o.masks()})
		}
	}
	if newcomer != nil {
		others = append(others, bruteMasker{x.power(newcomer), newcomer.masks()})
	}
	return bruteHeard(v.masks(), x.power(v)*v.worth(), others)
}

// bruteKey holds all inputs of a score: voices with equal keys have equal scores, without rounding.
type bruteKey struct {
	sound    *bruteSound
	loop     bool
	hop      int64
	bus      int
	gain     bruteMove
	at, stop float64
	pan      float64
	base     float64
	crowd    float64
	worth    float64
}

// key returns the inputs of the score of v; voices with equal keys have exactly equal scores.
func (x *brute) key(v *bruteVoice) bruteKey {
	_, hop := v.index()
	k := bruteKey{sound: v.play.sound, loop: v.loop, hop: hop, bus: v.bus, gain: v.gain, at: v.gain.at(x.now), pan: v.play.o.Pan, base: float64(v.play.o.Base.Gain), crowd: v.crowd, worth: v.worth()}
	if v.stopped != nil {
		k.stop = 1 + v.stopped.at(x.now)
	}
	if k.gain.frames == 0 || x.now >= k.gain.start+k.gain.frames {
		k.gain = bruteMove{to: k.gain.to}
	}
	if v.play.sound.channels == 1 {
		k.pan = 0 // apart from rounding
		if v.play.o.Pan != 0 {
			k.pan = 2 + v.play.o.Pan
		}
	}
	return k
}

// hold sets or clears a pause of a bus or of all voices.
func (x *brute) hold(flag, bus int, on bool) {
	switch flag {
	case 1:
		x.buses[bus].paused = on
	case 2:
		x.paused = on
	}
}

// stop fades v out over the given frames; with 0 frames, or if v is paused, v ends at once. If an earlier stop ends
// first, stop has no effect.
func (x *brute) stop(v *bruteVoice, over int64) {
	if over == 0 || v.holding() {
		x.finish(v, modelEvent{Kind: mixer.EventStopped})
		return
	}
	level := 1.0
	if v.stopped != nil {
		if v.stopped.start+v.stopped.frames <= x.now+over {
			return
		}
		level = v.stopped.at(x.now)
	}
	v.stopped = &bruteStop{x.now, over, level}
}

// pause pauses v for the reason flag, or ends v if it is fading out.
func (x *brute) pause(v *bruteVoice, flag int) {
	if v.stopped != nil {
		x.finish(v, modelEvent{Kind: mixer.EventStopped})
		return
	}
	if !v.holding() {
		v.held = x.now
	}
	v.paused[flag] = true
	v.show()
}

// resume removes the reason flag of a pause. Reason 1 is the bus; a paused bus keeps its voices paused.
func (x *brute) resume(v *bruteVoice, flag int) {
	for b := v.bus; b >= 0 && flag == 1; b = x.buses[b].parent {
		if x.buses[b].paused {
			return
		}
	}
	if !v.holding() {
		return
	}
	if v.paused[flag] = false; v.holding() {
		return
	}
	if v.endAt != 0 {
		v.endAt += x.now - v.held
	}
	v.show()
}
