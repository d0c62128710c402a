package sounds

import (
	"fmt"
	"math/bits"
	"slices"
)

// floor1 is the envelope of a spectrum: a line through points.
type floor1 struct {
	partitions []int // classes
	classes    []floorClass
	multiplier int
	x          []int // where the points stand, as the file has them
	order      []int // their indices from left to right
	low, high  []int // of each point from the third on, its neighbours among those before
}

type floorClass struct {
	dimensions, subclasses int // subclasses in bits
	master                 int
	books                  []int // -1: zeros
}

// residue is how the fine structure of spectra is kept.
type residue struct {
	kind                  int
	begin, end, partition int
	classifications       int
	classbook             *vorbisBook
	books                 [][8]*vorbisBook
}

// mapping says which floor and residue a channel has, and which channels are
// kept as magnitude and angle.
type mapping struct {
	coupling []coupling
	submap   []int // by channel
	floors   []int
	residues []int
}

type coupling struct{ magnitude, angle int }

type vorbisMode struct {
	long    int // 0 or 1
	mapping int
}

// readSetup reads the third header and checks all that its parts say of each
// other, so that decoding need not.
func (v *vorbis) readSetup(b []byte) error {
	if err := checkVorbisHeader(b, 5); err != nil {
		return err
	}
	r := newLSB(b[7:])
	err := v.readParts(r)
	if err == nil && r.over() {
		err = fmt.Errorf("%w: cut short", errVorbisSetup)
	}
	if err != nil {
		return broken("%v", err)
	}
	v.init()
	return nil
}

func (v *vorbis) readParts(r *lsb) error {
	budget := maxValues
	for range r.take(8) + 1 {
		b, err := readBook(r, &budget)
		if err != nil {
			return err
		}
		v.books = append(v.books, b)
	}
	for range r.take(6) + 1 { // transforms in time, which never came to be
		if r.take(16) != 0 {
			return errVorbisSetup
		}
	}
	for range r.take(6) + 1 {
		f, err := v.readFloor(r)
		if err != nil {
			return err
		}
		v.floors = append(v.floors, f)
	}
	for range r.take(6) + 1 {
		x, err := v.readResidue(r)
		if err != nil {
			return err
		}
		v.residues = append(v.residues, x)
	}
	for range r.take(6) + 1 {
		m, err := v.readMapping(r)
		if err != nil {
			return err
		}
		v.mappings = append(v.mappings, m)
	}
	for range r.take(6) + 1 {
		m := vorbisMode{long: int(r.take(1))}
		reserved := r.take(32)
		m.mapping = int(r.take(8))
		if reserved != 0 || m.mapping >= len(v.mappings) {
			return fmt.Errorf("%w: a mode", errVorbisSetup)
		}
		v.modes = append(v.modes, m)
	}
	if !r.flag() {
		return fmt.Errorf("%w: its last bit", errVorbisSetup)
	}
	return nil
}

// book returns the codebook of a number.
func (v *vorbis) book(i uint32) (*vorbisBook, error) {
	if int(i) >= len(v.books) {
		return nil, fmt.Errorf("%w: codebook %d of %d", errVorbisSetup, i, len(v.books))
	}
	return v.books[i], nil
}

func (v *vorbis) readFloor(r *lsb) (*floor1, error) {
	switch kind := r.take(16); kind {
	case 0:
		return nil, fmt.Errorf("%w: floors of the first kind, out of use since 2001, are not read", errVorbisSetup)
	case 1:
	default:
		return nil, fmt.Errorf("%w: a floor of the kind %d", errVorbisSetup, kind)
	}
	f := &floor1{}
	classes := 0
	for range r.take(5) {
		c := int(r.take(4))
		f.partitions = append(f.partitions, c)
		classes = max(classes, c+1)
	}
	for range classes {
		c := floorClass{dimensions: int(r.take(3)) + 1, subclasses: int(r.take(2)), master: -1}
		if c.subclasses > 0 {
			n := r.take(8)
			if _, err := v.book(n); err != nil {
				return nil, err
			}
			c.master = int(n)
		}
		for range 1 << c.subclasses {
			n := int(r.take(8)) - 1
			if n >= len(v.books) {
				return nil, fmt.Errorf("%w: a floor's codebook", errVorbisSetup)
			}
			c.books = append(c.books, n)
		}
		f.classes = append(f.classes, c)
	}
	f.multiplier = int(r.take(2)) + 1
	width := uint(r.take(4))
	f.x = append(f.x, 0, 1<<width)
	for _, c := range f.partitions {
		for range f.classes[c].dimensions {
			f.x = append(f.x, int(r.take(width)))
		}
	}
	return f, f.arrange()
}

// arrange sorts the points and finds the neighbours of each.
func (f *floor1) arrange() error {
	if len(f.x) > 65 {
		return fmt.Errorf("%w: a floor of %d points", errVorbisSetup, len(f.x))
	}
	f.order = make([]int, len(f.x))
	for i := range f.order {
		f.order[i] = i
	}
	slices.SortFunc(f.order, func(a, b int) int { return f.x[a] - f.x[b] })
	for i, p := range f.order[1:] {
		if f.x[p] == f.x[f.order[i]] {
			return fmt.Errorf("%w: two points of a floor at one place", errVorbisSetup)
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
	return nil
}

func (v *vorbis) readResidue(r *lsb) (*residue, error) {
	x := &residue{kind: int(r.take(16))}
	x.begin, x.end = int(r.take(24)), int(r.take(24))
	x.partition, x.classifications = int(r.take(24))+1, int(r.take(6))+1
	var err error
	if x.classbook, err = v.book(r.take(8)); err != nil {
		return nil, err
	}
	if x.kind > 2 || x.begin > x.end {
		return nil, fmt.Errorf("%w: a residue of the kind %d from %d to %d", errVorbisSetup, x.kind, x.begin, x.end)
	}
	cascade := make([]uint32, x.classifications)
	for i := range cascade {
		cascade[i] = r.take(3)
		if r.flag() {
			cascade[i] |= r.take(5) << 3
		}
	}
	x.books = make([][8]*vorbisBook, x.classifications)
	for i, used := range cascade {
		for pass := range 8 {
			if used>>pass&1 == 0 {
				continue
			}
			b, err := v.book(r.take(8))
			if err != nil {
				return nil, err
			}
			if len(b.values) == 0 || x.partition%b.dimensions != 0 {
				return nil, fmt.Errorf("%w: a residue's codebook", errVorbisSetup)
			}
			x.books[i][pass] = b
		}
	}
	return x, nil
}

func (v *vorbis) readMapping(r *lsb) (*mapping, error) {
	m := &mapping{submap: make([]int, v.channels)}
	if r.take(16) != 0 {
		return nil, fmt.Errorf("%w: a mapping of a reserved kind", errVorbisSetup)
	}
	submaps := 1
	if r.flag() {
		submaps = int(r.take(4)) + 1
	}
	if r.flag() {
		width := uint(bits.Len(uint(v.channels - 1)))
		for range r.take(8) + 1 {
			c := coupling{int(r.take(width)), int(r.take(width))}
			if c.magnitude == c.angle || c.magnitude >= v.channels || c.angle >= v.channels {
				return nil, fmt.Errorf("%w: channels %d and %d are coupled", errVorbisSetup, c.magnitude, c.angle)
			}
			m.coupling = append(m.coupling, c)
		}
	}
	if r.take(2) != 0 {
		return nil, fmt.Errorf("%w: a mapping of a reserved kind", errVorbisSetup)
	}
	if submaps > 1 {
		for i := range m.submap {
			if m.submap[i] = int(r.take(4)); m.submap[i] >= submaps {
				return nil, fmt.Errorf("%w: a channel's submap", errVorbisSetup)
			}
		}
	}
	for range submaps {
		r.take(8) // a configuration in time, which never came to be
		floor, residue := int(r.take(8)), int(r.take(8))
		if floor >= len(v.floors) || residue >= len(v.residues) {
			return nil, fmt.Errorf("%w: a submap", errVorbisSetup)
		}
		m.floors, m.residues = append(m.floors, floor), append(m.residues, residue)
	}
	return m, nil
}
