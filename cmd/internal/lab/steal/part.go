package steal

import (
	"fmt"
	"math"
	"slices"

	"voicepool/internal/loudness"
	"voicepool/internal/panning"
	"voicepool/internal/passfilter"
	"voicepool/internal/property"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// Part is the contribution of an event of a scene to a mix.
type Part struct {
	From, To    int64 // its first frame, and the first frame at which it needs no slot
	Left, Right float64
	wave        *wave
	tail        Fade // after To, for a stopped loop
}

// wave is the output of a voice at unit gain on one channel, from its beginning to its end; a loop lasts as long as a
// scene.
type wave struct {
	samples []float32
	energy  []float64 // K-weighted energy of the first i x grain samples
}

// grain is the distance between stored energies in samples; values in between are interpolated linearly.
const grain = 16

// waveKey identifies a wave of a corpus.
type waveKey struct {
	sound int
	speed float64
	loop  bool
	wall  string // times at which the wall appears and disappears
}

// Parts renders the signal of each event of the scene alone and returns the signals in the order of s.Events. A
// looping voice ends at its stop. A part ends with the scene at the latest. Parts with equal signals share memory. An
// error comes from a recording of corpus and names it.
func (s *Scene) Parts(corpus []Recording) ([]Part, error) {
	return s.parts(corpus, map[waveKey]*wave{})
}

// parts renders the signal of each event of the scene alone and returns the signals in the order of s.Events. The map
// waves is a cache. parts takes signals from it that an earlier call has rendered, and adds new signals to it. All
// calls with the same map must use the same corpus and scenes of the same length. An error names the recording that
// caused it.
func (s *Scene) parts(corpus []Recording, waves map[waveKey]*wave) ([]Part, error) {
	tail := RaisedCosine(tailMilliseconds)
	parts := make([]Part, len(s.Events))
	for i, e := range s.Events {
		key := waveKey{sound: e.Sound, speed: e.Speed, loop: e.Stop > 0}
		changes := e.Wall.within(e.At, s.end(&e, corpus))
		for k, at := range changes {
			key.wall += fmt.Sprint(at-e.At, e.Wall.cutoff(k), " ")
		}
		key.wall += e.Wall.cutoff(len(changes))
		if waves[key] == nil {
			w, err := newWave(&corpus[e.Sound], key, &e, changes, s.Frames)
			if err != nil {
				return nil, err
			}
			waves[key] = w
		}
		p := &parts[i]
		p.wave = waves[key]
		p.From, p.To = e.At, min(e.At+int64(len(p.wave.samples)), s.Frames)
		if key.loop && e.Stop < p.To {
			p.To, p.tail = e.Stop, tail[:min(int64(len(tail)), s.Frames-e.Stop)]
		}
		left, right := panning.Gains(e.Pan)
		g := e.Gain.Gain()
		p.Left, p.Right = float64(g*left), float64(g*right)
	}
	return parts, nil
}

// Voice returns the recording as a mono sound at 48 kHz. The sound has no loudness index, so the mixer takes its level
// as constant, -20 dB.
func (r *Recording) Voice() (*sounds.Sound, error) {
	data := make([]float32, len(r.Samples))
	for i, x := range r.Samples {
		data[i] = float32(x) / 32768
	}
	return sounds.NewSound(sounds.Samples{Name: r.Name, Rate: Rate, Channels: 1, Data: data})
}

// newWave renders one event e of a scene alone, at unit gain, for at most limit frames. It plays the recording r with
// the speed and loop of key. The parameter changes lists the frames of the scene where a wall, a low-pass, appears or
// disappears. The result has the samples, and their cumulative K-weighted energy every grain samples.
func newWave(r *Recording, key waveKey, e *Event, changes []int64, limit int64) (*wave, error) {
	sound, err := r.Voice()
	if err != nil {
		return nil, fmt.Errorf("steal: %s: %w", r.Name, err)
	}
	var v voice.Voice
	v.Start(sound, voice.Options{Speed: key.speed, Loop: key.loop, Pan: -1}, e.At)
	var filter voice.Filter
	if e.Wall.Behind || len(changes) > 0 {
		v.AttachFilter(e.At, &filter, passfilter.Values{e.Wall.hertz(0)})
	}
	if !key.loop { // a voice without a loop is shorter than most scenes
		limit = min(limit, int64(math.Ceil(float64(len(r.Samples))/key.speed))+grain)
	}
	mixed, n := make([]pcm.Frame, limit), int64(0)
	for k, at := range changes {
		n += int64(v.Mix(mixed[n:at-e.At], e.At+n))
		v.SetFilter(property.LowPass, at, e.Wall.hertz(k+1), wallFrames)
	}
	n += int64(v.Mix(mixed[n:], e.At+n))
	mixed = mixed[:n]
	w := &wave{samples: make([]float32, len(mixed))}
	for i, f := range mixed {
		w.samples[i] = f[0]
	}
	weighted, sum := []loudness.Filter{loudness.NewFilter(Rate)}, 0.0
	for some := range slices.Chunk(w.samples, grain) {
		w.energy = append(w.energy, sum)
		weighted[0].FlushTiny()
		sum = loudness.Energy(weighted, some, sum)
	}
	w.energy = append(w.energy, sum)
	return w, nil
}

// until returns the K-weighted energy of the first n samples of the wave. It interpolates between stored sums. If n is
// negative, the result is 0. If n is beyond the end, the result is the energy of the whole wave.
func (w *wave) until(n int64) float64 {
	i := n / grain
	switch {
	case n <= 0:
		return 0
	case i >= int64(len(w.energy))-1:
		return w.energy[len(w.energy)-1]
	}
	return w.energy[i] + (w.energy[i+1]-w.energy[i])*float64(n%grain)/grain
}

// Energy returns the K-weighted energy of the part, the signal of one sound, between two frames of the scene. It adds
// left and right. The frame in the parameter to is excluded. Frames outside the part count as silent.
func (p *Part) Energy(from, to int64) float64 {
	from, to = max(from, p.From), min(to, p.To)
	if from >= to {
		return 0
	}
	return (p.wave.until(to-p.From) - p.wave.until(from-p.From)) * (p.Left*p.Left + p.Right*p.Right)
}

// Fade is the gain of a stolen voice, by the number of frames after the cut.
type Fade []float32

// tailMilliseconds is the length of the mixer's fade of a stopped or stolen voice.
const tailMilliseconds = 10

// restoreFade is the missing share of a part while the mixer fades it in after a restore.
var restoreFade = RaisedCosine(5)

// Tail returns the fade that the mixer uses for stolen voices.
func Tail() Fade { return RaisedCosine(tailMilliseconds) }

// RaisedCosine returns a fade of the given length from 1 to 0, as half a period of a cosine. The mixer's tails have
// this shape and 10 ms.
func RaisedCosine(milliseconds int) Fade {
	f := make(Fade, milliseconds*Rate/1000)
	for i := range f {
		f[i] = float32(0.5 + float64(0.5*pcm.CosPi(float64(i)/float64(len(f)))))
	}
	return f
}

// Linear returns a linear fade of the given length from 1 to 0. 0 ms gives an empty Fade, a hard cut.
func Linear(milliseconds int) Fade {
	f := make(Fade, milliseconds*Rate/1000)
	for i := range f {
		f[i] = 1 - float32(i)/float32(len(f))
	}
	return f
}

// Add adds the part, the signal of one sound, to the mix of the whole scene in dst. The sound is cut at the frame cut
// of the scene and then fades out with fade, one factor per frame, as a stolen voice does. If cut is at or before the
// first frame of the part, dst does not change. If cut is at or after the end of the part, the whole part is added with
// its own tail. dst must reach to the end of the part and its fade.
func (p *Part) Add(dst []pcm.Frame, cut int64, fade Fade) {
	switch {
	case cut <= p.From:
		return
	case cut >= p.To:
		cut, fade = p.To, p.tail
	}
	left, right := float32(p.Left), float32(p.Right)
	for i, x := range p.wave.samples[:cut-p.From] {
		f := &dst[p.From+int64(i)]
		f[0] += x * left
		f[1] += x * right
	}
	for i, g := range fade {
		at := cut + int64(i)
		if at >= p.end() {
			break
		}
		x := p.at(at) * g
		dst[at][0] += x * left
		dst[at][1] += x * right
	}
}

// at returns the sample of the part at a frame of the scene, before panning and fades. The frame must be within the
// rendered signal, which begins at p.From.
func (p *Part) at(frame int64) float32 { return p.wave.samples[frame-p.From] }

// end returns the first silent frame after the part.
func (p *Part) end() int64 { return p.To + int64(len(p.tail)) }

// Missing stores in dst the signal that is lost if the part, the signal of one sound, is cut. The parameter cut is the
// frame of the cut in the scene, and element 0 of dst is that frame. If the sound has begun before, it fades out with
// fade at the cut, so the loss fades in. From frame back on, the sound is restored and the loss fades out. If back is
// beyond the end of the part, the sound is not restored. The rest of dst is cleared. cut must not be before the first
// frame of the part.
func (p *Part) Missing(dst []pcm.Frame, cut, back int64, fade Fade) {
	clear(dst)
	left, right := float32(p.Left), float32(p.Right)
	for i := range min(int64(len(dst)), p.end()-cut, back+int64(len(restoreFade))-cut) {
		x := p.at(cut + i)
		if at := cut + i - p.To; at >= 0 {
			x *= p.tail[at]
		}
		if i < int64(len(fade)) && cut > p.From {
			x *= 1 - fade[i]
		}
		if at := cut + i - back; at >= 0 {
			x *= restoreFade[at]
		}
		dst[i] = pcm.Frame{x * left, x * right}
	}
}

// Mix returns the mix of parts, each the signal of one sound, in a scene with the given number of frames. Part i is
// cut at the frame cuts[i] of the scene and fades out with fade, as a stolen voice does. If cuts is nil, all parts
// play to their end.
func Mix(parts []Part, cuts []int64, fade Fade, frames int64) []pcm.Frame {
	mix := make([]pcm.Frame, frames)
	for i := range parts {
		cut := parts[i].To
		if cuts != nil {
			cut = cuts[i]
		}
		parts[i].Add(mix, cut, fade)
	}
	return mix
}
