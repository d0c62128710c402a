// Package tempo converts tempo maps to the frames of their beats. A beat is the note value of the meter, such as an
// eighth in 7/8, and a tempo counts quarter notes per minute. The time of every beat is a rational number. It is
// computed exactly and rounded to a frame once, half up.
package tempo

import (
	"math/big"
	"slices"
	"sort"
)

// Meter is a time signature, such as 7/8.
type Meter struct {
	Beats int // per bar, at least 1
	Unit  int // the note value of a beat: 4 is a quarter note
}

// Change is an entry of a tempo map. It takes effect at the beginning of a bar.
type Change struct {
	Bar   int   // from 1
	BPM   int64 // quarter notes per minute, in millionths; 0: unchanged
	Ramp  bool  // BPM is reached at Bar, in equal steps once a beat since the last change of the tempo
	Meter Meter // zero: unchanged
}

// Grid has the frames of beats, counted from the first beat of bar 1. It is read-only.
type Grid struct {
	beats []int64 // by beat: its frame
	bars  []int   // by bar: the index of its first beat
}

// run is a part of a tempo map with one meter, and with one tempo or a part of one ramp.
type run struct {
	beats    int64 // -1: endless
	meter    Meter
	from, to int64 // the tempo at step 0 and at the last step
	step     int64 // of the ramp, at the first beat of the run
	steps    int64 // of the ramp; 0: the tempo is from
}

// MaxBeats is the number of beats that one theme may have.
const MaxBeats = 1 << 20

// New returns the grid of all beats at most frames frames after the first, but only the first MaxBeats+1 beats. The
// changes must be in the order of their bars, the first at bar 1 with a tempo and a meter, and a ramp must have a
// tempo. rate is in Hz.
func New(changes []Change, rate int, frames int64) *Grid {
	g := &Grid{}
	at := clock{num: big.NewInt(0), den: big.NewInt(1)}
	for _, r := range runs(changes) {
		bar := int64(0) // beat of the bar
		for left := r.beats; left != 0; {
			n := left
			if r.steps > 0 {
				n = 1
			}
			done := at.advance(r.frames(rate), n, func(frame int64) bool {
				if frame > frames || len(g.beats) > MaxBeats {
					return false
				}
				if bar == 0 {
					g.bars = append(g.bars, len(g.beats))
				}
				bar = (bar + 1) % int64(r.meter.Beats)
				g.beats = append(g.beats, frame)
				return true
			})
			if !done {
				return g
			}
			left -= n
			r.step++
		}
	}
	return g
}

// runs returns the parts of the map with the given changes.
func runs(changes []Change) []run {
	all := make([]run, len(changes))
	beat, tempoAt := int64(0), int64(0) // beats before the change, and before the last change of the tempo
	for i, c := range changes {
		r := &all[i]
		if i > 0 {
			*r = all[i-1]
			r.steps = 0
		}
		if c.Meter != (Meter{}) {
			r.meter = c.Meter
		}
		if c.BPM != 0 {
			r.from, tempoAt = c.BPM, beat
		}
		r.beats = -1
		if i+1 < len(changes) {
			r.beats = int64(changes[i+1].Bar-c.Bar) * int64(r.meter.Beats)
		}
		r.step = beat - tempoAt
		beat += r.beats
	}
	start := int64(0) // of the ramp
	for i, c := range changes {
		if i > 0 {
			start += all[i-1].beats
		}
		if !c.Ramp {
			continue
		}
		before := start
		for j := i - 1; j >= 0; j-- {
			before -= all[j].beats
			all[j].to, all[j].steps = c.BPM, start-before+all[j].step
			if changes[j].BPM != 0 {
				break
			}
		}
	}
	return all
}

// frames returns the length of the present beat of r in frames, as a fraction.
func (r *run) frames(rate int) *big.Rat {
	// A beat is 4/unit quarter notes of 60/bpm seconds, where bpm is in millionths.
	num, den := big.NewInt(240e6), big.NewInt(r.from)
	if r.steps > 0 {
		num.Mul(num, big.NewInt(r.steps))
		den.Mul(den, big.NewInt(r.steps))
		den.Add(den, new(big.Int).Mul(big.NewInt(r.to-r.from), big.NewInt(r.step)))
	}
	num.Mul(num, big.NewInt(int64(rate)))
	return new(big.Rat).SetFrac(num, den.Mul(den, big.NewInt(int64(r.meter.Unit))))
}

// clock is a time in frames, num/den. The fraction is not reduced, because that would take longer than the products.
type clock struct{ num, den *big.Int }

// advance calls do with the frames of the next n beats, each of the given length, and moves the clock past them. A
// negative n is endless. If do returns false, advance returns false at once.
func (c *clock) advance(length *big.Rat, n int64, do func(frame int64) bool) bool {
	// The beat k is at (num*b + k*a*den) / (den*b), for the length a/b. A half is added before rounding down.
	step := new(big.Int).Mul(length.Num(), c.den)
	c.num.Mul(c.num, length.Denom())
	c.den.Mul(c.den, length.Denom())
	x, double, frame := new(big.Int).Lsh(c.num, 1), new(big.Int).Lsh(c.den, 1), new(big.Int)
	x.Add(x, c.den)
	step.Lsh(step, 1)
	for k := int64(0); k != n; k++ {
		if !do(frame.Quo(x, double).Int64()) {
			return false
		}
		x.Add(x, step)
	}
	c.num.Rsh(x.Sub(x, c.den), 1)
	return true
}

// Beats returns the length of n beats of meter at a tempo of bpm, in millionths, in frames.
func Beats(n int, bpm int64, meter Meter, rate int) int64 {
	r := run{from: bpm, meter: meter}
	x := r.frames(rate)
	x.Add(x.Mul(x, big.NewRat(int64(n), 1)), big.NewRat(1, 2))
	return new(big.Int).Quo(x.Num(), x.Denom()).Int64()
}

// Len returns the number of beats of g.
func (g *Grid) Len() int { return len(g.beats) }

// At returns the bar and the beat in the bar at frame, both from 1, or zeros before bar 1.
func (g *Grid) At(frame int64) (bar, beat int) {
	i, exact := slices.BinarySearch(g.beats, frame)
	if !exact {
		i--
	}
	if i < 0 {
		return 0, 0
	}
	bar = sort.SearchInts(g.bars, i+1)
	return bar, i - g.bars[bar-1] + 1
}

// Beat returns the frame of the given beat of a bar, both from 1. It returns false beyond the grid, and for a beat that
// the bar does not have.
func (g *Grid) Beat(bar, beat int) (int64, bool) {
	if bar < 1 || bar > len(g.bars) || beat < 1 {
		return 0, false
	}
	i := g.bars[bar-1] + beat - 1
	if i >= len(g.beats) || bar < len(g.bars) && i >= g.bars[bar] {
		return 0, false
	}
	return g.beats[i], true
}

// NextBeat returns the first beat at frame or later, or false after the last beat of the grid.
func (g *Grid) NextBeat(frame int64) (int64, bool) {
	i, _ := slices.BinarySearch(g.beats, frame)
	if i == len(g.beats) {
		return 0, false
	}
	return g.beats[i], true
}

// NextBar returns the first beginning at frame or later of a bar whose number is 1 plus a multiple of every, or false
// after the last such bar. every is at least 1.
func (g *Grid) NextBar(frame int64, every int) (int64, bool) {
	bar := sort.Search(len(g.bars), func(i int) bool { return g.beats[g.bars[i]] >= frame })
	if over := bar % every; over > 0 {
		bar += every - over
	}
	if bar >= len(g.bars) {
		return 0, false
	}
	return g.beats[g.bars[bar]], true
}
