package voice

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"voicepool/internal/dsp"
	"voicepool/internal/spectrum"
	"voicepool/pcm"
)

// ErrSound is wrapped by all errors of NewSound and NewStream, and by errors of Sound.Open that Stream.Open did not
// return.
var ErrSound = errors.New("voice: not a playable sound")

const (
	// guardBefore and guardAfter are the frames of silence around the samples, so that no kernel reads
	// outside them.
	guardBefore = 4
	guardAfter  = 20

	// maxFrames limits a sound so that a position fits 32.32 fixed point: 12 hours at 48 kHz.
	maxFrames = 1<<31 - 1<<12

	// maxSample is the largest allowed magnitude of a sample, 96 dB over full scale. It allows floats that
	// are scaled as 16-bit integers. Beyond it a file is broken rather than loud.
	maxSample = 1 << 16
)

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

	// Refine makes the mip levels for quality Best when they are needed; package sounds has one. Without it,
	// Best is the same as Cubic.
	Refine Refiner

	// Envelope is the loudness index of the sound. The zero value means a constant level of -20 dB.
	Envelope Envelope
}

// Sound is decoded audio data, ready to play. Any number of voices and goroutines may share it. It is
// immutable; only mip levels are added later.
type Sound struct {
	name     string
	rate     int
	channels int
	frames   int64
	loop     pcm.Loop
	envelope Envelope
	data     sampleStore // guardBefore frames, the samples, guardAfter frames
	seam     seam

	refine       Refiner
	refineLocks  [2][Levels]sync.Mutex               // serializes the makers of each mip level
	refineFailed atomic.Bool                         // the Refiner failed or returned invalid samples
	mips         [2][Levels]atomic.Pointer[mipLevel] // once and looped, by level
	missing      [2]atomic.Uint32                    // levels that voices have missed
	spectra      [2]atomic.Pointer[soundSpectrum]    // once and looped

	file   string
	warped *spectrum.Warped // spectrum bands at the sound's rate

	// For a stream: it has no data and only the declared level of an envelope.
	open func(PlayRange) (*StreamBuffer, error)
	mono bool // both channels are equal
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
	out := &Sound{name: s.Name, file: s.File, rate: s.Rate, channels: s.Channels, frames: frames, loop: loop, envelope: s.Envelope, warped: spectrum.Warp(s.Rate)}
	if s.Refine != nil && frames > 0 {
		prepareBest()
		out.refine = s.Refine
	}
	first, size := guardBefore*s.Channels, (guardBefore+int(frames)+guardAfter)*s.Channels
	if s.Compact {
		out.data.compact = make([]int16, size)
	} else {
		out.data.floats = make([]float32, size)
	}
	good := true
	if s.Compact {
		for i, x := range s.Data {
			out.data.compact[first+i], good = toInt16(x), good && math.Abs(float64(x)) <= maxSample
		}
	} else {
		good = dsp.FlushTiny(out.data.floats[first:first+len(s.Data)], s.Data) <= maxSample
	}
	if !good {
		i := slices.IndexFunc(s.Data, func(x float32) bool { return !(math.Abs(float64(x)) <= maxSample) })
		return nil, fmt.Errorf("%w: the sample of frame %d is %v, not within -%d..+%d", ErrSound, i/s.Channels, s.Data[i], maxSample, maxSample)
	}
	out.seam = newSeam(out)
	return out, nil
}

// Refine makes a mip level of the sound with its Refiner and stores it. A mip level is a band-limited version for fast
// pitches; level is its number, 0..Levels-1. looped selects the version for looping voices. If level is SpectrumLevel,
// it measures the spectrum instead. It has no effect if the result exists already or can never exist. If another
// goroutine makes the same level, Refine waits for it. Streams and empty sounds never have mip levels, nor have sounds
// without a Refiner.
//
// If the Refiner panics, or returns invalid samples or a wrong number of them, the sound makes no further mip levels. A
// level takes some thousandths of the sound's duration. Control side, any goroutine: existing levels never change.
func (s *Sound) Refine(level int, looped bool) {
	if level == SpectrumLevel {
		s.measureSpectrum(looped)
		return
	}
	making := &s.refineLocks[setIndex(looped)][level]
	making.Lock()
	defer making.Unlock()
	if s.Refined(level, looped) {
		return
	}
	v, frames := newMip(s, level, looped)
	v.data.floats = s.refined(level, looped, frames)
	samples := v.data.floats
	if int64(len(samples)) != frames*int64(s.channels) || !(dsp.FlushTiny(samples, samples) <= 8*maxSample) { // the compensation for the kernel may add 18 dB
		s.refineFailed.Store(true)
		return
	}
	s.mips[setIndex(looped)][level].Store(v)
}

// prepareBest computes the tables of package dsp for reading mip levels, once per process.
var prepareBest = sync.OnceFunc(dsp.PrepareBest)

// refined calls the Refiner for the mip level number level and returns its interleaved samples, from frame -guardBefore
// of the level on. looped selects the version for looping voices. The Refiner should return the given number of frames,
// but refined does not check this. If the Refiner panics, refined returns nil.
func (s *Sound) refined(level int, looped bool, frames int64) (samples []float32) {
	defer func() {
		if recover() != nil {
			samples = nil
		}
	}()
	return s.refine(s, level, looped, -guardBefore, frames)
}

// Name returns the name of the sound in reports.
func (s *Sound) Name() string { return s.name }

// File returns the path of the source file, with slashes; empty if the sound was not read from a file.
func (s *Sound) File() string { return s.file }

// Rate returns the sample rate in Hz.
func (s *Sound) Rate() int { return s.rate }

// Channels returns 1 or 2.
func (s *Sound) Channels() int { return s.channels }

// Frames returns the length in frames; 0 for an empty sound and for a stream of unknown length.
func (s *Sound) Frames() int64 { return s.frames }

// Loop returns the part that a looping voice repeats, in frames; the zero Loop for an empty sound, and for a stream of
// unknown length that was made without a loop.
func (s *Sound) Loop() pcm.Loop { return s.loop }

// Envelope returns the loudness of the sound by position, which the mixer compares to find the voice to steal. The
// slices belong to the sound and must not be changed.
func (s *Sound) Envelope() Envelope { return s.envelope }

// Bytes returns the memory of the sound in bytes: the samples, the mip levels that exist, the loudness index and the
// measured spectra.
func (s *Sound) Bytes() int64 {
	sum := s.data.bytes() + s.seam.data.bytes() + s.envelope.bytes()
	for set := range s.mips {
		for level := range s.mips[set] {
			if v := s.mips[set][level].Load(); v != nil {
				sum += v.data.bytes()
			}
		}
		if m := s.spectra[set].Load(); m != nil {
			sum += int64(len(m.hops)) * int64(unsafe.Sizeof(spectrum.Hop{}))
		}
	}
	return sum
}

// Compact reports whether samples are stored in 16 bits.
func (s *Sound) Compact() bool { return s.data.compact != nil }

// Samples returns the interleaved samples, with full scale -1..+1 and without internal padding. The slice is the
// sound's own and must not be changed. For a compact sound each call makes a new slice. Not for streams. Control
// side.
func (s *Sound) Samples() []float32 {
	from, to := guardBefore*s.channels, (guardBefore+int(s.frames))*s.channels
	if !s.Compact() {
		return s.data.floats[from:to]
	}
	out := make([]float32, 0, to-from)
	for _, x := range s.data.compact[from:to] {
		out = append(out, float32(x)*0x1p-15)
	}
	return out
}
