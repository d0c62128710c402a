// Package playable holds a sound in the form that voices read: its samples with silence around them, a copy of
// the samples around the end of its loop, and mip levels, which are band-limited versions for fast pitches.
// Package sounds makes the data, and package voice reads it:
//
//	mip, lacks := data.FindMip(level, looped) // audio side
//	if lacks {
//		data.RecordMissing(level, looped) // the control side makes the level later, with NewMip and AddMip
//	}
//
// Any number of voices and goroutines may share a Data. Its exported fields are set before the first voice
// reads them. Mip levels and spectra are added while voices play, without locks.
package playable

import (
	"sync/atomic"
	"unsafe"

	"voicepool/internal/spectrum"
	"voicepool/pcm"
)

const (
	// GuardBefore and GuardAfter are the frames of silence around the samples, so that no kernel reads
	// outside them.
	GuardBefore = 4
	GuardAfter  = 20

	// MaxSample is the largest allowed magnitude of a sample, 96 dB over full scale. It allows floats that
	// are scaled as 16-bit integers. Beyond it a file is broken rather than loud.
	MaxSample = 1 << 16
)

const (
	// StreamReach is the number of frames of a stream that a voice needs before and after its position.
	StreamReach = 4

	// MinFade is the minimum length in frames of the fade when a stream runs out of frames.
	MinFade = 8
)

// TailReserve returns how many frames of a stream buffer are reserved for the tail of its voice. The tail is a copy of
// the voice, and it fades out. capacity is the capacity of the buffer in frames. The result is an eighth of it, but at
// least 2048.
func TailReserve(capacity int) int64 { return max(int64(capacity)/8, MinFade<<MaxOctaves) }

// Data is a sound as voices read it. A stream has no samples, no seam and no mip levels.
type Data struct {
	Rate      int // in Hz
	Channels  int // 1 or 2
	Frames    int64
	Loop      pcm.Loop
	Samples   Store            // GuardBefore frames, the samples, GuardAfter frames
	Seam      Seam             // the samples around the end of the loop
	Warped    *spectrum.Warped // spectrum bands at the sound's rate
	Mono      bool             // one channel, or two equal ones
	Refinable bool             // the sound was made with a Refiner, so mip levels may follow

	mips    [2][Levels]atomic.Pointer[Mip] // once and looped, by level
	missing [2]atomic.Uint32               // levels that voices have missed
	spectra [2]atomic.Pointer[Spectrum]    // once and looped
}

// Spectrum is the spectrum of a sound, by hop of its loudness index.
type Spectrum struct{ Hops []spectrum.Hop }

// Spectrum returns the measured spectrum of the sound, or nil if it has not been measured. looped selects the spectrum
// for looping voices. Any goroutine.
func (d *Data) Spectrum(looped bool) *Spectrum { return d.spectra[setIndex(looped)].Load() }

// SetSpectrum stores the measured spectrum of the sound. looped selects the spectrum for looping voices. Control side.
func (d *Data) SetSpectrum(s *Spectrum, looped bool) { d.spectra[setIndex(looped)].Store(s) }

// Bytes returns the memory of the samples, the mip levels that exist and the measured spectra, in bytes.
func (d *Data) Bytes() int64 {
	sum := d.Samples.bytes() + d.Seam.Samples.bytes()
	for set := range d.mips {
		for level := range d.mips[set] {
			if m := d.mips[set][level].Load(); m != nil {
				sum += m.Samples.bytes()
			}
		}
		if m := d.spectra[set].Load(); m != nil {
			sum += int64(len(m.Hops)) * int64(unsafe.Sizeof(spectrum.Hop{}))
		}
	}
	return sum
}

// Store holds interleaved samples in either of two formats.
type Store struct {
	Floats  []float32 // full scale is -1..+1
	Compact []int16   // in units of 2^-15
}

// bytes returns the size of the samples in bytes.
func (s *Store) bytes() int64 { return 4*int64(len(s.Floats)) + 2*int64(len(s.Compact)) }

// gather returns a new store of n samples in the same format as s. Its sample number i is the sample of s with the
// index at(i).
func (s *Store) gather(n int64, at func(i int64) int64) Store {
	if s.Compact != nil {
		return Store{Compact: gather(s.Compact, n, at)}
	}
	return Store{Floats: gather(s.Floats, n, at)}
}

// gather returns a new slice of n samples. Its sample number i is src[at(i)].
func gather[S float32 | int16](src []S, n int64, at func(i int64) int64) []S {
	dst := make([]S, n)
	for i := range dst {
		dst[i] = src[at(int64(i))]
	}
	return dst
}
