package voice

import (
	"math/bits"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Levels is how many versions a sound can have, once and looped: the last is
// read at steps up to 1.5 by the fastest voice.
const Levels = 14

// SpectrumLevel stands for the spectrum of a sound where Refine, Refined and Needed say versions: what a
// choice of victim knows filters by. It takes about a thousandth of the sound's length. A stream, and a
// sound without a loudness index, have none and count as pink.
const SpectrumLevel = Levels

// Refiner makes the samples of a version of a sound: interleaved, frames of
// them, the first of which is the version's frame first, which may be before the
// sound. A version of level k has (2/3)^k times the sound's rate; it is
// band-limited and compensated for the kernel dsp.MonoBest. That of a looped
// sound goes on with the loop where the loop ends, again and again. Control side;
// it does not change the sound, and gives the same each time.
type Refiner func(s *Sound, level int, looped bool, first, frames int64) []float32

// version is a sound as the quality Best reads it: at a lower rate for higher
// pitches, so that a step is hardly ever more than one and a half frames.
// Positions in it are 32.32 in its own frames. Immutable.
type version struct {
	level  int
	looped bool
	data   store // its frame 0 is the version's frame -guardBefore
	wrap   int64 // the first position that is no longer read
	back   int64 // of a looped version: a whole number of loop lengths, to be taken off then
}

// versionReach is how many frames of a version its filter reaches to both sides,
// and a kernel besides. So far beyond the end of a loop nothing tells any more
// what came before it.
const versionReach = 128 + 8

// newVersion returns a version of s without samples, and how many frames it needs.
func newVersion(s *Sound, level int, looped bool) (v *version, frames int64) {
	v = &version{level: level, looped: looped}
	end, beyond := s.frames, int64(guardAfter/2) // steps are rounded, and an end is found in frames of the sound
	if looped {
		length := s.loop.Frames()
		times := int64(1)
		for scaled(times*length, level) < shortLoop {
			times = max(times+1, times*3/2)
		}
		v.back = scaled(times*length<<32, level)
		end, beyond = s.loop[1]+(times-1)*length, versionReach
	}
	v.wrap = scaled(end<<32, level) + beyond<<32
	return v, (v.wrap+1<<32-1)>>32 + guardBefore + guardAfter
}

// scaled returns x (2/3)^level, rounded to the nearest, for x >= 0.
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

// limit returns the largest step at which a version is read: 1.5 of its frames.
func limit(level int) int64 { return powersOf3[level+1] << 32 >> (level + 1) }

// levelOf returns the level of the version for a step.
func levelOf(step int64) int {
	level := 0
	for level < Levels-1 && step > limit(level) {
		level++
	}
	return level
}

// LevelOf returns which version a voice of this pitch reads, speed included: the
// least whose step is at most one and a half of its frames; -1 where it reads the
// sound as it is.
func LevelOf(pitch pcm.Semitones) int {
	step := stepOf(float64(pitch))
	if step == dsp.One {
		return -1
	}
	return levelOf(step)
}

func setOf(looped bool) int {
	if looped {
		return 1
	}
	return 0
}

// version returns a version of the sound, or, with lacks, the nearest that is there
// below it, else above it, else nil.
func (s *Sound) version(level int, looped bool) (v *version, lacks bool) {
	set := &s.versions[setOf(looped)]
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

// Needed returns which versions voices have missed since it was last called, a bit
// for each level. Any goroutine.
func (s *Sound) Needed(looped bool) (levels uint32) { return s.needs[setOf(looped)].Swap(0) }

// need notes what a voice misses. Audio side.
func (s *Sound) need(level int, looped bool) {
	if n := &s.needs[setOf(looped)]; n.Load()>>level&1 == 0 {
		n.Or(1 << level)
	}
}

// Refined reports whether a version is there, or can never be. Any goroutine.
func (s *Sound) Refined(level int, looped bool) bool {
	if level == SpectrumLevel {
		return s.envelope.Hop < 1 || s.open != nil || s.frames == 0 || s.spectra[setOf(looped)].Load() != nil
	}
	return !s.Refines() || s.versions[setOf(looped)][level].Load() != nil
}

// Refines reports whether the sound can have versions: it was made with a
// Refiner.
func (s *Sound) Refines() bool { return s.refine != nil && !s.unrefined.Load() }
