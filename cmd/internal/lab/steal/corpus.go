package steal

import (
	"encoding/binary"
	"fmt"
	"math"

	"voicepool/pcm"
)

// Kind is the kind of a recording.
type Kind uint8

const (
	Gun Kind = iota
	Laser
	Explosion
	Clang // begins with up to 0.3 s of near-silence
	Step  // heel and toe
	Speech
	Bell
	Pickup // three notes
	Engine // a loop
	Wind   // a loop
)

var kindNames = [...]string{"gun", "laser", "explosion", "clang", "step", "speech", "bell", "pickup", "engine", "wind"}

// String returns the name of the kind, as in file names: "gun". It panics for an unknown kind.
func (k Kind) String() string { return kindNames[k] }

// Recording is a sound of the corpus: mono, at Rate.
type Recording struct {
	Name    string
	Kind    Kind
	File    string // source file; empty: synthesized from a seed
	Samples []int16
}

// recipe synthesizes recordings of a kind.
type recipe struct {
	kind  Kind
	count int
	make  func(*random) []float64
}

var recipes = [...]recipe{
	{Gun, 6, makeGun}, {Laser, 4, makeLaser}, {Explosion, 5, makeExplosion}, {Clang, 4, makeClang}, {Step, 6, makeStep},
	{Speech, 5, makeSpeech}, {Bell, 5, makeBell}, {Pickup, 3, makePickup}, {Engine, 3, makeEngine}, {Wind, 3, makeWind},
}

// Corpus synthesizes the 44 test sounds for a seed, ordered by kind and named for example gun1. They are mono
// recordings of 16 bits at 48 kHz, with random peaks from -12 to -1 dBFS. Equal seeds give equal bits.
func Corpus(seed uint64) []Recording {
	var all []Recording
	for _, r := range recipes {
		for i := range r.count {
			name := fmt.Sprintf("%v%d", r.kind, i+1)
			source := newRandom(seed, name)
			all = append(all, Recording{Name: name, Kind: r.kind, Samples: quantise(r.make(source), source.between(-12, -1))})
		}
	}
	return all
}

// quantise scales signal so that its largest sample has the level peak in dBFS, and rounds it to 16 bits. The signal
// must not be silent.
func quantise(signal []float64, peak float64) []int16 {
	top := 0.0
	for _, x := range signal {
		top = max(top, x, -x)
	}
	gain := float64(pcm.Decibels(peak).Linear()*32767) / top
	samples := make([]int16, len(signal))
	for i, x := range signal {
		samples[i] = int16(math.Floor(float64(x*gain) + 0.5))
	}
	return samples
}

// silence returns a new signal of zeros that lasts the given number of seconds at Rate.
func silence(seconds float64) []float64 { return make([]float64, int(seconds*Rate)) }

// decay is an exponentially falling level: by a factor of e^-1 every tau seconds.
type decay struct{ level, factor float64 }

// newDecay returns a decay, which yields one level per frame. It begins with the parameter level and falls by a factor
// of e every tau seconds.
func newDecay(level, tau float64) decay {
	const log2e = 1.442695040888963407359924681001892137
	return decay{level, pcm.Exp2(-log2e / float64(tau*Rate))}
}

// next returns the present level and advances d by one frame, so that the first call returns the initial level.
func (d *decay) next() float64 {
	now := d.level
	d.level = float64(d.level * d.factor)
	return now
}

// tone is a sine with a variable frequency.
type tone struct{ phase float64 } // in cycles

// next returns the next sample of a sine with amplitude 1 and advances its phase by one frame. hz is the frequency
// until the next sample. It may change with each call.
func (t *tone) next(hz float64) float64 {
	y := pcm.SinPi(float64(2 * t.phase))
	t.phase += hz / Rate
	t.phase -= math.Floor(t.phase)
	return y
}

// lowpass is a one-pole low-pass, 6 dB per octave.
type lowpass struct{ y float64 }

// next returns the next output sample of a one-pole low-pass for the input sample x, and updates the filter state. hz
// is the cutoff frequency and may change with each call.
func (l *lowpass) next(x, hz float64) float64 {
	w := float64(2 * math.Pi / Rate * hz)
	l.y += float64(w / (1 + w) * (x - l.y))
	return l.y
}

// resonance is a band-pass with a gain of about 1.
type resonance struct{ y1, y2 float64 }

// next returns the next output sample of a band-pass for the input sample x, and updates the filter state. hz is the
// centre frequency, width the bandwidth in Hz. Both may change with each call.
func (r *resonance) next(x, hz, width float64) float64 {
	radius := 1 - float64(math.Pi/Rate*width)
	c := float64(2*radius) * pcm.CosPi(2*hz/Rate)
	y := float64(x*(1-radius)) + float64(c*r.y1) - float64(float64(radius*radius)*r.y2)
	r.y1, r.y2 = y, r.y1
	return y
}

// rise returns the factor for sample i (at Rate) of a linear ramp from 0 to 1 that lasts the given number of seconds.
// After the ramp the factor is 1.
func rise(i int, seconds float64) float64 { return min(float64(i)/float64(seconds*Rate), 1) }

// release fades out the last 10 ms of signal linearly, so that a sound does not end with a click. It changes signal
// and returns it. A shorter signal fades from its beginning.
func release(signal []float64) []float64 {
	n := min(Rate/100, len(signal))
	for i := range n {
		at := len(signal) - n + i
		signal[at] = float64(signal[at] * (1 - float64(i+1)/float64(n)))
	}
	return signal
}

// WAV returns the recording as a WAV file: mono, 16 bits, at Rate.
func (r *Recording) WAV() []byte {
	const head = 44
	size := uint32(2 * len(r.Samples))
	le := binary.LittleEndian
	b := le.AppendUint32([]byte("RIFF"), head-8+size)
	b = le.AppendUint32(append(b, "WAVEfmt "...), 16)
	b, _ = binary.Append(b, le, struct {
		Format, Channels     uint16
		Rate, BytesPerSecond uint32
		BytesPerFrame, Bits  uint16
	}{1, 1, Rate, 2 * Rate, 2, 16})
	b = le.AppendUint32(append(b, "data"...), size)
	b, _ = binary.Append(b, le, r.Samples)
	return b
}
