package playable

import (
	"math"
	"math/bits"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Levels is the maximum number of mip levels of a sound for voices that play it once, and also for looping voices.
// The fastest voice reads the last level and advances by at most 1.5 of its frames per frame of the mix.
const Levels = 14

// Mip is a mip level: the sound at a lower rate, for quality Best at higher pitches. Level k has (2/3)^k times the
// sound's rate. A step is hardly ever more than one and a half frames. Positions are 32.32 in its own frames.
// Immutable.
type Mip struct {
	Level   int
	Looped  bool
	Samples Store // its frame 0 is frame -GuardBefore of the level
	Wrap    int64 // first position that is no longer read
	Back    int64 // of a looped level: the jump back at Wrap, a multiple of the loop length
}

// mipFrameReach is the number of frames of a mip level that its filter and a kernel cover to each side. This
// far beyond the end of a loop, samples from before the loop have no effect.
const mipFrameReach = 128 + 8

// NewMip returns the mip level number level of d, without samples. frames is the number of frames that its samples must
// have, guard frames included. looped selects the version for looping voices. Control side.
func NewMip(d *Data, level int, looped bool) (m *Mip, frames int64) {
	m = &Mip{Level: level, Looped: looped}
	end, beyond := d.Frames, int64(GuardAfter/2) // steps are rounded, and the end is found in frames of the sound
	if looped {
		length := d.Loop.Frames()
		times := int64(1)
		for Scaled(times*length, level) < ShortLoop {
			times = max(times+1, times*3/2)
		}
		m.Back = Scaled(times*length<<32, level)
		end, beyond = d.Loop[1]+(times-1)*length, mipFrameReach
	}
	m.Wrap = Scaled(end<<32, level) + beyond<<32
	return m, (m.Wrap+1<<32-1)>>32 + GuardBefore + GuardAfter
}

// Scaled converts a number x of frames of the sound to frames of the mip level number level: it returns x times
// (2/3)^level, rounded to the nearest. x is not negative, and level is 0..Levels.
func Scaled(x int64, level int) int64 {
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

// MipReach returns how many frames of the original sound the filter of mip level number level and a kernel cover to
// each side.
func MipReach(level int) int64 { return mipFrameReach*powersOf3[level]>>level + 1 }

// MaxStep returns the largest step of a voice that reads the mip level with the given number, from 0. A step is the
// advance of the voice per frame of the mix. The largest one is 1.5 frames of that level. Level k has (2/3)^k times the
// rate of the sound, so this is 1.5^(level+1) frames of the original sound. The unit of the result is 2^-32 of them.
func MaxStep(level int) int64 { return powersOf3[level+1] << 32 >> (level + 1) }

// MaxOctaves limits the speed of a voice to 2^8 times the sound's speed, so that a step stays far from the
// limits of 32.32 fixed point.
const MaxOctaves = 8

// StepOf returns how far a voice advances in its sound per frame of the mix, for a pitch in semitones. The unit is
// 2^-32 frames of the sound. The pitch is limited to MaxOctaves up and down.
func StepOf(semitones float64) int64 {
	if semitones == 0 {
		return dsp.One
	}
	octaves := min(max(semitones/12, -MaxOctaves), MaxOctaves)
	return int64(math.Floor(float64(pcm.Exp2(octaves)*dsp.One) + 0.5))
}

// LevelOf returns the number of the mip level for a voice that advances by step per frame of the mix. step has the unit
// 2^-32 frames of the original sound. The result is the lowest level that makes the step at most 1.5 frames of the
// level, or the last level.
func LevelOf(step int64) int {
	level := 0
	for level < Levels-1 && step > MaxStep(level) {
		level++
	}
	return level
}

// setIndex returns the first index of Data.mips and similar tables: 1 if looped is true, otherwise 0.
func setIndex(looped bool) int {
	if looped {
		return 1
	}
	return 0
}

// FindMip returns the mip level number level of the sound, with lacks false. looped selects the levels for looping
// voices. If the level does not exist yet, lacks is true, and m is a substitute: the nearest lower level, else the
// nearest higher one, else nil. Any goroutine.
func (d *Data) FindMip(level int, looped bool) (m *Mip, lacks bool) {
	set := &d.mips[setIndex(looped)]
	if m = set[level].Load(); m != nil {
		return m, false
	}
	for k := level - 1; k >= 0; k-- {
		if m = set[k].Load(); m != nil {
			return m, true
		}
	}
	for k := level + 1; k < Levels; k++ {
		if m = set[k].Load(); m != nil {
			return m, true
		}
	}
	return nil, true
}

// HasMip reports whether the mip level number level exists. looped selects the levels for looping voices. Any
// goroutine.
func (d *Data) HasMip(level int, looped bool) bool {
	return d.mips[setIndex(looped)][level].Load() != nil
}

// AddMip stores m as the mip level number m.Level. Control side.
func (d *Data) AddMip(m *Mip) { d.mips[setIndex(m.Looped)][m.Level].Store(m) }

// DrainMissing returns the set of levels that were passed to RecordMissing since the last call, and clears the set.
// looped selects the set of looping voices. Bit k of the result is level k. Any goroutine.
func (d *Data) DrainMissing(looped bool) (levels uint32) { return d.missing[setIndex(looped)].Swap(0) }

// RecordMissing adds level to the set that DrainMissing returns: a mip level that a voice misses, or Levels for the
// spectrum. looped selects the set of looping voices. Audio side.
func (d *Data) RecordMissing(level int, looped bool) {
	if n := &d.missing[setIndex(looped)]; n.Load()>>level&1 == 0 {
		n.Or(1 << level)
	}
}
