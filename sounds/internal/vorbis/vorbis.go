// Package vorbis reads Vorbis in Ogg files. The usual library loops for ever on some
// hostile files, refuses the 5.1 that common encoders write, and clips at full scale.
// All sums are in float64 with every product converted, so the samples have the same
// bits on every machine.
package vorbis

import (
	"errors"
	"math/bits"
	"sync"

	"voicepool/pcm"
	"voicepool/sounds/internal/source"
)

// decoder decodes the packets of one stream.
type decoder struct {
	channels, rate int
	blocks         [2]int // frames of a short and a long block
	books          []*book
	floors         []*floor1
	residues       []*residue
	mappings       []*mapping
	modes          []mode

	transform [2]*mdct
	slope     [2][]float64 // the rising half of a window, by the shorter of two neighbours
	spectrum  [][]float64  // by channel
	woven     []float64    // several of them as one, sample by sample
	block     [][]float64  // by channel, in time
	last      [][]float64  // by channel, the second half of the block before
	lastLong  int          // its size; -1: there is none
	curve     [][]int      // by channel, the floor's points; nil: silence
	points    [][65]int
	step      [65]bool
	classes   []int
	order     []int // by channel of a clip, the channel here
}

// decibels are what the steps of a floor mean, as factors.
var decibels = sync.OnceValue(func() *[256]float64 {
	var t [256]float64
	for i := range t {
		t[i] = (pcm.Decibels(i-255) * 0.546875).Linear()
	}
	return &t
})

// init makes the tables that the setup calls for.
func (v *decoder) init() {
	for i, n := range v.blocks {
		v.transform[i] = newMDCT(n)
		v.slope[i] = make([]float64, n/2)
		for j := range v.slope[i] {
			s := pcm.SinPi((float64(j) + 0.5) / float64(n))
			v.slope[i][j] = pcm.SinPi(float64(s*s) / 2)
		}
	}
	v.curve, v.points = make([][]int, v.channels), make([][65]int, v.channels)
	for range v.channels {
		v.spectrum = append(v.spectrum, make([]float64, v.blocks[1]/2))
		v.block = append(v.block, make([]float64, v.blocks[1]))
		v.last = append(v.last, make([]float64, v.blocks[1]/2))
	}
	v.woven = make([]float64, v.channels*v.blocks[1]/2)
	v.lastLong = -1
	v.order = [...][]int{
		1: {0}, 2: {0, 1}, 3: {0, 2, 1}, 4: {0, 1, 2, 3}, 5: {0, 2, 1, 3, 4},
		6: {0, 2, 1, 5, 3, 4}, 7: {0, 2, 1, 6, 5, 3, 4}, 8: {0, 2, 1, 7, 5, 6, 3, 4},
	}[v.channels]
}

var errPacket = errors.New("a packet that is no sound")

// Decode appends what one packet completes. A packet that ends early is played
// as far as it goes, as the format wants it.
func (v *decoder) Decode(dst []float32, packet []byte) ([]float32, error) {
	if len(packet) == 0 {
		return dst, nil
	}
	r := source.NewLSB(packet)
	mode, err := v.mode(r)
	if err != nil {
		return dst, err
	}
	m := v.mappings[mode.mapping]
	half := v.blocks[mode.long] / 2
	for ch := range v.spectrum {
		v.spectrum[ch] = v.spectrum[ch][:half]
		clear(v.spectrum[ch])
		v.curve[ch] = m.floors[m.submap[ch]].read(r, v.points[ch][:0])
	}
	v.readResidues(r, m, half)
	for i := len(m.coupling) - 1; i >= 0; i-- {
		uncouple(v.spectrum[m.coupling[i].magnitude], v.spectrum[m.coupling[i].angle])
	}
	for ch, y := range v.block {
		y = y[:2*half]
		if v.curve[ch] == nil {
			clear(y)
			continue
		}
		m.floors[m.submap[ch]].apply(v.curve[ch], v.spectrum[ch], &v.step, decibels())
		v.transform[mode.long].inverse(y, v.spectrum[ch])
	}
	dst = v.overlap(dst, mode.long)
	for ch, y := range v.block {
		copy(v.last[ch], y[half:2*half])
	}
	v.lastLong = mode.long
	return dst, nil
}

// mode reads the beginning of a packet.
func (v *decoder) mode(r *source.LSB) (mode mode, err error) {
	if r.Flag() {
		return mode, errPacket
	}
	number := int(r.Take(uint(bits.Len(uint(len(v.modes) - 1)))))
	if number >= len(v.modes) {
		return mode, errPacket
	}
	mode = v.modes[number]
	if mode.long == 1 {
		r.Take(2) // which windows the neighbours have, which they say themselves
	}
	if r.Over() {
		return mode, errPacket
	}
	return mode, nil
}

// Pass counts what a packet completes, and does not decode it.
func (v *decoder) Pass(packet []byte) (int64, error) {
	if len(packet) == 0 {
		return 0, nil
	}
	mode, err := v.mode(source.NewLSB(packet))
	if err != nil {
		return 0, err
	}
	n := 0
	if v.lastLong >= 0 {
		n = v.blocks[v.lastLong]/4 + v.blocks[mode.long]/4
	}
	v.lastLong = mode.long
	return int64(n), nil
}

// Ahead counts what packets are going to complete.
func (v *decoder) Ahead(packets ...[]byte) (frames int64) {
	last := v.lastLong
	for _, p := range packets {
		n, _ := v.Pass(p)
		frames += n
	}
	v.lastLong = last
	return frames
}

// overlap appends the frames from the middle of the block before to the middle
// of this one.
func (v *decoder) overlap(dst []float32, long int) []float32 {
	if v.lastLong < 0 {
		return dst
	}
	before, now := v.blocks[v.lastLong]/4, v.blocks[long]/4
	window := v.slope[min(v.lastLong, long)]
	first := before - len(window)/2 // where the crossing begins
	n := before + now
	old := len(dst)
	dst = source.Grow(dst, n*v.channels)
	out := dst[old:]
	for place, ch := range v.order {
		last, block := v.last[ch], v.block[ch]
		for t := range n {
			var x float64
			switch j := t - first; {
			case j < 0:
				x = last[t]
			case j < len(window):
				x = float64(last[t]*window[len(window)-1-j]) + float64(block[t-before+now]*window[j])
			default:
				x = block[t-before+now]
			}
			out[t*v.channels+place] = float32(x)
		}
	}
	return dst
}

// uncouple turns magnitude and angle into two channels.
func uncouple(magnitude, angle []float64) {
	for i, m := range magnitude {
		a := angle[i]
		switch {
		case m > 0 && a > 0:
			angle[i] = m - a
		case m > 0:
			magnitude[i], angle[i] = m+a, m
		case a > 0:
			angle[i] = m + a
		default:
			magnitude[i], angle[i] = m-a, m
		}
	}
}

// read decodes the heights of a floor's points; nil is silence.
func (f *floor1) read(r *source.LSB, y []int) []int {
	if !r.Flag() {
		return nil
	}
	width := uint(bits.Len(uint([...]int{256, 128, 86, 64}[f.multiplier-1] - 1)))
	y = append(y, int(r.Take(width)), int(r.Take(width)))
	for _, class := range f.partitions {
		c := &f.classes[class]
		choice := 0
		if c.master != nil {
			var ok bool
			if choice, ok = c.master.scalar(r); !ok {
				return nil
			}
		}
		for range c.dimensions {
			book := c.books[choice&(1<<c.subclasses-1)]
			choice >>= c.subclasses
			height := 0
			if book != nil {
				var ok bool
				if height, ok = book.scalar(r); !ok {
					return nil
				}
			}
			y = append(y, height)
		}
	}
	if r.Over() {
		return nil
	}
	return y
}

// apply multiplies a spectrum by the line through the points. y becomes their
// true heights.
func (f *floor1) apply(y []int, spectrum []float64, step *[65]bool, decibels *[256]float64) {
	height := [...]int{256, 128, 86, 64}[f.multiplier-1]
	step[0], step[1] = true, true
	for i := 2; i < len(f.x); i++ {
		low, high := f.low[i], f.high[i]
		predicted := onLine(f.x[low], y[low], f.x[high], y[high], f.x[i])
		above, below := height-predicted, predicted
		value := y[i]
		step[i] = value != 0
		if value == 0 {
			y[i] = predicted
			continue
		}
		step[low], step[high] = true, true
		switch room := 2 * min(above, below); {
		case value >= room && above > below:
			y[i] = value
		case value >= room:
			y[i] = height - 1 - value
		case value&1 == 1:
			y[i] = predicted - (value+1)/2
		default:
			y[i] = predicted + value/2
		}
		y[i] = min(max(y[i], 0), height-1) // only faulty files leave this range
	}
	x0, y0 := 0, y[0]*f.multiplier
	for _, i := range f.order[1:] {
		if !step[i] {
			continue
		}
		x1, y1 := f.x[i], y[i]*f.multiplier
		drawLine(x0, y0, x1, y1, spectrum, decibels)
		x0, y0 = x1, y1
	}
	for x := x0; x < len(spectrum); x++ {
		spectrum[x] = float64(spectrum[x] * decibels[min(y0, 255)])
	}
}

// onLine returns the height at x of a line, rounded towards its beginning.
func onLine(x0, y0, x1, y1, x int) int {
	if y1 < y0 {
		return y0 - (y0-y1)*(x-x0)/(x1-x0)
	}
	return y0 + (y1-y0)*(x-x0)/(x1-x0)
}

// drawLine multiplies the spectrum from x0 to x1 by the heights of a line, in
// whole numbers as Bresenham draws it.
func drawLine(x0, y0, x1, y1 int, spectrum []float64, decibels *[256]float64) {
	dx, dy := x1-x0, y1-y0
	base, rest, sign := dy/dx, dy%dx, 1
	if dy < 0 {
		rest, sign = -rest, -1
	}
	y, err := y0, 0
	for x := x0; x < min(x1, len(spectrum)); x++ {
		spectrum[x] = float64(spectrum[x] * decibels[min(max(y, 0), 255)])
		y += base
		if err += rest; err >= dx {
			err -= dx
			y += sign
		}
	}
}
