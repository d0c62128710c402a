package celt

import "math"

var (
	interleaved   = [16]uint{0, 1, 1, 1, 2, 3, 3, 3, 2, 3, 3, 3, 2, 3, 3, 3}
	deinterleaved = [16]uint{0x00, 0x03, 0x0c, 0x0f, 0x30, 0x33, 0x3c, 0x3f, 0xc0, 0xc3, 0xcc, 0xcf, 0xf0, 0xf3, 0xfc, 0xff}
)

// haar replaces pairs of values in x, in place, by their sum and their difference, both divided by √2. x has stride
// blocks of n values each, interleaved. A pair has two adjacent values of one block, which are stride apart in x. A
// second call restores x.
func haar(x []float64, n, stride int) {
	for i := range stride {
		for j := range n / 2 {
			p, q := &x[stride*2*j+i], &x[stride*(2*j+1)+i]
			a, b := float64(math.Sqrt2/2**p), float64(math.Sqrt2/2**q)
			*p, *q = a+b, a-b
		}
	}
}

// hadamard lists the orders of 2, 4, 8 and 16 blocks.
var hadamard = [...]int{1, 0, 3, 0, 2, 1, 7, 0, 4, 3, 6, 1, 5, 2, 15, 0, 8, 7, 12, 3, 11, 4, 14, 1, 9, 6, 13, 2, 10, 5}

// reorder rearranges x, the coefficients of several short blocks, in place. stride is the number of blocks, and each
// has n values. It converts from frequency order, the first value of every block and then the second ones, to time
// order, block after block. If back is true, it converts from time order to frequency order. If long is true, the
// blocks are parts of one long block. Time order then has them in the order of the Hadamard transform, and stride is
// 2, 4, 8 or 16.
func (b *bands) reorder(x []float64, n, stride int, long, back bool) {
	tmp := b.interleaved[:n*stride]
	for i := range stride {
		at := i
		if long {
			at = hadamard[stride-2+i]
		}
		for j := range n {
			if back {
				tmp[j*stride+i] = x[at*n+j]
			} else {
				tmp[at*n+j] = x[j*stride+i]
			}
		}
	}
	copy(x, tmp)
}

// mono reads the shape of the band b.band for one channel, scales it by gain, and writes it to x (RFC 6716, section
// 4.3.4). bits is the budget in eighths of a bit; the cost is subtracted from b.remaining. blocks is the number of
// short blocks in x.
//
// Parts of x without pulses are filled with low, the shape of a lower band, or with noise if low is nil. fill has one
// bit per short block, and a part whose bits are all 0 is not filled. out receives the shape, multiplied by the
// square root of its length, so that it can be the low of other bands. out may be nil. The result has one bit per
// short block, which is 1 if x is not empty there.
func (b *bands) mono(x []float64, bits, blocks int, low []float64, out []float64, gain float64, fill uint) uint {
	n, long, change := len(x), blocks == 1, b.change
	if n == 1 {
		return b.single(x, nil, out)
	}
	size, divided, joined := n/blocks, 0, max(change, 0)
	if low != nil && (joined > 0 || size&1 == 0 && change < 0 || blocks > 1) {
		low = b.scratch[:copy(b.scratch[:n], low)]
	}
	for k := range joined {
		if low != nil {
			haar(low, n>>k, 1<<k)
		}
		fill = interleaved[fill&15] | interleaved[fill>>4&15]<<2
	}
	blocks >>= joined
	size <<= joined
	for size&1 == 0 && change < 0 {
		if low != nil {
			haar(low, size, blocks)
		}
		fill |= fill << blocks
		blocks <<= 1
		size >>= 1
		divided++
		change++
	}
	inTime := blocks > 1
	if inTime && low != nil {
		b.reorder(low, size>>joined, blocks<<joined, long, false)
	}
	collapsed := b.partition(x, bits, blocks, low, b.lm, gain, fill)
	if inTime {
		b.reorder(x, size>>joined, blocks<<joined, long, true)
	}
	for range divided {
		blocks >>= 1
		size <<= 1
		collapsed |= collapsed >> blocks
		haar(x, size, blocks)
	}
	for k := range joined {
		collapsed = deinterleaved[collapsed&15]
		haar(x, n>>k, 1<<k)
	}
	blocks <<= joined
	if out != nil {
		root := math.Sqrt(float64(n))
		for i, v := range x {
			out[i] = float64(root * v)
		}
	}
	return collapsed & (1<<blocks - 1)
}

// stereo reads the shape of the band b.band for two channels into x (left) and y (right), each with an energy of 1
// (RFC 6716, section 4.3.4.4). bits is the budget in eighths of a bit; the cost is subtracted from b.remaining.
// blocks is the number of short blocks.
//
// Parts without pulses are filled with low, the shape of a lower band, or with noise if low is nil. fill has one bit
// per short block that may be filled. out receives the shape of mid, multiplied by the square root of its length, so
// that it can be the low of other bands. out may be nil. Despite its name, the result collapsed has a 1 bit for each
// short block with energy, and a 0 bit for each empty block.
func (b *bands) stereo(x, y []float64, bits, blocks int, low []float64, out []float64, fill uint) (collapsed uint) {
	n := len(x)
	if n == 1 {
		return b.single(x, y, out)
	}
	all := fill
	s := b.readSplit(n, &bits, blocks, blocks, b.lm, true, &fill)
	mid, side := float64(s.mid)/32768, float64(s.side)/32768
	if n == 2 {
		collapsed = b.pair(x, y, bits, blocks, low, out, all, s)
	} else {
		first := max(0, min(bits, (bits-s.delta)/2))
		second := bits - first
		b.remaining -= s.cost
		rest := b.remaining
		if first >= second {
			collapsed = b.mono(x, first, blocks, low, out, 1, fill)
			if rest = first - (rest - b.remaining); rest > 3<<3 && s.theta != 0 {
				second += rest - 3<<3
			}
			collapsed |= b.mono(y, second, blocks, nil, nil, side, fill>>blocks)
		} else {
			collapsed = b.mono(y, second, blocks, nil, nil, side, fill>>blocks)
			if rest = second - (rest - b.remaining); rest > 3<<3 && s.theta != 16384 {
				first += rest - 3<<3
			}
			collapsed |= b.mono(x, first, blocks, low, out, 1, fill)
		}
		merge(x, y, mid)
	}
	if s.inverted {
		for i := range y {
			y[i] = -y[i]
		}
	}
	return collapsed
}

// pair reads a stereo band of two coefficients per channel into x (left) and y (right). Only the stronger of mid and
// side is coded in full. The weaker is orthogonal to it, so a bit for its sign is enough. s has the division of the
// energy into mid and side. bits is the budget in eighths of a bit; the cost, also of the division and the sign, is
// subtracted from b.remaining. blocks is the number of short blocks. low, out, fill and the result are as in mono.
func (b *bands) pair(x, y []float64, bits, blocks int, low, out []float64, fill uint, s split) uint {
	cost := 0
	if s.theta != 0 && s.theta != 16384 {
		cost = 8
	}
	b.remaining -= s.cost + cost
	p, q := x, y
	if s.theta > 8192 {
		p, q = y, x
	}
	sign := 1.0
	if cost > 0 && b.e.Raw(1) == 1 {
		sign = -1
	}
	collapsed := b.mono(p, bits-cost, blocks, low, out, 1, fill)
	q[0], q[1] = float64(-sign*p[1]), float64(sign*p[0])
	mid, side := float64(s.mid)/32768, float64(s.side)/32768
	for i := range x {
		l, r := float64(mid*x[i]), float64(side*y[i])
		x[i], y[i] = l-r, l+r
	}
	return collapsed
}

// merge converts mid (x) and side (y) to left (x) and right (y), in place. Left and right each get an energy of 1.
// Before the call x has an energy of 1 and is not yet multiplied by its gain, the parameter mid; y is already scaled.
// If left or right would be almost silent, x stays unchanged and y becomes a copy of it.
func merge(x, y []float64, mid float64) {
	cross, side := 0.0, 0.0
	for i, v := range y {
		cross += float64(x[i] * v)
		side += float64(v * v)
	}
	cross = float64(cross * mid)
	left := float64(mid*mid) + side - 2*cross
	right := float64(mid*mid) + side + 2*cross
	if left < 6e-4 || right < 6e-4 {
		copy(y, x)
		return
	}
	left, right = 1/math.Sqrt(left), 1/math.Sqrt(right)
	for i := range x {
		l, r := float64(mid*x[i]), y[i]
		x[i], y[i] = float64(left*(l-r)), float64(right*(l+r))
	}
}

// readBands reads the shapes of all bands of the frame f into d.shape (RFC 6716, section 4.3.4). bits is the size of
// the frame, less reserved bits, in eighths of a bit. allocate must have divided the bits among the bands. It also sets
// d.bands.collapsed, which has one bit for each short block of a band that is not empty. It advances the noise seed
// d.rng.
func (d *Decoder) readBands(f *frame, bits int) {
	b := &d.bands
	b.e, b.counts, b.lm, b.spread, b.seed = f.e, counts(), f.lm, f.spread, d.rng
	b.intensity, b.noInverse = f.intensity, d.channels == 1
	scale, blocks := 1<<f.lm, 1
	if f.transient {
		blocks = scale
	}
	base := scale * edges[f.start]
	dual, balance := f.dual, f.balance
	from, fresh := 0, true // the band that others are filled from
	for i := f.start; i < f.end; i++ {
		b.band, b.change = i, b.resolution[i]
		at, n := scale*edges[i], scale*(edges[i+1]-edges[i])
		x := d.shape[0][at:][:n]
		var y []float64
		if f.channels == 2 {
			y = d.shape[1][at:][:n]
		}
		tell := f.e.BitsUsedFrac()
		if i != f.start {
			balance -= tell
		}
		b.remaining = bits - tell - 1
		share := 0
		if i < f.coded {
			share = max(0, min(16383, b.remaining+1, f.pulses[i]+balance/min(3, f.coded-i)))
		}
		if (at-n >= base || i == f.start+1) && (fresh || from == 0) {
			from = i
		}
		if i == f.start+1 { // hybrid frames begin with a band that is too narrow
			n1, n2 := scale*(edges[i]-edges[i-1]), scale*(edges[i+1]-edges[i])
			if n2 > n1 {
				copy(b.norm[0][n1:n2], b.norm[0][2*n1-n2:])
				copy(b.norm[1][n1:n2], b.norm[1][2*n1-n2:])
			}
		}
		low, fills := -1, [2]uint{1<<blocks - 1, 1<<blocks - 1}
		if from != 0 && (f.spread != 3 || blocks > 1 || b.change < 0) {
			low = max(0, scale*edges[from]-base-n)
			fills = b.fills(f, i, from, low+base, n)
		}
		if dual && i == f.intensity {
			dual = false
			for j := range at - base {
				b.norm[0][j] = (b.norm[0][j] + b.norm[1][j]) / 2
			}
		}
		var lows, outs [2][]float64
		for c := range lows {
			if low >= 0 {
				lows[c] = b.norm[c][low:][:n]
			}
			if i < f.end-1 {
				outs[c] = b.norm[c][at-base:][:n]
			}
		}
		var got [2]uint
		switch {
		case dual:
			got[0] = b.mono(x, share/2, blocks, lows[0], outs[0], 1, fills[0])
			got[1] = b.mono(y, share/2, blocks, lows[1], outs[1], 1, fills[1])
		case y != nil:
			got[0] = b.stereo(x, y, share, blocks, lows[0], outs[0], fills[0]|fills[1])
			got[1] = got[0]
		default:
			got[0] = b.mono(x, share, blocks, lows[0], outs[0], 1, fills[0]|fills[1])
			got[1] = got[0]
		}
		b.collapsed[0][i], b.collapsed[1][i] = got[0]&255, got[1]&255
		balance += f.pulses[i] + tell
		fresh = share > n<<3
	}
	d.rng = b.seed
}

// fills returns, for each channel, which short blocks are not empty in the coefficients that fill a band. The masks
// have one bit per short block. The parameter band is the band of f to fill, and its source is the n coefficients
// from index low on. from is a band where the search for the bands of the source begins. For a mono frame both masks
// are equal.
func (b *bands) fills(f *frame, band, from, low, n int) (fills [2]uint) {
	scale := 1 << f.lm
	first := from - 1
	for scale*edges[first] > low {
		first--
	}
	last := from
	for last < band && scale*edges[last] < low+n {
		last++
	}
	for i := first; i == first || i < last; i++ {
		fills[0] |= b.collapsed[0][i]
		fills[1] |= b.collapsed[f.channels-1][i]
	}
	return fills
}
