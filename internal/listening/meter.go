// Package listening measures recorded audio: levels, sides, peaks and silence, and where a known sound occurs.
package listening

import (
	"math"
	"slices"

	"voicepool/pcm"
)

const (
	// SilenceThreshold is the largest amplitude of silence in audio that may be dithered: two 16-bit steps, -84 dBFS.
	SilenceThreshold = 2.0 / 32768

	// SideThreshold is the level difference in dB above which a sound is left or right of the centre.
	SideThreshold = 1
)

// LevelSymbol returns the symbol of a level in a text drawing, from '.' for the quietest to '#' above -20 dB.
func LevelSymbol(level pcm.Decibels) byte {
	i, _ := slices.BinarySearch([]pcm.Decibels{-60, -40, -20}, level)
	return ".-=#"[i]
}

// Span is a half-open range of frames.
type Span struct{ From, To int64 }

// Meter keeps the levels of stereo audio in cells of 1 ms, so that an hour takes 43 MB. One goroutine at a time may use
// it.
type Meter struct {
	rate   int   // in Hz
	first  int64 // number of the first frame
	frames int64 // frames written
	cells  []cell
}

// cell holds the sums of squares of left and right, and the largest amplitude, of 1 ms.
type cell struct{ left, right, peak float32 }

// NewMeter returns an empty meter for audio with a rate in Hz. The first frame that is written gets the number first.
func NewMeter(rate int, first int64) *Meter { return &Meter{rate: rate, first: first} }

// Rate returns the sample rate in Hz.
func (m *Meter) Rate() int { return m.rate }

// Range returns the frames that were written.
func (m *Meter) Range() Span { return Span{m.first, m.first + m.frames} }

// step returns the frames per cell.
func (m *Meter) step() int64 { return max(int64(m.rate)/1000, 1) }

// Update makes m equal to later: m has the same rate and first frame, and is empty or was equal to later before later
// frames were written. It copies only these.
func (m *Meter) Update(later *Meter) {
	known := max(len(m.cells)-1, 0) // the last cell may have grown
	m.frames, m.cells = later.frames, append(m.cells[:known], later.cells[known:]...)
}

// Write adds the next frames.
func (m *Meter) Write(frames []pcm.Frame) {
	step := m.step()
	for _, f := range frames {
		i := int(m.frames / step)
		if i == len(m.cells) {
			m.cells = append(m.cells, cell{})
		}
		c := &m.cells[i]
		c.left += float32(f[0] * f[0])
		c.right += float32(f[1] * f[1])
		c.peak = max(c.peak, f[0], -f[0], f[1], -f[1])
		m.frames++
	}
}

// WriteAt adds the frames from the number frame on. Each frame is the sum of several outputs, which are interleaved. A
// gap is filled with silence, and frames that were written before are skipped.
func (m *Meter) WriteAt(frame int64, interleaved []pcm.Frame, outputs int) {
	skipped := m.Range().To - frame
	if skipped < 0 {
		m.frames -= skipped
		for int64(len(m.cells)) < (m.frames+m.step()-1)/m.step() {
			m.cells = append(m.cells, cell{})
		}
	}
	for i := int(max(skipped, 0)) * outputs; i+outputs <= len(interleaved); i += outputs {
		var sum pcm.Frame
		for _, f := range interleaved[i : i+outputs] {
			sum[0], sum[1] = sum[0]+f[0], sum[1]+f[1]
		}
		m.Write([]pcm.Frame{sum})
	}
}

// between returns the cells within s, and the index of the first one. If s is shorter than a cell, the result is the
// cell at its beginning. Frames that were not written have no cells.
func (m *Meter) between(s Span) (first int, within []cell) {
	step, last := m.step(), int64(len(m.cells))
	from := (max(s.From-m.first, 0) + step - 1) / step
	to := (s.To - m.first) / step
	if s.To-m.first >= m.frames {
		to = last // the last cell may be shorter
	}
	if to <= from && s.To > s.From && s.To > m.first {
		from = max(s.From-m.first, 0) / step
		to = from + 1
	}
	to = min(to, last)
	if from >= to {
		return 0, nil
	}
	return int(from), m.cells[from:to]
}

// Sides returns the mean squares of left and right over some spans, in whole cells. The spans may overlap and must be
// sorted by their beginnings. Without frames the means are 0.
func (m *Meter) Sides(spans ...Span) (left, right float64) {
	n, done := int64(0), m.first
	for _, s := range spans {
		i, cells := m.between(Span{max(s.From, done), s.To})
		for k, c := range cells {
			left += float64(c.left)
			right += float64(c.right)
			n += min(m.step(), m.frames-int64(i+k)*m.step())
		}
		done = max(done, s.To)
	}
	if n == 0 {
		return 0, 0
	}
	return left / float64(n), right / float64(n)
}

// Level returns the RMS of both channels over some spans in dBFS, as mixer.Levels defines it; -Inf for silence.
func (m *Meter) Level(spans ...Span) pcm.Decibels {
	left, right := m.Sides(spans...)
	return pcm.FromPower((left + right) / 2)
}

// Peak returns the largest amplitude within s, as a factor of full scale.
func (m *Meter) Peak(s Span) (peak float32) {
	_, cells := m.between(s)
	for _, c := range cells {
		peak = max(peak, c.peak)
	}
	return peak
}

// FirstSound returns the first frame of the first cell within s that is louder than SilenceThreshold; ok is false if all
// are silent.
func (m *Meter) FirstSound(s Span) (frame int64, ok bool) {
	i, cells := m.between(s)
	k := slices.IndexFunc(cells, func(c cell) bool { return c.peak > SilenceThreshold })
	return m.first + int64(i+k)*m.step(), k >= 0
}

// Pan returns the pan, from -1 (left) to 1 (right), of a mono sound with the given mean squares of left and right. It is
// the inverse of the mixer's constant-power law. For silence it is 0.
func Pan(left, right float64) float64 {
	if left == 0 && right == 0 {
		return 0
	}
	return math.Atan2(math.Sqrt(right), math.Sqrt(left))*4/math.Pi - 1
}
