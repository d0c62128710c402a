package vorbis

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"voicepool/sounds/internal/source"
)

// quickBits is how many bits of a code word are looked up at once.
const quickBits = 10

// maxValues bounds the vectors of all codebooks of a file together, in
// numbers; common encoders need a twentieth of it.
const maxValues = 1 << 22

var errSetup = errors.New("the Vorbis setup is faulty")

// book is a codebook: a prefix code, and a vector for each of its words.
type book struct {
	dimensions int
	// quick maps the next bits to an entry and the length of its word, as
	// entry<<6|length+1; to a node of the tree for longer ones, as ^node; 0: no word.
	quick  []int32
	nodes  [][2]int32 // children: nodes, or ^entry; 0: none
	values []float32  // empty: a book of scalars only
}

// readBook reads a codebook. budget is how many values may still be made.
func readBook(r *source.LSB, budget *int) (*book, error) {
	if r.Take(24) != 0x564342 {
		return nil, errSetup
	}
	b := &book{dimensions: int(r.Take(16))}
	entries := int(r.Take(24))
	if b.dimensions == 0 || bits.Len(uint(b.dimensions))+bits.Len(uint(entries)) > 24 {
		return nil, fmt.Errorf("%w: a codebook of %d vectors of %d numbers", errSetup, entries, b.dimensions)
	}
	*budget -= entries
	if *budget < 0 {
		return nil, fmt.Errorf("%w: codebooks of more than %d numbers", errSetup, maxValues)
	}
	lengths := make([]uint8, entries)
	if r.Flag() { // ordered by length
		length := uint8(r.Take(5)) + 1
		for i := 0; i < entries; length++ {
			n := int(r.Take(uint(bits.Len(uint(entries - i)))))
			if n > entries-i || length > 32 || r.Over() {
				return nil, errSetup
			}
			for range n {
				lengths[i] = length
				i++
			}
		}
	} else {
		sparse := r.Flag()
		for i := range lengths {
			if !sparse || r.Flag() {
				lengths[i] = uint8(r.Take(5)) + 1
			}
			if r.Over() {
				return nil, errSetup
			}
		}
	}
	if err := b.makeCode(lengths); err != nil {
		return nil, err
	}
	return b, b.readValues(r, entries, budget)
}

// makeCode gives each entry its word: the first free one of its length. The
// words must fill the code; only a single one, of one bit, may stand alone.
func (b *book) makeCode(lengths []uint8) error {
	var full uint64
	used := 0
	for _, length := range lengths {
		if length > 0 {
			full += 1 << (32 - length)
			used++
		}
	}
	b.quick = make([]int32, 1<<quickBits)
	if used == 0 {
		return nil
	}
	alone := used == 1 && full == 1<<31
	if full != 1<<32 && !alone {
		return fmt.Errorf("%w: its code words do not fill the code", errSetup)
	}
	var free [33]uint32 // by length, the next word
	b.nodes = make([][2]int32, 1)
	for entry, length := range lengths {
		if length == 0 {
			continue
		}
		word := free[length]
		b.put(entry, uint(length), word)
		for j := length; j > 0; j-- {
			if free[j]&1 != 0 {
				if j == 1 {
					free[1]++
				} else {
					free[j] = free[j-1] << 1
				}
				break
			}
			free[j]++
		}
		for j, taken := length+1, word; j < 33 && free[j]>>1 == taken; j++ {
			taken = free[j]
			free[j] = free[j-1] << 1
		}
	}
	if alone { // its bit may be either
		for i := range b.quick {
			b.quick[i] = b.quick[i&^1]
		}
	}
	return nil
}

// put enters a word, whose highest bit comes first in the file.
func (b *book) put(entry int, length uint, word uint32) {
	if length <= quickBits {
		step := 1 << length
		for i := int(bits.Reverse32(word) >> (32 - length)); i < len(b.quick); i += step {
			b.quick[i] = int32(entry)<<6 | int32(length+1)
		}
		return
	}
	start := &b.quick[bits.Reverse32(word>>(length-quickBits))>>(32-quickBits)]
	if *start == 0 {
		b.nodes = append(b.nodes, [2]int32{})
		*start = ^int32(len(b.nodes) - 1)
	}
	node := ^*start
	for i := int(length) - quickBits - 1; i > 0; i-- {
		bit := word >> i & 1
		if b.nodes[node][bit] == 0 {
			b.nodes = append(b.nodes, [2]int32{})
			b.nodes[node][bit] = int32(len(b.nodes) - 1)
		}
		node = b.nodes[node][bit]
	}
	b.nodes[node][word&1] = ^int32(entry)
}

// scalar decodes an entry; false where no word or no data is.
func (b *book) scalar(r *source.LSB) (int, bool) {
	next := r.Peek()
	q := b.quick[next&(1<<quickBits-1)]
	if q > 0 {
		r.Skip(uint(q&63) - 1)
		return int(q >> 6), !r.Over()
	}
	if q == 0 {
		r.End()
		return 0, false
	}
	node := ^q
	for length := uint(quickBits); length < 32; length++ {
		node = b.nodes[node][next>>length&1]
		if node < 0 {
			r.Skip(length + 1)
			return int(^node), !r.Over()
		}
		if node == 0 {
			break
		}
	}
	r.End()
	return 0, false
}

// vector decodes an entry's vector; nil where there is none.
func (b *book) vector(r *source.LSB) []float32 {
	entry, ok := b.scalar(r)
	if !ok {
		return nil
	}
	return b.values[entry*b.dimensions:][:b.dimensions]
}

// readValues reads the vectors, which are made from a lattice or given one by
// one.
func (b *book) readValues(r *source.LSB, entries int, budget *int) error {
	kind := r.Take(4)
	if kind == 0 {
		return nil
	}
	if kind > 2 {
		return fmt.Errorf("%w: a codebook of the reserved kind %d", errSetup, kind)
	}
	*budget -= entries * b.dimensions
	if *budget < 0 {
		return fmt.Errorf("%w: codebooks of more than %d numbers", errSetup, maxValues)
	}
	least, delta := unpackFloat(r.Take(32)), unpackFloat(r.Take(32))
	width := uint(r.Take(4)) + 1
	sums := r.Flag()
	count := entries * b.dimensions
	if kind == 1 {
		count = latticeSide(entries, b.dimensions)
	}
	if r.Left() < count*int(width) {
		return fmt.Errorf("%w: cut short", errSetup)
	}
	numbers := make([]float32, count)
	for i := range numbers {
		numbers[i] = float32(float32(r.Take(width))*delta) + least
	}
	b.values = make([]float32, entries*b.dimensions)
	for e := range entries {
		last, place := float32(0), e
		for d := range b.dimensions {
			x := e*b.dimensions + d
			if kind == 1 {
				x, place = place%count, place/count
			}
			b.values[e*b.dimensions+d] = numbers[x] + last
			if sums {
				last = b.values[e*b.dimensions+d]
			}
		}
	}
	return nil
}

// latticeSide is the largest number whose power is not above entries.
func latticeSide(entries, dimensions int) int {
	side := 0
	for {
		power := 1
		for range dimensions {
			if power *= side + 1; power > entries {
				return side
			}
		}
		side++
	}
}

// unpackFloat unpacks a number of 21 bits and an exponent.
func unpackFloat(x uint32) float32 {
	m := float64(x & 0x1fffff)
	if x>>31 != 0 {
		m = -m
	}
	return float32(math.Ldexp(m, int(x>>21&0x3ff)-788))
}
