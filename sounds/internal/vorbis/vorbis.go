// Package vorbis reads Vorbis in Ogg files. It exists because the usual library hangs on some malicious files,
// rejects 5.1 files of common encoders, and clips at full scale. All sums are in float64 with every product
// converted, so the samples have the same bits on every machine.
package vorbis

import (
	"errors"
	"math"
	"math/bits"
	"slices"
	"sync"

	"voicepool/pcm"
	"voicepool/sounds/internal/ogg"
	"voicepool/sounds/internal/source"
)

// decoder decodes the packets of one stream.
type decoder struct {
	channels, rate int
	blocks         [2]int // frames per short and long block
	books          []*book
	floors         []*floor1
	residues       []*residue
	mappings       []*mapping
	modes          []mode

	transform   [2]*mdct
	slope       [2][]float64 // the rising half of a window, by the shorter of two adjacent blocks
	fall        [2][]float64 // the falling half, its mirror image
	spectrum    [][]float64  // by channel
	interleaved []float64    // several spectra, interleaved
	first       [][]float64  // by channel, the first half of a block, in time domain
	second      [][]float64  // by channel, the second half
	last        [][]float64  // by channel, the second half of the previous block
	lastLong    int          // size index of the previous block; -1: no previous block
	gapBlock    int          // size index of the block before a gap, whose second half is in last; -1: none
	curve       [][]int      // by channel, the heights of the floor's points; nil: silence
	points      [][65]int
	step        [65]bool
	classes     []int
	order       []int // by channel of the sound, the channel in the stream
}

// decibels maps floor steps to linear factors.
var decibels = sync.OnceValue(func() *[256]float64 {
	var t [256]float64
	for i := range t {
		t[i] = (pcm.Decibels(i-255) * 0.546875).Linear()
	}
	return &t
})

// init builds the tables and buffers of the decoder for its block sizes and channels. The next packet is then the
// first of the stream. Requires that all headers have been read.
func (v *decoder) init() {
	for i, n := range v.blocks {
		v.transform[i] = newMDCT(n)
		v.slope[i] = make([]float64, n/2)
		for j := range v.slope[i] {
			s := pcm.SinPi((float64(j) + 0.5) / float64(n))
			v.slope[i][j] = pcm.SinPi(float64(s*s) / 2)
		}
		v.fall[i] = slices.Clone(v.slope[i])
		slices.Reverse(v.fall[i])
	}
	v.curve, v.points = make([][]int, v.channels), make([][65]int, v.channels)
	for range v.channels {
		v.spectrum = append(v.spectrum, make([]float64, v.blocks[1]/2))
		for _, half := range []*[][]float64{&v.first, &v.second, &v.last} {
			*half = append(*half, make([]float64, v.blocks[1]/2))
		}
	}
	v.interleaved = make([]float64, v.channels*v.blocks[1]/2)
	v.lastLong, v.gapBlock = -1, -1
	v.order = ogg.Order(v.channels)
}

var errPacket = errors.New("a packet that is no sound")

// Decode decodes an audio packet (Vorbis I, section 4.3), and appends to dst the interleaved frames that it
// completes. The first packet completes no frames, because a packet overlaps the one before. An empty packet is
// ignored. A truncated packet is decoded up to its end, as the format specifies. A packet that is not audio gives
// errPacket; dst and the state are then unchanged.
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
	for ch := range v.spectrum {
		first, second := v.first[ch][:half], v.second[ch][:half]
		if v.curve[ch] == nil {
			clear(first)
			clear(second)
			continue
		}
		m.floors[m.submap[ch]].apply(v.curve[ch], v.spectrum[ch], &v.step, decibels())
		v.transform[mode.long].inverse(first, second, v.spectrum[ch])
	}
	dst = v.overlap(dst, mode.long)
	v.last, v.second = v.second, v.last
	v.lastLong = mode.long
	return dst, nil
}

// mode reads the header of an audio packet from r (Vorbis I, section 4.3.1) and returns the mode, which selects block
// size and mapping. Afterwards r is at the floors. A packet that is not audio, or is too short, gives errPacket.
func (v *decoder) mode(r *source.LSB) (mode mode, err error) {
	if r.Flag() {
		return mode, errPacket
	}
	number := int(r.ReadBits(uint(bits.Len(uint(len(v.modes) - 1)))))
	if number >= len(v.modes) {
		return mode, errPacket
	}
	mode = v.modes[number]
	if mode.long == 1 {
		r.ReadBits(2) // the window shapes of the neighbours, which their own packets repeat
	}
	if r.PastEnd() {
		return mode, errPacket
	}
	return mode, nil
}

// FramesIn returns the number of frames that packet completes, without decoding it. It is 0 for the first packet and
// for an empty one. FramesIn stores the block size of packet in v.lastLong, which the next call needs; an empty packet
// does not change it. A packet that is not audio gives errPacket, and the state is then unchanged.
func (v *decoder) FramesIn(packet []byte) (int64, error) {
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

// FramesAhead returns the number of frames that packets will complete if they come next. Invalid packets count as 0.
// The state of the decoder stays the same.
func (v *decoder) FramesAhead(packets ...[]byte) (frames int64) {
	last := v.lastLong
	for _, p := range packets {
		n, _ := v.FramesIn(p)
		frames += n
	}
	v.lastLong = last
	return frames
}

// overlap appends the frames between the middles of two adjacent blocks to dst, interleaved (Vorbis I, section
// 4.3.8). The second half of the previous block, v.last, fades out while the first half of the current one, v.first,
// fades in. long is 1 if the current block is long, otherwise 0. Without a previous block it returns dst unchanged.
func (v *decoder) overlap(dst []float32, long int) []float32 {
	if v.lastLong < 0 {
		return dst
	}
	before, now := v.blocks[v.lastLong]/4, v.blocks[long]/4
	shorter := min(v.lastLong, long)
	rise, fall := v.slope[shorter], v.fall[shorter]
	begin := before - len(rise)/2 // start of the crossfade
	n := before + now
	old := len(dst)
	dst = source.Grow(dst, n*v.channels)
	for channel, ch := range v.order {
		out := channelWriter{dst[old+channel:], v.channels}
		last, first := v.last[ch][:2*before], v.first[ch][:2*now]
		out.copy(last[:begin])
		out.cross(last[begin:], fall, first[begin-before+now:], rise)
		out.copy(first[begin-before+now+len(rise):])
	}
	return dst
}

// channelWriter writes the samples of one channel to interleaved memory.
type channelWriter struct {
	dst  []float32
	step int
}

// copy writes x, the next samples of one channel, to interleaved memory and moves s past them.
func (s *channelWriter) copy(x []float64) {
	dst := s.dst
	for i, y := range x {
		dst[i*s.step] = float32(y)
	}
	s.skip(len(x))
}

// cross writes a crossfade, x times fall plus y times rise, as the next samples of one channel to interleaved memory.
// It moves s past them. The crossfade has the length of rise; the other slices must be at least as long.
func (s *channelWriter) cross(x, fall, y, rise []float64) {
	x, y, fall = x[:len(rise)], y[:len(rise)], fall[:len(rise)]
	dst := s.dst
	at := 0
	for i, r := range rise {
		dst[at] = float32(float64(x[i]*fall[i]) + float64(y[i]*r))
		at += s.step
	}
	s.skip(len(rise))
}

// skip advances by n samples of one channel, at most to the end of dst.
func (s *channelWriter) skip(n int) { s.dst = s.dst[min(n*s.step, len(s.dst)):] }

// uncouple converts the spectra of two coupled channels, in place, from magnitude and angle to the two channels
// (Vorbis I, section 4.3.5). Depending on the signs, one channel is the magnitude, and the other is the sum or the
// difference. It has no branches, because they would be unpredictable.
func uncouple(magnitude, angle []float64) {
	angle = angle[:len(magnitude)]
	for i, m := range magnitude {
		a := angle[i]
		sign := uint64(1 << 63)
		if m > 0 {
			sign = 0
		}
		s := math.Float64frombits(math.Float64bits(a) ^ sign)
		same, left, right := math.Float64bits(m), math.Float64bits(m+s), math.Float64bits(m-s)
		if a > 0 {
			left = same
		}
		if !(a > 0) {
			right = same
		}
		magnitude[i], angle[i] = math.Float64frombits(left), math.Float64frombits(right)
	}
}

// read reads the floor of a packet, the envelope of a spectrum, from r (Vorbis I, section 7.2.3). It appends the coded
// heights of the envelope's points to y and returns the list. It returns nil for a silent channel, which the packet
// declares, and if the packet ends early or has an invalid code word.
func (f *floor1) read(r *source.LSB, y []int) []int {
	if !r.Flag() {
		return nil
	}
	width := uint(bits.Len(uint([...]int{256, 128, 86, 64}[f.multiplier-1] - 1)))
	y = append(y, int(r.ReadBits(width)), int(r.ReadBits(width)))
	for _, class := range f.partitions {
		c := &f.classes[class]
		choice := 0
		if c.master != nil {
			var ok bool
			if choice, ok = c.master.decodeEntry(r); !ok {
				return nil
			}
		}
		for range c.dimensions {
			book := c.books[choice&(1<<c.subclasses-1)]
			choice >>= c.subclasses
			height := 0
			if book != nil {
				var ok bool
				if height, ok = book.decodeEntry(r); !ok {
					return nil
				}
			}
			y = append(y, height)
		}
	}
	if r.PastEnd() {
		return nil
	}
	return y
}

// apply multiplies spectrum by a floor, the envelope through points (Vorbis I, section 7.2.4). y has the coded
// heights of the points, as read returns them; apply replaces them by the final heights. decibels has the linear gain
// of each height. step is scratch space.
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
		y[i] = min(max(y[i], 0), height-1) // out of range only in invalid files
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

// onLine returns the height at x of the line from (x0, y0) to (x1, y1), rounded towards y0 (Vorbis I, section 9.2.6).
// x1 must be greater than x0.
func onLine(x0, y0, x1, y1, x int) int {
	if y1 < y0 {
		return y0 - (y0-y1)*(x-x0)/(x1-x0)
	}
	return y0 + (y1-y0)*(x-x0)/(x1-x0)
}

// drawLine multiplies spectrum[x0:x1], as far as it exists, by the gains along a line from (x0, y0) to (x1, y1). The
// heights of the line are integers from Bresenham's algorithm (Vorbis I, section 9.2.7). decibels has the linear gain
// of each height; greater heights get the last one. x1 must be greater than x0.
func drawLine(x0, y0, x1, y1 int, spectrum []float64, decibels *[256]float64) {
	dx, dy := x1-x0, y1-y0
	base, rest, sign := dy/dx, dy%dx, 1
	if dy < 0 {
		rest, sign = -rest, -1
	}
	part := spectrum[min(x0, len(spectrum)):min(x1, len(spectrum))]
	y, err := y0, 0
	if max(y0, y1) > 255 { // only in invalid files
		for x := range part {
			part[x] = float64(part[x] * decibels[min(y, 255)])
			y += base
			if err += rest; err >= dx {
				err -= dx
				y += sign
			}
		}
		return
	}
	for x := range part {
		part[x] = float64(part[x] * decibels[uint8(y)])
		y += base
		if err += rest; err >= dx {
			err -= dx
			y += sign
		}
	}
}
