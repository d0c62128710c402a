package mp3

import (
	"fmt"

	"voicepool/sounds/internal/source"
)

// sideInfo is the side information of a frame.
type sideInfo struct {
	begin    int // start of its data in bytes before the frame
	granules [2][2]granule
}

// granule is the side information of one channel in one granule.
type granule struct {
	bits       int // of its data
	pairs      int // of large values
	gain       int
	compress   int // selects the sizes of the scale factors
	block      int // 0 long, 1 beginning, 2 short, 3 ending
	mixed      bool
	tables     [3]int
	subgain    [3]int
	region     [2]int // the lines where the second and the third table begin
	preflag    bool
	coarse     bool    // scale factors in steps of 6 dB instead of 3
	quadruples int     // table of the small values
	shared     [4]bool // the groups of scale factors copied from the previous granule
}

// readSide parses b, the side information of a frame (ISO 11172-3, 2.4.1.7). h is the header of the frame. Invalid
// values give an error without a wrapped kind.
func readSide(b []byte, h header) (s sideInfo, err error) {
	r := source.NewMSB(b)
	if h.lowRate {
		s.begin = int(r.ReadBits(8))
		r.ReadBits(uint(h.channels))
	} else {
		s.begin = int(r.ReadBits(9))
		r.ReadBits([...]uint{0, 5, 3}[h.channels])
		for ch := range h.channels {
			for i := range 4 {
				s.granules[1][ch].shared[i] = r.ReadBits(1) == 1
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

// read parses the side information of one granule of a channel from r into g. A granule is 576 samples of a channel.
// h is the header of the frame. Invalid values give an error without a wrapped kind.
func (g *granule) read(r *source.MSB, h header) error {
	g.bits, g.pairs, g.gain = int(r.ReadBits(12)), int(r.ReadBits(9)), int(r.ReadBits(8))
	if g.pairs > 288 {
		return fmt.Errorf("%d pairs of values in a granule of 576", g.pairs)
	}
	if h.lowRate {
		g.compress = int(r.ReadBits(9))
	} else {
		g.compress = int(r.ReadBits(4))
	}
	long := &longBands[h.bands]
	if r.ReadBits(1) == 1 {
		g.block, g.mixed = int(r.ReadBits(2)), r.ReadBits(1) == 1
		if g.block == 0 {
			return fmt.Errorf("a block of the reserved kind 0")
		}
		g.tables[0], g.tables[1] = int(r.ReadBits(5)), int(r.ReadBits(5))
		for i := range g.subgain {
			g.subgain[i] = int(r.ReadBits(3))
		}
		g.region = [2]int{long[8], 576}
		if g.block == 2 {
			g.region[0] = 3 * shortBands[h.bands][3]
		}
	} else {
		for i := range g.tables {
			g.tables[i] = int(r.ReadBits(5))
		}
		first := int(r.ReadBits(4))
		second := first + int(r.ReadBits(3))
		g.region = [2]int{long[first+1], long[min(second+2, 22)]}
	}
	g.preflag = !h.lowRate && r.ReadBits(1) == 1
	g.coarse = r.ReadBits(1) == 1
	g.quadruples = int(r.ReadBits(1))
	for _, t := range g.tables {
		if t == 4 || t == 14 {
			return fmt.Errorf("the reserved table %d", t)
		}
	}
	return nil
}

// longBands and shortBands are the limits of the scale factor bands: at 44.1, 48, 32 kHz, half of these rates,
// and 8 kHz. 16 kHz also uses the table of 11.025 and 12 kHz.
var (
	longBands = [7][23]int{
		{0, 4, 8, 12, 16, 20, 24, 30, 36, 44, 52, 62, 74, 90, 110, 134, 162, 196, 238, 288, 342, 418, 576},
		{0, 4, 8, 12, 16, 20, 24, 30, 36, 42, 50, 60, 72, 88, 106, 128, 156, 190, 230, 276, 330, 384, 576},
		{0, 4, 8, 12, 16, 20, 24, 30, 36, 44, 54, 66, 82, 102, 126, 156, 194, 240, 296, 364, 448, 550, 576},
		{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 238, 284, 336, 396, 464, 522, 576},
		{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 114, 136, 162, 194, 232, 278, 332, 394, 464, 540, 576},
		{0, 6, 12, 18, 24, 30, 36, 44, 54, 66, 80, 96, 116, 140, 168, 200, 238, 284, 336, 396, 464, 522, 576},
		{0, 12, 24, 36, 48, 60, 72, 88, 108, 132, 160, 192, 232, 280, 336, 400, 476, 566, 568, 570, 572, 574, 576},
	}
	shortBands = [7][14]int{
		{0, 4, 8, 12, 16, 22, 30, 40, 52, 66, 84, 106, 136, 192},
		{0, 4, 8, 12, 16, 22, 28, 38, 50, 64, 80, 100, 126, 192},
		{0, 4, 8, 12, 16, 22, 30, 42, 58, 78, 104, 138, 180, 192},
		{0, 4, 8, 12, 18, 24, 32, 42, 56, 74, 100, 132, 174, 192},
		{0, 4, 8, 12, 18, 26, 36, 48, 62, 80, 104, 136, 180, 192},
		{0, 4, 8, 12, 18, 26, 36, 48, 62, 80, 104, 134, 174, 192},
		{0, 8, 16, 24, 36, 52, 72, 96, 124, 160, 162, 164, 166, 192},
	}
)

// band is a range of lines with one scale factor.
type band struct {
	from, to int
	window   int // window of a short block; -1: long block
	emphasis int // added by preflag
	scale    int
	illegal  bool // as an intensity stereo position
}

// bandsOf appends the scale factor bands of the granule g to list, in the order of the file, and returns the list. A
// band is a range of spectral lines with one scale factor; all scale factors are still 0. The bands cover all 576
// lines. h is the header of the frame.
func (g *granule) bandsOf(h header, list []band) []band {
	long, short := 22, 13
	switch { // in mixed blocks the lowest 36 lines are long
	case g.block == 2 && g.mixed && h.lowRate:
		long, short = 6, 3
	case g.block == 2 && g.mixed:
		long, short = 8, 3
	case g.block == 2:
		long, short = 0, 0
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

// readScales reads the scale factors of MPEG-1 (ISO 11172-3, 2.4.1.7) from r into bands, the bands of the granule g.
// Some scale factors are shared with the previous granule: they are copied from before, its bands in the same channel.
// before is empty for the first granule. The highest band has no scale factor and keeps 0. In the other bands it also
// sets illegal, for intensity stereo.
func (g *granule) readScales(r *source.MSB, bands, before []band) {
	sizes := [2]uint{
		[...]uint{0, 0, 0, 0, 3, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4}[g.compress],
		[...]uint{0, 1, 2, 3, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 2, 3}[g.compress],
	}
	first, highest := 11, 1 // number of bands with the first size, and number of bands without scale factors
	if g.block == 2 {
		first, highest = 18, 3
		if g.mixed {
			first = 17
		}
	}
	for i := range bands[:len(bands)-highest] {
		b := &bands[i]
		switch {
		case g.block != 2 && g.shared[(i-1)/5] && len(before) == 22:
			b.scale = before[i].scale
		case i < first:
			b.scale = int(r.ReadBits(sizes[0]))
		default:
			b.scale = int(r.ReadBits(sizes[1]))
		}
		b.illegal = b.scale >= 7
	}
}

// lowScales describes the coding of scale factors in MPEG-2. Each half lists ranges of scalefac_compress by
// their smallest value.
var lowScales = [2][3]struct {
	from   int
	digits [4]int    // scalefac_compress is a mixed-radix number of the sizes; these are the radices
	counts [3][4]int // number of scale factors of each size: in long, short, mixed blocks
}{
	{
		{0, [4]int{5, 5, 4, 4}, [3][4]int{{6, 5, 5, 5}, {9, 9, 9, 9}, {6, 9, 9, 9}}},
		{400, [4]int{5, 5, 4, 1}, [3][4]int{{6, 5, 7, 3}, {9, 9, 12, 6}, {6, 9, 12, 6}}},
		{500, [4]int{4, 3, 1, 1}, [3][4]int{{11, 10, 0, 0}, {18, 18, 0, 0}, {15, 18, 0, 0}}},
	},
	{
		{0, [4]int{5, 6, 6, 1}, [3][4]int{{7, 7, 7, 0}, {12, 12, 12, 0}, {6, 15, 12, 0}}},
		{180, [4]int{4, 4, 4, 1}, [3][4]int{{6, 6, 6, 3}, {12, 9, 9, 6}, {6, 12, 9, 6}}},
		{244, [4]int{4, 3, 1, 1}, [3][4]int{{8, 8, 5, 0}, {15, 12, 9, 0}, {6, 18, 9, 0}}},
	},
}

// readScalesLow reads the scale factors of MPEG-2 and 2.5 (ISO 13818-3) from r into bands, the bands of the granule g.
// It also sets g.preflag, which these formats do not store, and the field illegal of the bands, for intensity stereo.
// intensity means the right channel of intensity stereo, whose scale factors are coded differently.
func (g *granule) readScalesLow(r *source.MSB, bands []band, intensity bool) {
	ways, c := &lowScales[0], g.compress
	if intensity {
		ways, c = &lowScales[1], c>>1
	}
	way := 2
	for ways[way].from > c {
		way--
	}
	g.preflag = !intensity && way == 2
	c -= ways[way].from
	var sizes [4]uint
	for part := 3; part >= 0; part-- {
		sizes[part] = uint(c % ways[way].digits[part])
		c /= ways[way].digits[part]
	}
	shape := 0
	if g.block == 2 {
		shape = 1
		if g.mixed {
			shape = 2
		}
	}
	i := 0
	for part, n := range ways[way].counts[shape] {
		for range n {
			if i < len(bands) {
				bands[i].scale = int(r.ReadBits(sizes[part]))
				bands[i].illegal = bands[i].scale == 1<<sizes[part]-1
			}
			i++
		}
	}
}
