package mp3

import "math/rand/v2"

// part describes one channel of one granule to encode. Its lines are -1, 0 or +1 before gain and scale factors
// apply.
type part struct {
	block    int // 0 long, 2 short
	mixed    bool
	gain     int
	compress int // index of the scale factor sizes
	scales   []int
	lines    [576]int // in file order
}

// bitWriter writes bits, the highest of a byte first.
type bitWriter struct {
	data []byte
	n    int // bits
}

func (w *bitWriter) put(x, bits int) {
	for i := bits - 1; i >= 0; i-- {
		if w.n%8 == 0 {
			w.data = append(w.data, 0)
		}
		w.data[w.n/8] |= byte(x>>i&1) << (7 - w.n%8)
		w.n++
	}
}

// partSizes returns the bit sizes of the scale factors of a part.
func partSizes(h header, p *part, right bool) []int {
	var sizes []int
	add := func(n, size int) {
		for range n {
			sizes = append(sizes, size)
		}
	}
	c := p.compress
	switch {
	case !h.lowRate && c != 15:
		panic("the test writes MPEG-1 with scale factors of 4 and 3 bits only")
	case !h.lowRate && p.block == 2 && p.mixed:
		add(8+9, 4)
		add(18, 3)
	case !h.lowRate && p.block == 2:
		add(18, 4)
		add(18, 3)
	case !h.lowRate:
		add(11, 4)
		add(10, 3)
	case right && h.intensity: // 3 parts: 7 7 7, 12 12 12, 6 15 12
		counts := [3]int{7, 7, 7}
		if p.block == 2 {
			counts = [3]int{12, 12, 12}
			if p.mixed {
				counts = [3]int{6, 15, 12}
			}
		}
		for i, size := range [3]int{c / 2 / 36, c / 2 % 36 / 6, c / 2 % 6} {
			add(counts[i], size)
		}
	default:
		counts := [4]int{6, 5, 5, 5}
		if p.block == 2 {
			counts = [4]int{9, 9, 9, 9}
			if p.mixed {
				counts[0] = 6
			}
		}
		for i, size := range [4]int{c >> 4 / 5, c >> 4 % 5, c >> 2 & 3, c & 3} {
			add(counts[i], size)
		}
	}
	return sizes
}

// write writes a part's scale factors and lines. All lines are coded in quadruples with the second table, whose
// codes have four bits and the signs.
func (p *part) write(w *bitWriter, h header, right bool) {
	for i, size := range partSizes(h, p, right) {
		w.put(p.scales[i], size)
	}
	for i := 0; i < 576; i += 4 {
		code := 15
		for j := range 4 {
			if p.lines[i+j] != 0 {
				code &^= 8 >> j
			}
		}
		w.put(code, 4)
		for _, x := range p.lines[i : i+4] {
			if x != 0 {
				w.put(x>>1&1, 1)
			}
		}
	}
}

// makeHead returns the header of a frame of the highest bit rate. rate is the index in longBands, mode 0 stereo
// and 1 joint stereo. Bit 0 of ext enables intensity stereo, bit 1 mid/side stereo.
func makeHead(rate, mode, ext int) []byte {
	version := [3]byte{0xfb, 0xf3, 0xe3}[rate/3]
	return []byte{0xff, version, byte(14<<4 | rate%3<<2), byte(mode<<6 | ext<<4)}
}

// makeFrame makes a frame of two channels that uses no bit reservoir. parts is indexed by granule and channel.
func makeFrame(head []byte, parts [][2]part) []byte {
	h, _, _ := parseHeader(append(head, 0))
	var side, data bitWriter
	if h.lowRate {
		side.put(0, 8+2)
	} else {
		side.put(0, 9+3+8)
	}
	for i := range parts {
		for ch := range 2 {
			p := &parts[i][ch]
			mixed := 0
			if p.mixed {
				mixed = 1
			}
			before := data.n
			p.write(&data, h, ch == 1)
			side.put(data.n-before, 12)
			side.put(0, 9) // no large values
			side.put(p.gain, 8)
			if h.lowRate {
				side.put(p.compress, 9)
			} else {
				side.put(p.compress, 4)
			}
			if p.block == 0 {
				side.put(0, 1+15+7)
			} else {
				side.put(1, 1)
				side.put(p.block, 2)
				side.put(mixed, 1)
				side.put(0, 10+9)
			}
			if !h.lowRate {
				side.put(0, 1) // no preflag
			}
			side.put(0, 1) // steps of 3 dB
			side.put(1, 1) // the second table of quadruples
		}
	}
	frame := append(append([]byte{}, head...), side.data...)
	frame = append(frame, data.data...)
	if len(frame) > h.size {
		panic("the frame has no room for its data")
	}
	return append(frame, make([]byte, h.size-len(frame))...)
}

// randomLines fills lines from..to, the first one nonzero.
func randomLines(r *rand.Rand, lines *[576]int, from, to int) {
	for i := from; i < to; i++ {
		lines[i] = r.IntN(3) - 1
	}
	lines[from] = 1
}
