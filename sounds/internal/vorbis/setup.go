package vorbis

import (
	"fmt"
	"math/bits"
	"slices"

	"voicepool/sounds/internal/source"
)

// floor1 is the envelope of a spectrum: a line through points.
type floor1 struct {
	partitions []int // classes
	classes    []floorClass
	multiplier int
	x          []int   // of the points, in the order of the file
	order      []int32 // indices of the points, sorted by x
	low, high  []int   // neighbours of each point among the earlier ones, from the third point on
}

// floorClass describes how the heights of consecutive points of a floor are coded.
type floorClass struct {
	dimensions, subclasses int     // subclasses in bits
	master                 *book   // nil: there is one subclass
	books                  []*book // nil: zeros
}

// residue describes the coding of the fine structure of spectra.
type residue struct {
	kind                  int
	begin, end, partition int
	classifications       int
	classbook             *book
	books                 [][8]*book
}

// mapping assigns floors and residues to channels, and lists the coupled channels.
type mapping struct {
	coupling []coupling
	submap   []int // by channel
	floors   []*floor1
	residues []*residue
}

// coupling is a pair of channels whose spectra are coded as magnitude and angle.
type coupling struct{ magnitude, angle int }

// mode selects the block size and the mapping of a packet.
type mode struct {
	long    int // 0 or 1
	mapping int
}

// setup is the setup header while it is parsed. Errors are raised as panics with a fault, which readSetup
// returns as an error.
type setup struct {
	*source.LSB
	*decoder
	values int // of the codebooks so far
}

// fault is the panic value of an invalid setup.
type fault string

// require panics with a fault if holds is false. The fault has the formatted text; format may be "". readSetup turns
// the panic into an error. If holds is true, require has no effect.
func (s *setup) require(holds bool, format string, args ...any) {
	if holds {
		return
	}
	if format != "" {
		format = ": " + format
	}
	panic(fault(fmt.Sprintf(format, args...)))
}

// number reads the next n bits, at most 32, and returns them as an int. Beyond the end they are 0.
func (s *setup) number(n uint) int { return int(s.ReadBits(n)) }

// readList reads a list of the setup header s and returns it. The list begins with its length minus one, in the given
// number of bits. read is called once per element, at least once.
func readList[T any](s *setup, bits uint, read func() T) (list []T) {
	for range s.number(bits) + 1 {
		list = append(list, read())
	}
	return list
}

// readSetup parses b, the setup header (Vorbis I, section 4.2.4), into v, and prepares v for the first packet with
// init. It validates all references between the parts of the header, so that decoding need not check them. An invalid
// header gives an error that wraps source.ErrDecode. readIdent must have been called.
func (v *decoder) readSetup(b []byte) (err error) {
	if err := checkHeader(b, 5); err != nil {
		return err
	}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case fault:
			err = source.DecodeErrorf("the Vorbis setup is faulty%s", p)
		default:
			panic(p)
		}
	}()
	s := &setup{LSB: source.NewLSB(b[7:]), decoder: v}
	v.books = readList(s, 8, s.readBook)
	readList(s, 6, func() bool { // time-domain transforms: a placeholder in the format
		s.require(s.ReadBits(16) == 0, "")
		return true
	})
	v.floors = readList(s, 6, s.readFloor)
	v.residues = readList(s, 6, s.readResidue)
	v.mappings = readList(s, 6, s.readMapping)
	v.modes = readList(s, 6, func() mode {
		long, reserved, mapping := s.number(1), s.ReadBits(32), s.number(8)
		s.require(reserved == 0 && mapping < len(v.mappings), "a mode")
		return mode{long, mapping}
	})
	s.require(s.Flag(), "its last bit")
	s.require(!s.PastEnd(), "cut short")
	v.init()
	return nil
}

// book reads the number of a codebook from the setup header and returns that codebook. If the number is invalid, it
// panics with a fault, which readSetup turns into an error.
func (s *setup) book() *book {
	i := s.number(8)
	s.require(i < len(s.books), "codebook %d of %d", i, len(s.books))
	return s.books[i]
}

// readFloor reads a floor, the description of spectral envelopes, from the setup header (Vorbis I, section 7.2.2). If
// the floor is not of type 1 or is invalid, it panics with a fault, which readSetup turns into an error.
func (s *setup) readFloor() *floor1 {
	kind := s.ReadBits(16)
	s.require(kind != 0, "floors of the first kind, out of use since 2001, are not read")
	s.require(kind == 1, "a floor of the kind %d", kind)
	f := &floor1{}
	classes := 0
	for range s.ReadBits(5) {
		c := s.number(4)
		f.partitions = append(f.partitions, c)
		classes = max(classes, c+1)
	}
	for range classes {
		c := floorClass{dimensions: s.number(3) + 1, subclasses: s.number(2)}
		if c.subclasses > 0 {
			c.master = s.book()
		}
		for range 1 << c.subclasses {
			var b *book
			if n := s.number(8); n > 0 {
				s.require(n <= len(s.books), "a floor's codebook")
				b = s.books[n-1]
			}
			c.books = append(c.books, b)
		}
		f.classes = append(f.classes, c)
	}
	f.multiplier = s.number(2) + 1
	width := uint(s.ReadBits(4))
	f.x = append(f.x, 0, 1<<width)
	for _, c := range f.partitions {
		for range f.classes[c].dimensions {
			f.x = append(f.x, s.number(width))
		}
	}
	s.require(len(f.x) <= 65, "a floor of %d points", len(f.x))
	s.require(f.arrange(), "two points of a floor at one place")
	return f
}

// arrange prepares the points f.x of the floor. It stores the indexes of the points, sorted by x, in f.order. It
// compares each point with the points before it in f.x. The index of the nearest point with a smaller x is stored in
// f.low, and of the nearest point with a larger x in f.high. Both are 0 for the first two points, the ends. If two
// points have the same x, arrange returns false and does not set f.low and f.high.
func (f *floor1) arrange() bool {
	f.order = make([]int32, len(f.x))
	for i := range f.order {
		f.order[i] = int32(i)
	}
	slices.SortFunc(f.order, func(a, b int32) int { return f.x[a] - f.x[b] })
	for i, p := range f.order[1:] {
		if f.x[p] == f.x[f.order[i]] {
			return false
		}
	}
	f.low, f.high = make([]int, len(f.x)), make([]int, len(f.x))
	for i := 2; i < len(f.x); i++ {
		f.high[i] = 1
		for j := range i {
			if f.x[j] < f.x[i] && f.x[j] > f.x[f.low[i]] {
				f.low[i] = j
			}
			if f.x[j] > f.x[i] && f.x[j] < f.x[f.high[i]] {
				f.high[i] = j
			}
		}
	}
	return true
}

// readResidue reads a residue, the description of the fine structure of spectra, from the setup header (Vorbis I,
// section 8.6.1). If the header is invalid, it panics with a fault, which readSetup turns into an error.
func (s *setup) readResidue() *residue {
	x := &residue{
		kind: s.number(16), begin: s.number(24), end: s.number(24),
		partition: s.number(24) + 1, classifications: s.number(6) + 1, classbook: s.book(),
	}
	s.require(x.kind <= 2 && x.begin <= x.end, "a residue of the kind %d from %d to %d", x.kind, x.begin, x.end)
	cascade := make([]uint32, x.classifications)
	for i := range cascade {
		cascade[i] = s.ReadBits(3)
		if s.Flag() {
			cascade[i] |= s.ReadBits(5) << 3
		}
	}
	x.books = make([][8]*book, x.classifications)
	for i, used := range cascade {
		for pass := range 8 {
			if used>>pass&1 == 0 {
				continue
			}
			b := s.book()
			s.require(len(b.values) > 0 && x.partition%b.dimensions == 0, "a residue's codebook")
			x.books[i][pass] = b
		}
	}
	return x
}

// readMapping reads a mapping, which assigns floors and residues to channels, from the setup header (Vorbis I,
// section 4.2.4). Floors and residues must have been read. If the header is invalid, it panics with a fault, which
// readSetup turns into an error.
func (s *setup) readMapping() *mapping {
	m := &mapping{submap: make([]int, s.channels)}
	s.require(s.ReadBits(16) == 0, "a mapping of a reserved kind")
	submaps := 1
	if s.Flag() {
		submaps = s.number(4) + 1
	}
	if s.Flag() {
		width := uint(bits.Len(uint(s.channels - 1)))
		m.coupling = readList(s, 8, func() coupling {
			c := coupling{s.number(width), s.number(width)}
			apart := c.magnitude != c.angle && max(c.magnitude, c.angle) < s.channels
			s.require(apart, "channels %d and %d are coupled", c.magnitude, c.angle)
			return c
		})
	}
	s.require(s.ReadBits(2) == 0, "a mapping of a reserved kind")
	if submaps > 1 {
		for i := range m.submap {
			m.submap[i] = s.number(4)
			s.require(m.submap[i] < submaps, "a channel's submap")
		}
	}
	for range submaps {
		s.ReadBits(8) // a time configuration: a placeholder in the format
		floor, residue := s.number(8), s.number(8)
		s.require(floor < len(s.floors) && residue < len(s.residues), "a submap")
		m.floors, m.residues = append(m.floors, s.floors[floor]), append(m.residues, s.residues[residue])
	}
	return m
}
