package mp3

import (
	"errors"
	"strconv"
	"sync"

	"voicepool/pcm"
	"voicepool/sounds/internal/source"
)

// tree is a prefix code as a binary tree: each node has two children, a node index or ^leaf.
type tree [][2]int16

// newTree returns the binary tree of the prefix code s, which is in the format of trees. The root is the first node.
// It panics if s ends too early. Other faults of s are not noticed: an invalid leaf counts as 0.
func newTree(s string) tree {
	var t tree
	var grow func() int16
	grow = func() int16 {
		if s[0] != '.' {
			leaf, _ := strconv.ParseInt(s[:2], 16, 16)
			s = s[2:]
			return ^int16(leaf)
		}
		s = s[1:]
		at := len(t)
		t = append(t, [2]int16{})
		zero := grow()
		one := grow()
		t[at] = [2]int16{zero, one}
		return int16(at)
	}
	grow()
	return t
}

// quickBits is the number of bits that are decoded by one table lookup.
const quickBits = 8

// code is a prefix code with a lookup table for the first bits of a word.
type code struct {
	tree
	quick [1 << quickBits]int16 // leaf<<4|word length, or ^node for longer words
}

// newCode returns a decoder of the prefix code s, which is in the format of trees. The decoder has a table for the
// first 8 bits of a code word (quickBits), and a tree for longer ones.
func newCode(s string) *code {
	c := &code{tree: newTree(s)}
	for word := range c.quick {
		at, n := int16(0), 0
		for ; at >= 0 && n < quickBits; n++ {
			at = c.tree[at][word>>(quickBits-1-n)&1]
		}
		if c.quick[word] = ^at; at < 0 {
			c.quick[word] = ^at<<4 | int16(n)
		}
	}
	return c
}

// next reads the next code word from r and returns its leaf, which is the decoded value. Beyond the end of the data
// it decodes zeros.
func (c *code) next(r *source.MSB) int {
	word := r.Peek()
	quick := c.quick[word>>(64-quickBits)]
	if quick >= 0 {
		r.Skip(uint(quick & 15))
		return int(quick >> 4)
	}
	at := ^quick
	word <<= quickBits
	for n := uint(quickBits + 1); ; n++ {
		at = c.tree[at][word>>63]
		word <<= 1
		if at < 0 {
			r.Skip(n)
			return int(^at)
		}
	}
}

// lines has the shared tables for decoding spectral lines.
type lines struct {
	pairs      [32]*code
	extra      [32]uint // extra bits after the largest value
	quadruples [2]*code
	power      []float64 // n^(4/3)
}

// spectral builds the tables on demand.
var spectral = sync.OnceValue(func() *lines {
	l := &lines{extra: [32]uint{16: 1, 2, 3, 4, 6, 8, 10, 13, 4, 5, 6, 7, 8, 9, 11, 13}}
	for i, s := range trees() {
		switch {
		case i >= 32:
			l.quadruples[i-32] = newCode(s)
		case i == 16 || i == 24:
			all := newCode(s)
			for j := i; j < i+8; j++ {
				l.pairs[j] = all
			}
		default:
			l.pairs[i] = newCode(s)
		}
	}
	l.power = make([]float64, 15+1<<13)
	for n := range l.power {
		if n > 0 {
			l.power[n] = pcm.Exp2(float64(pcm.Log2(float64(n)) * 4 / 3))
		}
	}
	return l
})

var errData = errors.New("more data than it has bits")

// read decodes the spectral lines of the granule g from r into x (ISO 11172-3, 2.4.3.4). A line is the decoded
// integer to the power of 4/3, with its sign and not yet scaled; lines that are not coded are 0. The data of the
// granule ends before bit end of r. If a pair of values exceeds it, the error is errData. A last quadruple that
// exceeds it is discarded.
func (l *lines) read(r *source.MSB, end int, g *granule, x *[576]float64) error {
	clear(x[:])
	for i := 0; i < 2*g.pairs; i += 2 {
		region := 0
		if i >= g.region[0] {
			region = 1
		}
		if i >= g.region[1] {
			region = 2
		}
		table := g.tables[region]
		if table == 0 {
			continue
		}
		leaf := l.pairs[table].next(r)
		x[i] = l.value(r, leaf>>4, l.extra[table])
		x[i+1] = l.value(r, leaf&15, l.extra[table])
		if r.Position() > end {
			return errData
		}
	}
	i := 2 * g.pairs
	for ; i <= 572 && r.Position() < end; i += 4 {
		leaf := l.quadruples[g.quadruples].next(r)
		for j := range 4 {
			if leaf>>(3-j)&1 == 1 {
				x[i+j] = 1
				if r.ReadBits(1) == 1 {
					x[i+j] = -1
				}
			}
		}
		if r.Position() > end { // the last quadruple exceeds the data: discard it
			clear(x[i:])
			break
		}
	}
	return nil
}

// value returns the magnitude n of a spectral line to the power of 4/3, with its sign. If n is 15, it first reads a
// number of extra bits from r and adds it to n. It then reads the sign bit, unless n is 0.
func (l *lines) value(r *source.MSB, n int, extra uint) float64 {
	if n == 0 {
		return 0
	}
	if n == 15 && extra > 0 {
		n += int(r.ReadBits(extra))
	}
	if r.ReadBits(1) == 1 {
		return -l.power[n]
	}
	return l.power[n]
}

// scale multiplies the spectral lines in x, in place, by the gain of the granule g and the scale factors of their
// bands. bands must cover all lines that are not 0.
func (g *granule) scale(bands []band, x *[576]float64) {
	step := 2 // in quarters of 6 dB
	if g.coarse {
		step = 4
	}
	for _, b := range bands {
		n := g.gain - 210
		factor := b.scale
		if g.preflag {
			factor += b.emphasis
		}
		if b.window >= 0 {
			n -= 8 * g.subgain[b.window]
		}
		size := pcm.Exp2(float64(n-step*factor) / 4)
		for i := b.from; i < b.to; i++ {
			x[i] = float64(x[i] * size)
		}
	}
}

// reorder brings the spectral lines in x into the order that the filters need, in place. In a band of short blocks
// the file has the lines of each of the three windows together; reorder interleaves them. Bands of long blocks stay
// unchanged.
func reorder(bands []band, x *[576]float64) {
	var y [576]float64
	for _, b := range bands {
		if b.window < 0 {
			continue
		}
		width := b.to - b.from
		start := b.from - b.window*width
		for j := range width {
			y[start+3*j+b.window] = x[b.from+j]
		}
		if b.window == 2 {
			copy(x[start:b.to], y[start:b.to])
		}
	}
}
