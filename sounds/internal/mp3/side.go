package mp3

import (
	"fmt"

	"voicepool/sounds/internal/source"
)

// sideInfo is the side information of a frame.
type sideInfo struct {
	begin    int // how many bytes before the frame its data begins
	shared   [2][4]bool
	granules [2][2]granule
}

// granule is what is told of one channel in one granule.
type granule struct {
	bits       int // of its data
	pairs      int // of large values
	gain       int
	compress   int // which sizes the scale factors have
	block      int // 0 long, 1 beginning, 2 short, 3 ending
	mixed      bool
	tables     [3]int
	subgain    [3]int
	region     [2]int // the lines where the second and the third table begin
	preflag    bool
	coarse     bool // scale factors in steps of 6 dB, not 3
	quadruples int  // which table the small values have
}

// readSide reads and checks side information.
func readSide(b []byte, h header) (s sideInfo, err error) {
	r := source.NewMSB(b)
	if h.low {
		s.begin = int(r.Take(8))
		r.Take(uint(h.channels))
	} else {
		s.begin = int(r.Take(9))
		r.Take([...]uint{0, 5, 3}[h.channels])
		for ch := range h.channels {
			for i := range s.shared[ch] {
				s.shared[ch][i] = r.Take(1) == 1
			}
		}
	}
	for i := range h.granules() {
		for ch := range h.channels {
			if err := s.granules[i][ch].read(r, h); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

func (g *granule) read(r *source.MSB, h header) error {
	g.bits, g.pairs, g.gain = int(r.Take(12)), int(r.Take(9)), int(r.Take(8))
	if g.pairs > 288 {
		return fmt.Errorf("%d pairs of values in a granule of 576", g.pairs)
	}
	if h.low {
		g.compress = int(r.Take(9))
	} else {
		g.compress = int(r.Take(4))
	}
	long := &longBands[h.bands]
	if r.Take(1) == 1 {
		g.block, g.mixed = int(r.Take(2)), r.Take(1) == 1
		if g.block == 0 {
			return fmt.Errorf("a block of the reserved kind 0")
		}
		g.tables[0], g.tables[1] = int(r.Take(5)), int(r.Take(5))
		for i := range g.subgain {
			g.subgain[i] = int(r.Take(3))
		}
		g.region = [2]int{long[8], 576}
		if g.block == 2 {
			g.region[0] = 3 * shortBands[h.bands][3]
		}
	} else {
		for i := range g.tables {
			g.tables[i] = int(r.Take(5))
		}
		first := int(r.Take(4))
		second := first + int(r.Take(3))
		g.region = [2]int{long[first+1], long[min(second+2, 22)]}
	}
	g.preflag = !h.low && r.Take(1) == 1
	g.coarse = r.Take(1) == 1
	g.quadruples = int(r.Take(1))
	for _, t := range g.tables {
		if t == 4 || t == 14 {
			return fmt.Errorf("the reserved table %d", t)
		}
	}
	return nil
}

// longBands and shortBands are where the bands begin in which lines have
// a scale factor of their own: at 44.1, 48, 32 kHz, half and a quarter of these.
var (
	longBands = [9][23]int{
		{0, 4, 8, 12, 16, 20, 24, 30, 36, 44, 52, 62, 74, 90, 110, 134, 162, 196, 238, 288, 342, 418, 576},
		{0, 4, 8, 12, 16, 20, 24, 30, 36, 42, 50, 60, 72, 88, 106, 128, 156, 190, 230, 276, 330, 384, 576},
		{0, 4, 8, 12, 16, 20, 24, 30, 36, 44, 54, 66, 82, 102, 126, 156, 194, 240, 296, 364, 448, 550, 576},
		{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 238, 284, 336, 396, 464, 522, 576},
		{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 114, 136, 162, 194, 232, 278, 332, 394, 464, 540, 576},
		{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 238, 284, 336, 396, 464, 522, 576},
		{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 238, 284, 336, 396, 464, 522, 576},
		{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 238, 284, 336, 396, 464, 522, 576},
		{0, 12, 24, 36, 48, 60, 72, 88, 108, 132, 160, 192, 232, 280, 336, 400, 476, 566, 568, 570, 572, 574, 576},
	}
	shortBands = [9][14]int{
		{0, 4, 8, 12, 16, 22, 30, 40, 52, 66, 84, 106, 136, 192},
		{0, 4, 8, 12, 16, 22, 28, 38, 50, 64, 80, 100, 126, 192},
		{0, 4, 8, 12, 16, 22, 30, 42, 58, 78, 104, 138, 180, 192},
		{0, 4, 8, 12, 18, 24, 32, 42, 56, 74, 100, 132, 174, 192},
		{0, 4, 8, 12, 18, 26, 36, 48, 62, 80, 104, 136, 180, 192},
		{0, 4, 8, 12, 18, 26, 36, 48, 62, 80, 104, 134, 174, 192},
		{0, 4, 8, 12, 18, 26, 36, 48, 62, 80, 104, 134, 174, 192},
		{0, 4, 8, 12, 18, 26, 36, 48, 62, 80, 104, 134, 174, 192},
		{0, 8, 16, 24, 36, 52, 72, 96, 124, 160, 162, 164, 166, 192},
	}
)

// band is a stretch of lines with one scale factor.
type band struct {
	from, to int
	window   int // of a short block; -1: of a long one
	emphasis int // what preflag adds
	scale    int
	illegal  bool // as a position in intensity stereo
}

// bandsOf lists the bands of a granule, in the order of the file.
func (g *granule) bandsOf(h header, list []band) []band {
	long, short := 22, 0
	if g.block == 2 {
		long = 0
		if g.mixed { // the lowest 36 lines are long
			long, short = 8, 3
			if h.low {
				long = 6
			}
		}
	} else {
		short = 13
	}
	emphasis := [22]int{11: 1, 1, 1, 1, 2, 2, 3, 3, 3, 2}
	for i := range long {
		list = append(list, band{from: longBands[h.bands][i], to: longBands[h.bands][i+1], window: -1, emphasis: emphasis[i]})
	}
	for i := short; i < 13; i++ {
		from, width := 3*shortBands[h.bands][i], shortBands[h.bands][i+1]-shortBands[h.bands][i]
		for w := range 3 {
			list = append(list, band{from: from + w*width, to: from + (w+1)*width, window: w})
		}
	}
	return list
}

// readScales reads the scale factors of MPEG-1. before are the bands of the
// granule before, of which some may be taken.
func (g *granule) readScales(r *source.MSB, bands, before []band, shared *[4]bool) {
	sizes := [2]uint{
		[...]uint{0, 0, 0, 0, 3, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4}[g.compress],
		[...]uint{0, 1, 2, 3, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 2, 3}[g.compress],
	}
	if g.block == 2 {
		first := 18 // how many have the first size
		if g.mixed {
			first = 17
		}
		for i := range len(bands) - 3 { // the highest have none
			if i < first {
				bands[i].scale = int(r.Take(sizes[0]))
			} else {
				bands[i].scale = int(r.Take(sizes[1]))
			}
			bands[i].illegal = bands[i].scale >= 7
		}
		return
	}
	for i := range 21 {
		group := [...]int{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3}[i]
		switch {
		case shared[group] && len(before) == 22:
			bands[i].scale = before[i].scale
		case i < 11:
			bands[i].scale = int(r.Take(sizes[0]))
		default:
			bands[i].scale = int(r.Take(sizes[1]))
		}
		bands[i].illegal = bands[i].scale >= 7
	}
}

// readScalesLow reads the scale factors of MPEG-2, which in the right channel
// of intensity stereo are kept in another way.
func (g *granule) readScalesLow(r *source.MSB, bands []band, intensity bool) {
	var sizes [4]uint
	kind := 0
	c := g.compress
	if intensity {
		switch c >>= 1; {
		case c < 180:
			sizes, kind = [4]uint{uint(c / 36), uint(c % 36 / 6), uint(c % 6)}, 3
		case c < 244:
			c -= 180
			sizes, kind = [4]uint{uint(c >> 4 & 3), uint(c >> 2 & 3), uint(c & 3)}, 4
		default:
			c -= 244
			sizes, kind = [4]uint{uint(c / 3), uint(c % 3)}, 5
		}
	} else {
		switch {
		case c < 400:
			sizes = [4]uint{uint(c >> 4 / 5), uint(c >> 4 % 5), uint(c >> 2 & 3), uint(c & 3)}
		case c < 500:
			c -= 400
			sizes, kind = [4]uint{uint(c >> 2 / 5), uint(c >> 2 % 5), uint(c & 3)}, 1
		default:
			c -= 500
			sizes, kind = [4]uint{uint(c / 3), uint(c % 3)}, 2
			g.preflag = true
		}
	}
	counts := [6][3][4]int{
		{{6, 5, 5, 5}, {9, 9, 9, 9}, {6, 9, 9, 9}},
		{{6, 5, 7, 3}, {9, 9, 12, 6}, {6, 9, 12, 6}},
		{{11, 10, 0, 0}, {18, 18, 0, 0}, {15, 18, 0, 0}},
		{{7, 7, 7, 0}, {12, 12, 12, 0}, {6, 15, 12, 0}},
		{{6, 6, 6, 3}, {12, 9, 9, 6}, {6, 12, 9, 6}},
		{{8, 8, 5, 0}, {15, 12, 9, 0}, {6, 18, 9, 0}},
	}
	shape := 0
	if g.block == 2 {
		shape = 1
		if g.mixed {
			shape = 2
		}
	}
	i := 0
	for part, n := range counts[kind][shape] {
		for range n {
			if i < len(bands) {
				bands[i].scale = int(r.Take(sizes[part]))
				bands[i].illegal = bands[i].scale == 1<<sizes[part]-1
			}
			i++
		}
	}
}
