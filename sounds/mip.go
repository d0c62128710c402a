package sounds

import (
	"sync"

	"voicepool/internal/dsp"
	"voicepool/internal/playable"
	"voicepool/internal/spectrum"
	"voicepool/pcm"
)

// Levels is the maximum number of mip levels (band-limited versions) of a sound. Looping voices have a second
// set of as many levels. The fastest voice reads the last level and advances by at most 1.5 of its frames per
// frame of the mix.
const Levels = playable.Levels

// SpectrumLevel selects the spectrum of a sound, in place of a mip level, in Refine, Refined and
// DrainMissing. The mixer uses the spectrum to choose the voice to steal if filters are active. The
// measurement takes about a thousandth of the sound's duration. Streams and sounds without a loudness
// index have no spectrum and count as pink noise.
const SpectrumLevel = Levels

// SpectrumBands is the number of bands of the spectrum of a sound: 0.68 octaves each, from 50 Hz to 14 kHz. The first
// and the last band include everything beyond.
const SpectrumBands = spectrum.Bands

// Refiner makes the samples of a mip level of a sound, interleaved. It returns the given number of frames,
// starting at the level's frame first, which may be negative. Level k has (2/3)^k times the sound's rate. It
// is band-limited, and it compensates the frequency response of the interpolation kernel dsp.MonoBest. A
// looped level repeats the loop after the loop's end. Control side; a Refiner must not change the sound and
// must return the same samples each time.
type Refiner func(s *Sound, level int, looped bool, first, frames int64) []float32

// LevelOf returns the number of the mip level (a band-limited version of the sound) that a voice of the given pitch
// reads. pitch must include the speed. The result is the lowest level, from 0, that makes the voice advance by at most
// 1.5 frames of the level per frame of the mix, or the last level. At pitch 0 it is -1: the voice reads the original
// sound.
func LevelOf(pitch pcm.Semitones) int {
	step := playable.StepOf(float64(pitch))
	if step == dsp.One {
		return -1
	}
	return playable.LevelOf(step)
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
	making := &s.refineLocks[0][level]
	if looped {
		making = &s.refineLocks[1][level]
	}
	making.Lock()
	defer making.Unlock()
	if s.Refined(level, looped) {
		return
	}
	m, frames := playable.NewMip(&s.data, level, looped)
	samples := s.refined(level, looped, frames)
	if int64(len(samples)) != frames*int64(s.data.Channels) || !(dsp.FlushTiny(samples, samples) <= 8*playable.MaxSample) { // the compensation for the kernel may add 18 dB
		s.refineFailed.Store(true)
		return
	}
	m.Samples.Floats = samples
	s.data.AddMip(m)
}

// prepareBest computes the tables of package dsp for reading mip levels, once per process.
var prepareBest = sync.OnceFunc(dsp.PrepareBest)

// refined calls the Refiner for the mip level number level and returns its interleaved samples, from the first guard
// frame of the level on. looped selects the version for looping voices. The Refiner should return the given number of
// frames, but refined does not check this. If the Refiner panics, refined returns nil.
func (s *Sound) refined(level int, looped bool, frames int64) (samples []float32) {
	defer func() {
		if recover() != nil {
			samples = nil
		}
	}()
	return s.refine(s, level, looped, -playable.GuardBefore, frames)
}

// measureSpectrum measures the spectrum of the sound and stores it. looped selects the spectrum for looping voices. It
// has no effect if the spectrum exists already or the sound cannot have one.
func (s *Sound) measureSpectrum(looped bool) {
	if s.Refined(SpectrumLevel, looped) {
		return
	}
	hops := spectrum.Measure(&spectrum.Sound{Samples: s.Samples(), Channels: s.Channels(), Rate: s.Rate(), Hop: s.envelope.Hop, Loop: s.Loop()}, looped)
	s.data.SetSpectrum(&playable.Spectrum{Hops: hops}, looped)
}

// DrainMissing returns the set of mip levels that voices have missed since the last call, and clears the set. looped
// selects the set of looping voices. Bit k of the result is level k, and bit SpectrumLevel is the spectrum. Any
// goroutine.
func (s *Sound) DrainMissing(looped bool) (levels uint32) { return s.data.DrainMissing(looped) }

// Refined reports whether a call of Refine with the same arguments would have no effect. level is a mip level or
// SpectrumLevel for the spectrum. The result is true if it exists already or can never exist. Any goroutine.
func (s *Sound) Refined(level int, looped bool) bool {
	if level == SpectrumLevel {
		return s.envelope.Hop < 1 || s.open != nil || s.data.Frames == 0 || s.data.Spectrum(looped) != nil
	}
	return !s.CanRefine() || s.data.HasMip(level, looped)
}

// CanRefine reports whether the sound can still make mip levels: it was made with a Refiner, and that Refiner has not
// failed.
func (s *Sound) CanRefine() bool { return s.refine != nil && !s.refineFailed.Load() }
