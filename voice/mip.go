package voice

import (
	"math/bits"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Levels is the maximum number of mip levels (band-limited versions) of a sound. Looping voices have a second
// set of as many levels. The fastest voice reads the last level and advances by at most 1.5 of its frames per
// frame of the mix.
const Levels = 14

// SpectrumLevel selects the spectrum of a sound, in place of a mip level, in Refine, Refined and
// DrainMissing. The mixer uses the spectrum to choose the voice to steal if filters are active. The
// measurement takes about a thousandth of the sound's duration. Streams and sounds without a loudness
// index have no spectrum and count as pink noise.
const SpectrumLevel = Levels

// Refiner makes the samples of a mip level of a sound, interleaved. It returns the given number of frames,
// starting at the level's frame first, which may be negative. Level k has (2/3)^k times the sound's rate. It
// is band-limited, and it compensates the frequency response of the interpolation kernel dsp.MonoBest. A
// looped level repeats the loop after the loop's end. Control side; a Refiner must not change the sound and
// must return the same samples each time.
type Refiner func(s *Sound, level int, looped bool, first, frames int64) []float32

// mipLevel is a mip level: the sound at a lower rate, for quality Best at higher pitches. A step is hardly
// ever more than one and a half frames. Positions are 32.32 in its own frames. Immutable.
type mipLevel struct {
	index  int
	looped bool
	data   sampleStore // its frame 0 is frame -guardBefore of the level
	wrap   int64       // first position that is no longer read
	back   int64       // of a looped level: the jump back at wrap, a multiple of the loop length
}

// mipFrameReach is the number of frames of a mip level that its filter and a kernel cover to each side. This
// far beyond the end of a loop, samples from before the loop have no effect.
const mipFrameReach = 128 + 8

// newMip returns the mip level number level of s, without samples. A mip level is a band-limited version of the sound
// at a lower rate. frames is the number of frames that its samples must have, guard frames included. looped selects the
// version for looping voices.
func newMip(s *Sound, level int, looped bool) (v *mipLevel, frames int64) {
	v = &mipLevel{index: level, looped: looped}
	end, beyond := s.frames, int64(guardAfter/2) // steps are rounded, and the end is found in frames of the sound
	if looped {
		length := s.loop.Frames()
		times := int64(1)
		for scaled(times*length, level) < shortLoop {
			times = max(times+1, times*3/2)
		}
		v.back = scaled(times*length<<32, level)
		end, beyond = s.loop[1]+(times-1)*length, mipFrameReach
	}
	v.wrap = scaled(end<<32, level) + beyond<<32
	return v, (v.wrap+1<<32-1)>>32 + guardBefore + guardAfter
}

// scaled converts a number x of frames of the sound to frames of the mip level number level: it returns x times
// (2/3)^level, rounded to the nearest. x is not negative, and level is 0..Levels.
func scaled(x int64, level int) int64 {
	if level == 0 {
		return x
	}
	d := uint64(powersOf3[level])
	hi, lo := bits.Mul64(uint64(x), 1<<level)
	lo, carry := bits.Add64(lo, d/2, 0)
	q, _ := bits.Div64(hi+carry, lo, d)
	return int64(q)
}

var powersOf3 = func() (p [Levels + 1]int64) {
	p[0] = 1
	for i := range Levels {
		p[i+1] = 3 * p[i]
	}
	return p
}()

// maxMipStep returns the largest step of a voice that reads the mip level number level. It is 1.5 frames of that level.
// The result has the unit 2^-32 frames of the original sound.
func maxMipStep(level int) int64 { return powersOf3[level+1] << 32 >> (level + 1) }

// levelOf returns the number of the mip level (a band-limited version of the sound) for a voice that advances by step
// per frame of the mix. step has the unit 2^-32 frames of the original sound. The result is the lowest level that makes
// the step at most 1.5 frames of the level, or the last level.
func levelOf(step int64) int {
	level := 0
	for level < Levels-1 && step > maxMipStep(level) {
		level++
	}
	return level
}

// LevelOf returns the number of the mip level (a band-limited version of the sound) that a voice of the given pitch
// reads. pitch must include the speed. The result is the lowest level, from 0, that makes the voice advance by at most
// 1.5 frames of the level per frame of the mix, or the last level. At pitch 0 it is -1: the voice reads the original
// sound.
func LevelOf(pitch pcm.Semitones) int {
	step := stepOf(float64(pitch))
	if step == dsp.One {
		return -1
	}
	return levelOf(step)
}

// setIndex returns the first index of Sound.mips and similar tables: 1 if looped is true, otherwise 0.
func setIndex(looped bool) int {
	if looped {
		return 1
	}
	return 0
}

// findMip returns the mip level number level of the sound (a band-limited version for fast pitches), with lacks false.
// looped selects the levels for looping voices. If the level does not exist yet, lacks is true, and v is a substitute:
// the nearest lower level, else the nearest higher one, else nil.
func (s *Sound) findMip(level int, looped bool) (v *mipLevel, lacks bool) {
	set := &s.mips[setIndex(looped)]
	if v = set[level].Load(); v != nil {
		return v, false
	}
	for k := level - 1; k >= 0; k-- {
		if v = set[k].Load(); v != nil {
			return v, true
		}
	}
	for k := level + 1; k < Levels; k++ {
		if v = set[k].Load(); v != nil {
			return v, true
		}
	}
	return nil, true
}

// DrainMissing returns the set of mip levels that voices have missed since the last call, and clears the set. looped
// selects the set of looping voices. Bit k of the result is level k, and bit SpectrumLevel is the spectrum. Any
// goroutine.
func (s *Sound) DrainMissing(looped bool) (levels uint32) { return s.missing[setIndex(looped)].Swap(0) }

// recordMissing adds level to the set that DrainMissing returns: a mip level that a voice misses, or SpectrumLevel for
// the spectrum. looped selects the set of looping voices. Audio side.
func (s *Sound) recordMissing(level int, looped bool) {
	if n := &s.missing[setIndex(looped)]; n.Load()>>level&1 == 0 {
		n.Or(1 << level)
	}
}

// Refined reports whether a call of Refine with the same arguments would have no effect. level is a mip level or
// SpectrumLevel for the spectrum. The result is true if it exists already or can never exist. Any goroutine.
func (s *Sound) Refined(level int, looped bool) bool {
	if level == SpectrumLevel {
		return s.envelope.Hop < 1 || s.open != nil || s.frames == 0 || s.spectra[setIndex(looped)].Load() != nil
	}
	return !s.CanRefine() || s.mips[setIndex(looped)][level].Load() != nil
}

// CanRefine reports whether the sound can still make mip levels: it was made with a Refiner, and that Refiner has not
// failed.
func (s *Sound) CanRefine() bool { return s.refine != nil && !s.refineFailed.Load() }
