package mixer_test

import (
	"math"

	"voicepool/internal/panning"
	"voicepool/pcm"
	"voicepool/sounds"
)

// pair is a left and a right factor or sample.
type pair [2]float64

func (p pair) times(q pair) pair { return pair{p[0] * q[0], p[1] * q[1]} }
func (p pair) power() float64    { return float64(p[0]*p[0]) + float64(p[1]*p[1]) }

// balance returns the factors of a pan of a stereo sound, -1..+1: only the other side becomes quieter.
func balance(pan float64) pair {
	return pair{quarterCosine(max(pan, 0)), quarterCosine(max(-pan, 0))}
}

// constantPower returns the factors of a pan of a mono sound, -1..+1.
func constantPower(pan float64) pair {
	return pair{quarterCosine((1 + pan) / 2), quarterCosine((1 - pan) / 2)}
}

// quarterCosine falls from 1 at 0 to exactly 0 at 1 along a cosine.
func quarterCosine(x float64) float64 {
	if x == 1 {
		return 0
	}
	return math.Cos(math.Pi / 2 * x)
}

// louderPan returns the current or the target factors of a pan, the ones with more power. For a mono sound
// the last bit decides, so the pan laws come from package voice.
func louderPan(law func(float64) (left, right float64), pan *modelRamp, f int64) pair {
	var now, then pair
	now[0], now[1] = law(pan.at(f))
	then[0], then[1] = law(pan.to)
	if then.power() > now.power()*(1+1e-9) { // all pans of a mono sound have the same power
		return then
	}
	return now
}

// modelVoice is a voice by definition: every frame is computed separately.
type modelVoice struct {
	play    *modelPlay
	sound   *sounds.Sound
	data    []float32
	peak    float64
	number  uint64
	slot    int
	endAt   int64 // 0: no end
	held    int64
	prio    int
	protect bool
	self    bool // paused itself
	byBus   bool
	byAll   bool
	sounded bool
	dying   bool

	pos   int64 // in 2^-32 frames
	loop  bool
	jumps int

	base, basePitch                        float64
	gain, pan, pitch, speed, shared, crowd modelRamp
	in, back                               cosineFade
	out                                    fades
	crowdPower                             float64

	piece curvePiece // of the gains
	step  int64      // of the position in the sound, constant over a piece
	stray roundingBound

	score modelScore
}

// modelScore holds the scores of a choice and all their inputs. Voices with equal inputs are twins: their
// order does not depend on rounding.
type modelScore struct {
	audibility, gain float32
	heard            float32 // without the importance
	twin             twinKey
}

type twinKey struct {
	sound            *sounds.Sound
	bus              int
	base, index, out float64
	gain, gainTo     float64
	pan, panTo       float64
	crowd, crowdTo   float64
	reach            pair // of the bus
	worth            float64
}

func newModelVoice(p *modelPlay, f int64) *modelVoice {
	o := p.o
	v := &modelVoice{
		play: p, sound: p.sound, data: p.sound.Samples(), pos: p.from << 32, prio: p.prio, protect: o.Protect,
		loop: o.Loop && o.Rounds != 1, jumps: o.Rounds - 1,
		base: float64(o.Base.Gain), basePitch: float64(o.Base.Pitch) + semitones(o.Base.Speed),
		gain: constantRamp(float64(o.Gain)), pan: constantRamp(o.Pan), pitch: constantRamp(float64(o.Pitch)), speed: constantRamp(semitones(o.Speed)),
		in: cosineFade{f, p.fadeIn, p.o.FadeShape}, crowdPower: 1,
	}
	for _, x := range v.data {
		v.peak = max(v.peak, math.Abs(float64(x)))
	}
	v.fold()
	v.plan(f)
	return v
}

// semitones is exact, because positions depend on it.
func semitones(ratio float64) float64 {
	if ratio == 0 {
		ratio = 1
	}
	return float64(pcm.FromRatio(ratio))
}

func (v *modelVoice) paused() bool { return v.self || v.byBus || v.byAll }

func (v *modelVoice) looping() bool {
	loop := v.sound.Loop()
	from, to := loop[0], loop[1]
	return v.loop && to > from
}

// endless reports whether it does not end by itself.
func (v *modelVoice) endless() bool {
	return v.looping() && v.jumps < 0 && v.endAt == 0 && len(v.out) == 0
}

// fold wraps a position beyond the end of the loop.
func (v *modelVoice) fold() {
	loop := v.sound.Loop()
	from, to := loop[0], loop[1]
	for v.looping() && v.pos>>32 >= to {
		v.pos -= (to - from) << 32
		if v.jumps > 0 {
			v.jumps--
			v.loop = v.jumps > 0
		}
	}
}

// rounds sets the number of rounds, including the present one; -1: endless.
func (v *modelVoice) rounds(n int) {
	to := v.sound.Loop()[1]
	if v.jumps = n; n > 0 {
		v.jumps--
	}
	v.loop = v.jumps != 0 && v.pos>>32 < to
}

// over reports whether the voice has ended at frame f.
func (v *modelVoice) over(f int64) bool {
	return v.out.over(f) || !v.looping() && v.pos>>32 >= v.sound.Frames()
}

// law returns the pan law for the channels of the sound.
func (v *modelVoice) law() func(float64) pair {
	if v.sound.Channels() == 2 {
		return balance
	}
	return constantPower
}

// factors returns the exact left and right factors at frame f.
func (v *modelVoice) factors(f int64) pair {
	g := factor(v.base) * v.gain.gain(f) * v.in.at(f) * v.back.at(f) * math.Pow(10, v.crowd.at(f)/20) * v.out.at(f)
	return v.law()(v.pan.at(f)).times(pair{g, g})
}

// plan begins a piece at f. Every change of the voice begins another piece.
func (v *modelVoice) plan(f int64) {
	last, end, length := int64(math.MinInt64), int64(math.MaxInt64), int64(longest)
	moves := func(start, until, frames int64) {
		if until > f {
			end, length, last = min(end, until), min(length, maxPiece(frames)), max(last, start)
		} else {
			last = max(last, until)
		}
	}
	for _, m := range []*modelRamp{&v.gain, &v.pan, &v.pitch, &v.speed, &v.shared, &v.crowd} {
		moves(m.start, m.end(), m.frames)
	}
	bows := []cosineFade{v.in, v.back}
	if i := v.out.first(); i >= 0 {
		bows = append(bows, v.out[i])
	}
	for _, b := range bows {
		moves(b.start, b.end(), b.frames)
	}
	v.piece = newCurvePiece(v.factors, f, last, end, length)
	middle := f
	if v.piece.until != math.MaxInt64 {
		middle += (v.piece.until - f) / 2
	}
	v.step = int64(math.Floor(pcm.Exp2(v.octaves(middle))*(1<<32) + 0.5))
	v.stray.plan(v.octaves, &v.piece)
}

// octaves returns the pitch at a frame.
func (v *modelVoice) octaves(f int64) float64 {
	return min(max((v.basePitch+v.pitch.at(f)+v.speed.at(f)+v.shared.at(f))/12, -8), 8)
}

// frame returns the voice's frame f and advances.
func (v *modelVoice) frame(f int64) (out modelFrame) {
	if f >= v.piece.until {
		v.plan(f)
	}
	g, bent := v.piece.at(f)
	i, fraction := v.pos>>32, float64(uint32(v.pos)>>8)*0x1p-24
	channels := int64(v.sound.Channels())
	for c := range out.pair {
		a := v.sample(i*channels + int64(c)%channels)
		b := v.sample(v.after(i)*channels + int64(c)%channels)
		x := a + fraction*(b-a)
		out.pair[c] = g[c] * x
		out.bent = max(out.bent, bent[c]*math.Abs(x))
		out.bound = max(out.bound, v.peak*v.piece.most[c])
	}
	out.parts = 1
	v.stray.step(v.octaves, f, v.step)
	v.pos += v.step
	v.fold()
	return out
}

// after returns the next frame of the sound: the loop's last frame is followed by its first.
func (v *modelVoice) after(i int64) int64 {
	if loop := v.sound.Loop(); v.looping() && i+1 == loop[1] {
		return loop[0]
	}
	return i + 1
}

// sample returns sample i of the data; 0 behind the end.
func (v *modelVoice) sample(i int64) float64 {
	if i >= int64(len(v.data)) {
		return 0
	}
	return float64(v.data[i])
}

// reach returns the factors in the audibility: for each fade the larger of the current and the target
// value, for a fade-out the current value.
func (v *modelVoice) reach(f int64) pair {
	g := factor(v.base) * max(v.gain.gain(f), factor(v.gain.to)) * math.Pow(10, max(v.crowd.at(f), v.crowd.to)/20)
	g *= v.out.at(f)
	law := panning.Gains
	if v.sound.Channels() == 2 {
		law = panning.Balance
	}
	return louderPan(law, &v.pan, f).times(pair{g, g})
}

// key returns the inputs of the score at frame f; voices with equal keys have exactly equal scores.
func (v *modelVoice) key(f int64) twinKey {
	e := v.sound.Envelope()
	k := twinKey{
		sound: v.sound, bus: v.play.bus, base: v.base, index: e.At(v.pos>>32, v.looping()),
		gain: v.gain.at(f), gainTo: v.gain.to, pan: v.pan.at(f), panTo: v.pan.to, crowd: v.crowd.at(f), crowdTo: v.crowd.to,
	}
	if len(v.out) > 0 {
		k.out = 1 + v.out.at(f)
	}
	return k
}

// modelTail is the tail of a voice: 10 ms under a raised cosine.
type modelTail struct {
	bus    int
	start  int64
	frames []modelFrame
}

// tail returns the tail of length frames from frame f on; the voice does not change.
func (v *modelVoice) tail(f, length int64) modelTail {
	left := *v
	t := modelTail{bus: v.play.bus, start: f}
	for i := int64(0); i < length && !left.over(f+i); i++ {
		x := left.frame(f + i)
		w := 0.5 + 0.5*math.Cos(math.Pi*float64(i)/float64(length))
		x.pair, x.bent = pair{x.pair[0] * w, x.pair[1] * w}, x.bent*w
		t.frames = append(t.frames, x)
	}
	return t
}
