package vorbis

import (
	"errors"
	"math"
	"math/bits"

	"voicepool/sounds/internal/source"
)

// quickBits is the number of bits that are decoded by one table lookup.
const quickBits = 10

// maxValues is the maximum total size of all codebooks of a file, in numbers; common encoders need a twentieth
// of it.
const maxValues = 1 << 22

// book is a codebook: a prefix code with a vector for each word.
type book struct {
	dimensions int
	// quick maps the next bits to entry<<6|length+1 of a word, or to ^node for longer words; 0: invalid.
	quick  *[1 << quickBits]int32
	nodes  [][2]int32 // children: a node, or ^entry; 0: invalid
	values []float32  // empty: scalars only
}

// readBook reads a codebook of the setup header (Vorbis I, section 3.2.1) and returns it. It adds the size of the
// codebook to s.values. If the header is invalid, it panics with a fault, which readSetup turns into an error.
func (s *setup) readBook() *book {
	s.require(s.ReadBits(24) == 0x564342, "")
	b := &book{dimensions: s.number(16)}
	entries := s.number(24)
	fits := b.dimensions > 0 && bits.Len(uint(b.dimensions))+bits.Len(uint(entries)) <= 24
	s.require(fits, "a codebook of %d vectors of %d numbers", entries, b.dimensions)
	s.countValues(entries)
	lengths := make([]uint8, entries)
	if s.Flag() { // ordered by length
		length := uint8(s.ReadBits(5)) + 1
		for i := 0; i < entries; length++ {
			n := s.number(uint(bits.Len(uint(entries - i))))
			s.require(n <= entries-i && length <= 32 && !s.PastEnd(), "")
			for range n {
				lengths[i] = length
				i++
			}
		}
	} else {
		sparse := s.Flag()
		for i := range lengths {
			if !sparse || s.Flag() {
				lengths[i] = uint8(s.ReadBits(5)) + 1
			}
			s.require(!s.PastEnd(), "")
		}
	}
	if err := b.makeCode(lengths); err != nil {
		s.require(false, "%v", err)
	}
	s.readValues(b, entries)
	return b
}

// countValues adds n to s.values, the count of numbers in all codebooks. If the count exceeds maxValues, it panics with
// a fault, which readSetup turns into an error.
func (s *setup) countValues(n int) {
	s.values += n
	s.require(s.values <= maxValues, "codebooks of more than %d numbers", maxValues)
}

// makeCode builds the decoding tables of the codebook b (Vorbis I, section 3.2.1). lengths has the number of bits of
// each entry's code word; 0 means no word. Each entry gets the first free word of its length. The words must use the
// code completely, or be a single word of one bit; otherwise makeCode returns an error. A codebook without any words
// is valid, but scalar then always fails.
func (b *book) makeCode(lengths []uint8) error {
	var full uint64
	used := 0
	for _, length := range lengths {
		if length > 0 {
			full += 1 << (32 - length)
			used++
		}
	}
	b.quick = new([1 << quickBits]int32)
	if used == 0 {
		return nil
	}
	alone := used == 1 && full == 1<<31
	if full != 1<<32 && !alone {
		return errors.New("its code words do not fill the code")
	}
	var free [33]uint32 // by length, the next free word, left-aligned; 0: a shorter one must be split
	b.nodes = make([][2]int32, 1)
	for entry, length := range lengths {
		if length == 0 {
			continue
		}
		from := length
		for from > 0 && free[from] == 0 {
			from--
		}
		word := free[from]
		free[from] = 0
		for j := from + 1; j <= length; j++ {
			free[j] = word + 1<<(32-j)
		}
		b.addWord(entry, uint(length), word>>(32-length))
	}
	if alone { // its bit may be 0 or 1
		for i := range b.quick {
			b.quick[i] = b.quick[i&^1]
		}
	}
	return nil
}

// addWord adds the code word of an entry to the decoding tables. word has length bits, 1 to 32, and is right-aligned.
// Its highest bit comes first in the file.
func (b *book) addWord(entry int, length uint, word uint32) {
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

// decodeEntry reads a code word from r and returns its entry and true. It returns false at the end of the data or for
// an invalid word; the entry then has no meaning. After an invalid word, r is beyond the end of its data, so that all
// later reads fail, too.
func (b *book) decodeEntry(r *source.LSB) (int, bool) {
	next := r.Peek()
	q := b.quick[next&(1<<quickBits-1)]
	if q <= 0 {
		return b.decodeLong(r, next, q)
	}
	r.Skip(uint(q&63) - 1)
	return int(q >> 6), !r.PastEnd()
}

// decodeLong decodes a code word longer than quickBits, and returns its entry and true. next has the next bits of r,
// the first bit lowest. q is the value of their first bits in the table b.quick: the inverted number of a tree node, or
// 0 if no word begins with them. If the word is invalid, decodeLong skips all data of r, so that r.PastEnd is true, and
// returns false. It also returns false if the word extends beyond the end of r.
func (b *book) decodeLong(r *source.LSB, next uint64, q int32) (int, bool) {
	node := ^q
	for length := uint(quickBits); q != 0 && length < 32; length++ {
		node = b.nodes[node][next>>length&1]
		if node < 0 {
			r.Skip(length + 1)
			return int(^node), !r.PastEnd()
		}
		if node == 0 {
			break
		}
	}
	r.SkipAll()
	return 0, false
}

// addVectors reads code words from r and adds the vectors of their entries to consecutive parts of x. It stops when
// less than a vector of x remains, and returns true. It returns false at the end of the data or for an invalid word; x
// may then be changed. Requires a codebook with vectors.
func (b *book) addVectors(x []float64, r *source.LSB) bool {
	for size := b.dimensions; len(x) >= size; x = x[size:] {
		entry, ok := b.decodeEntry(r)
		if !ok {
			return false
		}
		vector := b.values[entry*size:][:size]
		for d, y := range x[:size] {
			x[d] = y + float64(vector[d])
		}
	}
	return true
}

// readValues reads the vectors of the codebook b from the setup header into b.values (Vorbis I, section 3.2.1).
// entries is their number. The numbers of the vectors are listed explicitly or form a lattice; some codebooks have no
// vectors. If the header is invalid, it panics with a fault, which readSetup turns into an error.
func (s *setup) readValues(b *book, entries int) {
	kind := s.ReadBits(4)
	if kind == 0 {
		return
	}
	s.require(kind <= 2, "a codebook of the reserved kind %d", kind)
	count := entries * b.dimensions
	s.countValues(count)
	least, delta := unpackFloat(s.ReadBits(32)), unpackFloat(s.ReadBits(32))
	width := uint(s.ReadBits(4)) + 1
	sums := s.Flag()
	if kind == 1 {
		count = latticeSide(entries, b.dimensions)
	}
	s.require(s.Remaining() >= count*int(width), "cut short")
	numbers := make([]float32, count)
	for i := range numbers {
		numbers[i] = float32(float32(s.ReadBits(width))*delta) + least
	}
	b.values = make([]float32, entries*b.dimensions)
	last, place := float32(0), 0
	for i := range b.values {
		if i%b.dimensions == 0 {
			last, place = 0, i/b.dimensions
		}
		x := i
		if kind == 1 {
			x, place = place%count, place/count
		}
		b.values[i] = numbers[x] + last
		if sums {
			last = b.values[i]
		}
	}
}

// latticeSide returns the largest integer whose power with the exponent dimensions is at most entries (lookup1_values
// of Vorbis I, section 9.2.3). dimensions must be at least 1; 0 entries give 0.
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

// unpackFloat decodes Vorbis's 32-bit float: a sign, a 10-bit exponent and a 21-bit mantissa.
func unpackFloat(x uint32) float32 {
	m := float64(x & 0x1fffff)
	if x>>31 != 0 {
		m = -m
	}
	return float32(math.Ldexp(m, int(x>>21&0x3ff)-788))
}
