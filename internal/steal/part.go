package steal

import (
	"fmt"

	"voicepool/internal/loudness"
	"voicepool/pcm"
	"voicepool/voice"
)

// Part is what one event of a scene puts into a mix.
type Part struct {
	From, To    int64 // its first frame, and the first one at which it needs no slot any more
	Left, Right float64
	wave        *wave
	tail        Fade // after To, of a loop that is stopped
}

// wave is a sound as a voice plays it, at unit gain in the middle, from its
// beginning to its end or, looping, as long as a scene.
type wave struct {
	samples []float32
	energy  []float64 // K-weighted, of the first i x grain samples
}

// grain is how many samples apart energies are known; between them they are drawn
// straight.
const grain = 16

// waveKey tells waves of a corpus from each other.
type waveKey struct {
	sound int
	speed float64
	loop  bool
	wall  string // how it comes and goes meanwhile
}

// Parts returns what each event of a scene puts into the mix. Looping voices end
// at their stop; nothing is longer than the scene.
func (s *Scene) Parts(corpus []Recording) ([]Part, error) {
	waves := map[waveKey]*wave{}
	tail := RaisedCosine(tailMilliseconds)
	parts := make([]Part, len(s.Events))
	for i, e := range s.Events {
		key := waveKey{sound: e.Sound, speed: e.Speed, loop: e.Stop > 0}
		turns := e.Wall.within(e.At, s.end(&e, corpus))
		for k, at := range turns {
			key.wall += fmt.Sprint(at-e.At, e.Wall.cutoff(k), " ")
		}
		key.wall += e.Wall.cutoff(len(turns))
		if waves[key] == nil {
			w, err := newWave(&corpus[e.Sound], key, &e, turns, s.Frames)
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
		left, right := voice.Pan(e.Pan)
		g := e.Gain.Gain()
		p.Left, p.Right = float64(g*left), float64(g*right)
	}
	return parts, nil
}

// Voice returns a recording as a sound to be played, without an envelope.
func (r *Recording) Voice() (*voice.Sound, error) {
	data := make([]float32, len(r.Samples))
	for i, x := range r.Samples {
		data[i] = float32(x) / 32768
	}
	return voice.NewSound(voice.Samples{Name: r.Name, Rate: Rate, Channels: 1, Data: data})
}

// newWave has a voice play a recording behind a wall that comes and goes at frames of the scene.
func newWave(r *Recording, key waveKey, e *Event, turns []int64, most int64) (*wave, error) {
	sound, err := r.Voice()
	if err != nil {
		return nil, fmt.Errorf("steal: %s: %w", r.Name, err)
	}
	var v voice.Voice
	v.Start(sound, voice.Options{Speed: key.speed, Loop: key.loop, Pan: -1}, e.At)
	var filter voice.Filter
	if e.Wall.Behind || len(turns) > 0 {
		v.LendFilter(e.At, &filter, e.Wall.hertz(0), 0)
	}
	mixed, n := make([]pcm.Frame, most), int64(0)
	for k, at := range turns {
		n += int64(v.Mix(mixed[n:at-e.At], e.At+n))
		v.SetLowPass(at, e.Wall.hertz(k+1), wallFrames)
	}
	n += int64(v.Mix(mixed[n:], e.At+n))
	mixed = mixed[:n]
	w := &wave{samples: make([]float32, len(mixed))}
	weighted := loudness.NewFilter(Rate)
	sum := 0.0
	for i, f := range mixed {
		w.samples[i] = f[0]
		if i%grain == 0 {
			w.energy = append(w.energy, sum)
			weighted.Rest()
		}
		y := weighted.Next(float64(f[0]))
		sum += y * y
	}
	w.energy = append(w.energy, sum)
	return w, nil
}

// until returns the K-weighted energy of the first n samples.
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

// Energy returns the K-weighted energy of the part, left and right together,
// within some frames of the scene.
func (p *Part) Energy(from, to int64) float64 {
	from, to = max(from, p.From), min(to, p.To)
	if from >= to {
		return 0
	}
	return (p.wave.until(to-p.From) - p.wave.until(from-p.From)) * (p.Left*p.Left + p.Right*p.Right)
}

// Fade is the factor by which a voice that gives way goes on, by the number of
// frames since.
type Fade []float32

// tailMilliseconds is how long the mixer fades what is stopped or gives way.
const tailMilliseconds = 10

// comeback is what is still missing of a part while the mixer fades it in that comes back.
var comeback = RaisedCosine(5)

// Tail is how the mixer fades out what gives way.
func Tail() Fade { return RaisedCosine(tailMilliseconds) }

// RaisedCosine falls from 1 to 0 over some milliseconds, as the mixer's tails do
// over 10.
func RaisedCosine(milliseconds int) Fade {
	f := make(Fade, milliseconds*Rate/1000)
	for i := range f {
		f[i] = float32(0.5 + float64(0.5*pcm.CosPi(float64(i)/float64(len(f)))))
	}
	return f
}

// Linear falls straight from 1 to 0 over some milliseconds; over 0 it is a hard
// cut.
func Linear(milliseconds int) Fade {
	f := make(Fade, milliseconds*Rate/1000)
	for i := range f {
		f[i] = 1 - float32(i)/float32(len(f))
	}
	return f
}

// Add adds the part to a mix of the scene. It gives way at the frame cut: before
// or at its first frame it is not heard at all.
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

// at returns a sample of the part, before any fade.
func (p *Part) at(frame int64) float32 { return p.wave.samples[frame-p.From] }

// end returns the frame from which it is silent.
func (p *Part) end() int64 { return p.To + int64(len(p.tail)) }

// Missing puts into dst, from the frame cut on, what is not heard of a part that
// gives way there, at its first frame or later, and comes back at the frame back, or
// never if that is beyond its end.
func (p *Part) Missing(dst []pcm.Frame, cut, back int64, fade Fade) {
	clear(dst)
	left, right := float32(p.Left), float32(p.Right)
	for i := range min(int64(len(dst)), p.end()-cut, back+int64(len(comeback))-cut) {
		x := p.at(cut + i)
		if at := cut + i - p.To; at >= 0 {
			x *= p.tail[at]
		}
		if i < int64(len(fade)) && cut > p.From {
			x *= 1 - fade[i]
		}
		if at := cut + i - back; at >= 0 {
			x *= comeback[at]
		}
		dst[i] = pcm.Frame{x * left, x * right}
	}
}

// Mix returns the mix of a scene of so many frames in which each part gives way at
// its cut; nil cuts: none does.
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
