package sounds

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"voicepool/internal/dsp"
	"voicepool/internal/playable"
	"voicepool/internal/spectrum"
	"voicepool/pcm"
)

// ErrSound is wrapped by all errors of NewSound and NewStream, and by errors of Sound.Open that Stream.Open did not
// return.
var ErrSound = errors.New("sounds: not a playable sound")

// maxFrames limits a sound so that a position fits 32.32 fixed point: 12 hours at 48 kHz.
const maxFrames = 1<<31 - 1<<12

// Samples are the input of NewSound.
type Samples struct {
	Name     string    // for reports; any
	File     string    // source file for reports; any
	Rate     int       // frames per second, 1..768,000; must equal the mixer's rate: the mixer does not convert it
	Channels int       // 1 or 2
	Data     []float32 // interleaved; full scale is -1..+1; copied

	// Compact stores 16 bits per sample, which halves the memory. Material that was 16 bits already sounds
	// the same to the bit. Other samples are rounded to the nearest value and clipped at full scale.
	Compact bool

	// Loop is the part that a looping voice repeats: from its first frame to the frame after its last. The
	// zero value means the whole sound.
	Loop pcm.Loop

	// Refine makes the mip levels for quality Best when they are needed; package library has one. Without it,
	// Best is the same as Cubic.
	Refine Refiner

	// Envelope is the loudness index of the sound. The zero value means a constant level of -20 dB.
	Envelope Envelope
}

// Sound is decoded audio data, ready to play. Any number of voices and goroutines may share it. It is
// immutable; only mip levels are added later.
type Sound struct {
	data     playable.Data
	name     string
	file     string
	envelope Envelope

	refine       Refiner
	refineLocks  [2][Levels]sync.Mutex // serializes the makers of each mip level
	refineFailed atomic.Bool           // the Refiner failed or returned invalid samples

	open func(PlayRange) (*StreamBuffer, error) // of a stream, which has no data and only the declared level of an envelope

	unloaded bool // made by NewUnloaded
}

// maxPower is above any power that a sound can have, also in Masks.
const maxPower = 1e15

// check returns an error if a power in any table of e is NaN, negative or above maxPower. The error wraps ErrSound and
// names the power and its index.
func (e *Envelope) check() error {
	tables := [][]float32{e.Once, e.Loop, e.Near, e.NearLoop, e.Later, {e.LaterLoop}}
	for _, masks := range [][]Masks{e.Masks, e.MasksLoop} {
		for i := range masks {
			tables = append(tables, masks[i].Energy[:], masks[i].Spread[:])
		}
	}
	for _, table := range tables {
		for i, x := range table {
			if !(x >= 0 && x <= maxPower) {
				return fmt.Errorf("%w: a power of %v in its loudness index, at %d, is not in 0..%v", ErrSound, x, i, float64(maxPower))
			}
		}
	}
	return nil
}

// NewSound makes a sound from s. The samples are checked and copied; samples below 2^-80 (-482 dBFS) become 0. The
// tables of s.Envelope are shared, not copied, so they must not change. The error wraps ErrSound. It means that a field
// is out of range, or that a sample is not finite or beyond 65,536 (96 dB over full scale). Control side.
func NewSound(s Samples) (*Sound, error) {
	switch {
	case s.Channels != 1 && s.Channels != 2:
		return nil, fmt.Errorf("%w: %d channels, a sound has 1 or 2", ErrSound, s.Channels)
	case s.Rate < 1 || s.Rate > 768000:
		return nil, fmt.Errorf("%w: %w", ErrSound, &pcm.RangeError{Name: "rate", Value: float64(s.Rate), Min: 1, Max: 768000, Unit: "Hz"})
	case len(s.Data)%s.Channels != 0:
		return nil, fmt.Errorf("%w: %d samples are not a whole number of frames of %d channels", ErrSound, len(s.Data), s.Channels)
	case len(s.Data)/s.Channels > maxFrames:
		return nil, fmt.Errorf("%w: %d frames, a sound has at most %d", ErrSound, len(s.Data)/s.Channels, maxFrames)
	}
	frames := int64(len(s.Data) / s.Channels)
	loop := cmp.Or(s.Loop, pcm.Loop{0, frames})
	if s.Loop != (pcm.Loop{}) && !loop.Inside(frames) {
		return nil, fmt.Errorf("%w: the loop [%d, %d) is not inside its %d frames", ErrSound, loop[0], loop[1], frames)
	}
	if err := s.Envelope.check(); err != nil {
		return nil, err
	}
	out := &Sound{name: s.Name, file: s.File, envelope: s.Envelope}
	d := &out.data
	d.Rate, d.Channels, d.Mono, d.Frames, d.Loop, d.Warped = s.Rate, s.Channels, s.Channels == 1, frames, loop, spectrum.Warp(s.Rate)
	if s.Refine != nil && frames > 0 {
		prepareBest()
		out.refine, d.Refinable = s.Refine, true
	}
	first, size := playable.GuardBefore*s.Channels, (playable.GuardBefore+int(frames)+playable.GuardAfter)*s.Channels
	good := true
	if s.Compact {
		d.Samples.Compact = make([]int16, size)
		for i, x := range s.Data {
			d.Samples.Compact[first+i], good = toInt16(x), good && math.Abs(float64(x)) <= playable.MaxSample
		}
	} else {
		d.Samples.Floats = make([]float32, size)
		good = dsp.FlushTiny(d.Samples.Floats[first:first+len(s.Data)], s.Data) <= playable.MaxSample
	}
	if !good {
		i := slices.IndexFunc(s.Data, func(x float32) bool { return !(math.Abs(float64(x)) <= playable.MaxSample) })
		return nil, fmt.Errorf("%w: the sample of frame %d is %v, not within -%d..+%d", ErrSound, i/s.Channels, s.Data[i], playable.MaxSample, playable.MaxSample)
	}
	d.Seam = playable.NewSeam(d)
	return out, nil
}

// NewUnloaded makes a placeholder for a sound that is not in memory. It has a name, a file and a rate in Hz, as in
// Samples, and no frames. A mixer with this rate rejects every start of it, with an event that has this name.
func NewUnloaded(name, file string, rate int) *Sound {
	s := &Sound{name: name, file: file, unloaded: true}
	s.data.Rate, s.data.Channels, s.data.Mono = rate, 1, true
	return s
}

// Unloaded reports whether the sound is a placeholder, made by NewUnloaded.
func (s *Sound) Unloaded() bool { return s.unloaded }

// toInt16 converts x, a sample with full scale -1..+1, to 16 bits. It rounds to the nearest value and clips at full
// scale. The result for NaN is undefined.
func toInt16(x float32) int16 {
	return int16(min(max(math.Floor(float64(float64(x)*0x1p15)+0.5), math.MinInt16), math.MaxInt16))
}

// Playable returns the data that voices read. It is for package voice.
func (s *Sound) Playable() *playable.Data { return &s.data }

// Name returns the name of the sound in reports.
func (s *Sound) Name() string { return s.name }

// File returns the path of the source file, with slashes; empty if the sound was not read from a file.
func (s *Sound) File() string { return s.file }

// Rate returns the sample rate in Hz.
func (s *Sound) Rate() int { return s.data.Rate }

// Channels returns 1 or 2.
func (s *Sound) Channels() int { return s.data.Channels }

// Frames returns the length in frames; 0 for an empty sound and for a stream of unknown length.
func (s *Sound) Frames() int64 { return s.data.Frames }

// Loop returns the part that a looping voice repeats, in frames; the zero Loop for an empty sound, and for a stream of
// unknown length that was made without a loop.
func (s *Sound) Loop() pcm.Loop { return s.data.Loop }

// Envelope returns the loudness of the sound by position, which the mixer compares to find the voice to steal. It
// belongs to the sound and must not be changed. Any goroutine.
func (s *Sound) Envelope() *Envelope { return &s.envelope }

// Bytes returns the memory of the sound in bytes: the samples, the mip levels that exist, the loudness index and the
// measured spectra.
func (s *Sound) Bytes() int64 { return s.data.Bytes() + s.envelope.bytes() }

// Compact reports whether samples are stored in 16 bits.
func (s *Sound) Compact() bool { return s.data.Samples.Compact != nil }

// Samples returns the interleaved samples, with full scale -1..+1 and without internal padding. The slice is the
// sound's own and must not be changed. For a compact sound each call makes a new slice. Not for streams. Control
// side.
func (s *Sound) Samples() []float32 {
	d := &s.data
	from, to := playable.GuardBefore*d.Channels, (playable.GuardBefore+int(d.Frames))*d.Channels
	if !s.Compact() {
		return d.Samples.Floats[from:to]
	}
	out := make([]float32, 0, to-from)
	for _, x := range d.Samples.Compact[from:to] {
		out = append(out, float32(x)*0x1p-15)
	}
	return out
}
