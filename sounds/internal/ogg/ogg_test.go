package ogg

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"voicepool/sounds/internal/source"
)

var anything = source.Limits{Frames: math.MaxInt64, Memory: math.MaxInt64, Channels: 8, MinRate: 1, MaxRate: 768000}

// sum computes the checksum of RFC 3533, bit by bit.
func sum(b []byte) (crc uint32) {
	for _, x := range b {
		crc ^= uint32(x) << 24
		for range 8 {
			high := crc >> 31
			crc = crc<<1 ^ high*0x04c11db7
		}
	}
	return crc
}

// The flags of a page.
const (
	torn = 1 << iota // the page begins within a packet
	first
	last
)

// pageOf makes a page.
func pageOf(flags byte, granule int64, serial, sequence uint32, lacing, body []byte) []byte {
	b := append([]byte("OggS\x00"), flags)
	b = binary.LittleEndian.AppendUint64(b, uint64(granule))
	b = binary.LittleEndian.AppendUint32(b, serial)
	b = binary.LittleEndian.AppendUint32(b, sequence)
	b = append(b, 0, 0, 0, 0, byte(len(lacing)))
	b = append(append(b, lacing...), body...)
	binary.LittleEndian.PutUint32(b[22:], sum(b))
	return b
}

// laced writes packets into pages: the first alone, then per() lacing values a page. granule returns the
// position of a page for the number of packets complete at its end, including headers.
func laced(
	serial uint32, packets [][]byte, per func() int, granule func(complete int, end bool) int64,
) (pages [][]byte) {
	var lacing, body []byte
	complete, before, inside := 0, 0, false
	flush := func(end bool) {
		flags, at := byte(0), int64(-1)
		if inside {
			flags |= torn
		}
		if len(pages) == 0 {
			flags |= first
		}
		if end {
			flags |= last
		}
		if complete > before {
			at = granule(complete, end)
		}
		pages = append(pages, pageOf(flags, at, serial, uint32(len(pages)), lacing, body))
		inside, before = lacing[len(lacing)-1] == 255, complete
		lacing, body = nil, nil
	}
	room := 1
	for i, p := range packets {
		for left := p; ; {
			n := min(len(left), 255)
			lacing, body, left = append(lacing, byte(n)), append(body, left[:n]...), left[n:]
			if n < 255 {
				complete++
			}
			end := n < 255 && i == len(packets)-1
			if len(lacing) == room || n < 255 && i == 0 || end {
				flush(end)
				room = per()
			}
			if n < 255 {
				break
			}
		}
	}
	return pages
}

func noPlace(int, bool) int64 { return 0 }

// all returns the packets of a file.
func all(file []byte) (list [][]byte, err error) {
	s := stream{in: source.FromMemory(file), magic: "Fake", strict: true}
	for {
		p, err := s.packet()
		if err != nil {
			return list, err
		}
		list = append(list, p)
	}
}

// TestPackets checks that packets of every length are read from pages with any number of lacing values. Pages
// of other streams between them are skipped.
func TestPackets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, per := range []int{1, 2, 3, 7, 254, 255} {
		packets := [][]byte{[]byte("Fake")}
		for _, n := range []int{0, 1, 254, 255, 256, 509, 510, 511, 1275, 65025, 65026, 0, 70000, 255 * 255, 3} {
			p := make([]byte, n)
			for i := range p {
				p[i] = byte(random.Uint32())
			}
			packets = append(packets, p)
		}
		pages := laced(7, packets, func() int { return per }, noPlace)
		other := laced(8, [][]byte{[]byte("Othe"), make([]byte, 900)}, func() int { return 2 }, noPlace)
		same := laced(9, [][]byte{[]byte("Fake"), make([]byte, 900)}, func() int { return 2 }, noPlace)
		late := pageOf(0, 0, 7, uint32(len(pages)), []byte{1}, []byte{1}) // after the end of the stream
		file := slices.Concat(other[0], pages[0], same[0], other[1], slices.Concat(pages[1:]...), same[1], other[2], late)
		got, err := all(file)
		if !errors.Is(err, io.EOF) || !slices.EqualFunc(got, packets, slices.Equal) {
			t.Errorf("%d values a page: %d packets of %d, %v", per, len(got), len(packets), err)
		}
	}
}

// TestBroken checks that each fault of a page is reported with its page: a wrong bit, a missing, repeated or
// torn page, and an early end.
func TestBroken(t *testing.T) {
	packets := [][]byte{[]byte("Fake"), make([]byte, 300), make([]byte, 700), make([]byte, 20), make([]byte, 40)}
	pages := laced(7, packets, func() int { return 2 }, noPlace)
	for i, p := range pages {
		for bit := range 8 * len(p) {
			bad := slices.Clone(p)
			bad[bit/8] ^= 1 << (bit % 8)
			if _, _, err := readPage(bad, true); !errors.Is(err, source.ErrDecode) {
				t.Fatalf("page %d, bit %d: %v", i, bit, err)
			}
		}
		for n := range p {
			if _, _, err := readPage(p[:n], true); !errors.Is(err, source.ErrDecode) {
				t.Fatalf("page %d, %d bytes of it: %v", i, n, err)
			}
		}
	}
	remade := func(i int, flags byte) []byte {
		p := slices.Clone(pages[i])
		p[5] = flags
		copy(p[22:], []byte{0, 0, 0, 0})
		binary.LittleEndian.PutUint32(p[22:], sum(p))
		return p
	}
	for _, c := range []struct {
		name, want string
		pages      [][]byte
	}{
		{name: "a hole", want: "Ogg page 2 is missing", pages: slices.Delete(slices.Clone(pages), 2, 3)},
		{name: "twice", want: "Ogg page 3 is missing", pages: slices.Insert(slices.Clone(pages), 2, pages[2])},
		{name: "not continued", want: "torn at Ogg page 3", pages: [][]byte{pages[0], pages[1], pages[2], remade(3, 0)}},
		{name: "continued", want: "torn at Ogg page 1", pages: [][]byte{pages[0], remade(1, torn)}},
		{name: "the end", want: "within a packet", pages: pages[:3]},
	} {
		_, err := all(slices.Concat(c.pages...))
		if !errors.Is(err, source.ErrDecode) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	huge := make([][]byte, 0, 300)
	huge = append(huge, pages[0])
	for i := range 270 {
		flags := byte(torn)
		if i == 0 {
			flags = 0
		}
		huge = append(huge, pageOf(flags, -1, 7, uint32(i+1), slices.Repeat([]byte{255}, 255), make([]byte, 255*255)))
	}
	if _, err := all(slices.Concat(huge...)); !errors.Is(err, source.ErrLimit) {
		t.Errorf("a packet of 17 MB: %v", err)
	}
}

// counter is a Codec whose packets contain their number of frames, their first frame number and their stream.
type counter struct{ stream byte }

func (c *counter) Open(b []byte, next func() ([]byte, error), again bool) (h source.Head, err error) {
	if again && b[5] != c.stream {
		return h, errors.New("the headers are not those that were read last")
	}
	h.Channels, h.Rate, h.Front, c.stream = 1, 48000, int64(b[4]), b[5]
	_, err = next()
	return h, err
}

func (c *counter) Decode(dst []float32, p []byte) ([]float32, error) {
	if p[3] != c.stream {
		return dst, errors.New("a packet of a stream whose headers were not read")
	}
	for i := range p[0] {
		dst = append(dst, float32(int(binary.LittleEndian.Uint16(p[1:]))+int(i)))
	}
	return dst, nil
}

func (*counter) FramesIn(p []byte) (int64, error) { return int64(p[0]), nil }

func (*counter) FramesAhead(packets ...[]byte) (n int64) {
	for _, p := range packets {
		n += int64(p[0])
	}
	return n
}

func (*counter) Reset() {}

func (*counter) End() (int64, error) { return 0, nil }

func (*counter) StartGap() {}

func (*counter) Conceal(dst []float32, frames int64) []float32 {
	return append(dst, make([]float32, frames)...)
}

// chain returns a stream and its expected samples. They begin after the leading frames. They end at the position of
// the last page, less a positive offset of the first page, but not before the end of the page before.
func chain(r *rand.Rand, serial uint32) (pages [][]byte, want []float32) {
	skip, count := r.IntN(60)*r.IntN(2), 1+r.IntN(30)
	packets, ends := [][]byte{append([]byte("Fake"), byte(skip), byte(serial)), []byte("words")}, []int64{0, 0}
	total := 0
	for range count {
		n := r.IntN(40)
		p := append([]byte{byte(n)}, byte(total), byte(total>>8), byte(serial))
		packets = append(packets, append(p, make([]byte, r.IntN(600))...))
		total += n
		ends = append(ends, int64(total))
	}
	ahead := r.IntN(200) - 100 // a negative offset keeps the beginning but shortens the end
	cut := []int{0, 0, r.IntN(30), r.IntN(500)}[r.IntN(4)]
	per, sounding, started, final := 1+r.IntN(8), 0, int64(0), int64(0)
	pages = laced(serial, packets, func() int { return per }, func(complete int, end bool) int64 {
		at := max(ends[complete-1]+int64(ahead), 0)
		if complete > 2 {
			sounding++
		}
		if end {
			final = max(at-int64(cut), 0)
			if sounding == 1 { // the first audio page is the last one: it may only trim
				ahead, final = 0, max(ends[complete-1]-int64(cut), 0)
			}
			return final
		}
		started = ends[complete-1]
		return at
	})
	for i := min(skip, total); i < total; i++ {
		if at := int64(i); at < max(final-int64(max(ahead, 0)), started) {
			want = append(want, float32(i))
		}
	}
	return pages, want
}

// TestTrims checks the samples of chained streams for any lead-in, trimming and lacing. A seek to any frame
// continues with the same samples.
func TestTrims(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 3))
		var file []byte
		var want []float32
		for i := range 1 + r.IntN(3) {
			pages, more := chain(r, uint32(100+i))
			file, want = append(file, slices.Concat(pages...)...), append(want, more...)
		}
		reader, err := NewReader(source.FromMemory(file), anything, Kind{Magic: "Fake", HasOffset: true}, &counter{})
		if err != nil {
			t.Fatal(err)
		}
		read := func() (got []float32) {
			for {
				if got, err = reader.Next(got); err != nil {
					break
				}
			}
			if !errors.Is(err, io.EOF) {
				t.Fatalf("seed %d: %v", seed, err)
			}
			return got
		}
		if got := read(); !slices.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v", seed, got, want)
		}
		m := &source.Marks{Stride: 7}
		if n, err := reader.Count(m); n != int64(len(want)) || err != nil {
			t.Fatalf("seed %d: %d frames are counted, want %d, %v", seed, n, len(want), err)
		}
		for range 10 {
			frame := r.Int64N(int64(len(want)) + 1)
			at, err := reader.SeekFrame(frame, m)
			if err != nil || at > frame {
				t.Fatalf("seed %d: a seek to %d ends at %d, %v", seed, frame, at, err)
			}
			if got := read(); !slices.Equal(got, want[at:]) {
				t.Fatalf("seed %d: from frame %d on %d frames, want %d", seed, at, len(got), len(want[at:]))
			}
		}
	}
}
