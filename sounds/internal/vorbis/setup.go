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
	classbook             *book
	books                 [][8]*book
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

type mode struct {
	long    int // 0 or 1
	mapping int
}

// readSetup reads the third header and checks all that its parts say of each
// other, so that decoding need not.
func (v *decoder) readSetup(b []byte) error {
	if err := checkHeader(b, 5); err != nil {
		return err
	}
	r := source.NewLSB(b[7:])
	err := v.readParts(r)
	if err == nil && r.Over() {
		err = fmt.Errorf("%w: cut short", errSetup)
	}
	if err != nil {
		return source.Broken("%v", err)
	}
	v.init()
	return nil
}

func (v *decoder) readParts(r *source.LSB) error {
	budget := maxValues
	for range r.Take(8) + 1 {
		b, err := readBook(r, &budget)
		if err != nil {
			return err
		}
		v.books = append(v.books, b)
	}
	for range r.Take(6) + 1 { // transforms in time, which never came to be
		if r.Take(16) != 0 {
			return errSetup
		}
	}
	for range r.Take(6) + 1 {
		f, err := v.readFloor(r)
		if err != nil {
			return err
		}
		v.floors = append(v.floors, f)
	}
	for range r.Take(6) + 1 {
		x, err := v.readResidue(r)
		if err != nil {
			return err
		}
		v.residues = append(v.residues, x)
	}
	for range r.Take(6) + 1 {
		m, err := v.readMapping(r)
		if err != nil {
			return err
		}
		v.mappings = append(v.mappings, m)
	}
	for range r.Take(6) + 1 {
		m := mode{long: int(r.Take(1))}
		reserved := r.Take(32)
		m.mapping = int(r.Take(8))
		if reserved != 0 || m.mapping >= len(v.mappings) {
			return fmt.Errorf("%w: a mode", errSetup)
		}
		v.modes = append(v.modes, m)
	}
	if !r.Flag() {
		return fmt.Errorf("%w: its last bit", errSetup)
	}
	return nil
}

// book returns the codebook of a number.
func (v *decoder) book(i uint32) (*book, error) {
	if int(i) >= len(v.books) {
		return nil, fmt.Errorf("%w: codebook %d of %d", errSetup, i, len(v.books))
	}
	return v.books[i], nil
}

func (v *decoder) readFloor(r *source.LSB) (*floor1, error) {
	switch kind := r.Take(16); kind {
	case 0:
		return nil, fmt.Errorf("%w: floors of the first kind, out of use since 2001, are not read", errSetup)
	case 1:
	default:
		return nil, fmt.Errorf("%w: a floor of the kind %d", errSetup, kind)
	}
	f := &floor1{}
	classes := 0
	for range r.Take(5) {
		c := int(r.Take(4))
		f.partitions = append(f.partitions, c)
		classes = max(classes, c+1)
	}
	for range classes {
		c := floorClass{dimensions: int(r.Take(3)) + 1, subclasses: int(r.Take(2)), master: -1}
		if c.subclasses > 0 {
			n := r.Take(8)
			if _, err := v.book(n); err != nil {
				return nil, err
			}
			c.master = int(n)
		}
		for range 1 << c.subclasses {
			n := int(r.Take(8)) - 1
			if n >= len(v.books) {
				return nil, fmt.Errorf("%w: a floor's codebook", errSetup)
			}
			c.books = append(c.books, n)
		}
		f.classes = append(f.classes, c)
	}
	f.multiplier = int(r.Take(2)) + 1
	width := uint(r.Take(4))
	f.x = append(f.x, 0, 1<<width)
	for _, c := range f.partitions {
		for range f.classes[c].dimensions {
			f.x = append(f.x, int(r.Take(width)))
		}
	}
	return f, f.arrange()
}

// arrange sorts the points and finds the neighbours of each.
func (f *floor1) arrange() error {
	if len(f.x) > 65 {
		return fmt.Errorf("%w: a floor of %d points", errSetup, len(f.x))
	}
	f.order = make([]int, len(f.x))
	for i := range f.order {
		f.order[i] = i
	}
	slices.SortFunc(f.order, func(a, b int) int { return f.x[a] - f.x[b] })
	for i, p := range f.order[1:] {
		if f.x[p] == f.x[f.order[i]] {
			return fmt.Errorf("%w: two points of a floor at one place", errSetup)
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

func (v *decoder) readResidue(r *source.LSB) (*residue, error) {
	x := &residue{kind: int(r.Take(16))}
	x.begin, x.end = int(r.Take(24)), int(r.Take(24))
	x.partition, x.classifications = int(r.Take(24))+1, int(r.Take(6))+1
	var err error
	if x.classbook, err = v.book(r.Take(8)); err != nil {
		return nil, err
	}
	if x.kind > 2 || x.begin > x.end {
		return nil, fmt.Errorf("%w: a residue of the kind %d from %d to %d", errSetup, x.kind, x.begin, x.end)
	}
	cascade := make([]uint32, x.classifications)
	for i := range cascade {
		cascade[i] = r.Take(3)
		if r.Flag() {
			cascade[i] |= r.Take(5) << 3
		}
	}
	x.books = make([][8]*book, x.classifications)
	for i, used := range cascade {
		for pass := range 8 {
			if used>>pass&1 == 0 {
				continue
			}
			b, err := v.book(r.Take(8))
			if err != nil {
				return nil, err
			}
			if len(b.values) == 0 || x.partition%b.dimensions != 0 {
				return nil, fmt.Errorf("%w: a residue's codebook", errSetup)
			}
			x.books[i][pass] = b
		}
	}
	return x, nil
}

func (v *decoder) readMapping(r *source.LSB) (*mapping, error) {
	m := &mapping{submap: make([]int, v.channels)}
	if r.Take(16) != 0 {
		return nil, fmt.Errorf("%w: a mapping of a reserved kind", errSetup)
	}
	submaps := 1
	if r.Flag() {
		submaps = int(r.Take(4)) + 1
	}
	if r.Flag() {
		width := uint(bits.Len(uint(v.channels - 1)))
		for range r.Take(8) + 1 {
			c := coupling{int(r.Take(width)), int(r.Take(width))}
			if c.magnitude == c.angle || c.magnitude >= v.channels || c.angle >= v.channels {
				return nil, fmt.Errorf("%w: channels %d and %d are coupled", errSetup, c.magnitude, c.angle)
			}
			m.coupling = append(m.coupling, c)
		}
	}
	if r.Take(2) != 0 {
		return nil, fmt.Errorf("%w: a mapping of a reserved kind", errSetup)
	}
	if submaps > 1 {
		for i := range m.submap {
			if m.submap[i] = int(r.Take(4)); m.submap[i] >= submaps {
				return nil, fmt.Errorf("%w: a channel's submap", errSetup)
			}
		}
	}
	for range submaps {
		r.Take(8) // a configuration in time, which never came to be
		floor, residue := int(r.Take(8)), int(r.Take(8))
		if floor >= len(v.floors) || residue >= len(v.residues) {
			return nil, fmt.Errorf("%w: a submap", errSetup)
		}
		m.floors, m.residues = append(m.floors, floor), append(m.residues, residue)
	}
	return m, nil
}
