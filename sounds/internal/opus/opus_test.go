package opus

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"voicepool/sounds/internal/source"
)

var anything = source.Limits{Frames: math.MaxInt64, Memory: math.MaxInt64, Channels: 8, MinRate: 1, MaxRate: 768000}

// packet builds a packet of frames by RFC 6716, section 3.2, with a code of 0 to 3.
func packet(kind byte, code int, variable, delimited bool, padding int, frames ...[]byte) []byte {
	b := []byte{kind<<3 | byte(code)}
	size := func(n int) {
		if n < 252 {
			b = append(b, byte(n))
			return
		}
		low := 252 + n&3
		b = append(b, byte(low), byte((n-low)/4))
	}
	if code == 3 {
		m := byte(len(frames))
		if variable {
			m |= 0x80
		}
		if padding > 0 {
			m |= 0x40
		}
		b = append(b, m)
		if padding > 0 {
			for n := padding; ; n -= 254 {
				if n < 255 {
					b = append(b, byte(n))
					break
				}
				b = append(b, 255)
			}
		}
	}
	if code == 2 || code == 3 && variable {
		for _, f := range frames[:len(frames)-1] {
			size(len(f))
		}
	}
	if delimited {
		size(len(frames[len(frames)-1]))
	}
	return append(append(b, slices.Concat(frames...)...), make([]byte, padding)...)
}

// TestSplit checks that the frames of packets in every layout are returned, and the data that follows.
func TestSplit(t *testing.T) {
	frame := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(i*7 + n)
		}
		return b
	}
	for _, delimited := range []bool{false, true} {
		for _, c := range []struct {
			code     int
			variable bool
			padding  int
			sizes    []int
		}{
			{code: 0, sizes: []int{0}}, {code: 0, sizes: []int{251}},
			{code: 0, sizes: []int{252}}, {code: 0, sizes: []int{1275}},
			{code: 1, sizes: []int{40, 40}}, {code: 2, sizes: []int{0, 300}}, {code: 2, sizes: []int{1275, 1}},
			{code: 3, sizes: []int{9, 9, 9}}, {code: 3, padding: 1, sizes: []int{9, 9}},
			{code: 3, padding: 700, sizes: []int{9, 9}},
			{code: 3, variable: true, padding: 254, sizes: []int{9, 0, 255, 1275}}, {code: 3, variable: true, sizes: []int{7}},
		} {
			var want [][]byte
			for _, n := range c.sizes {
				want = append(want, frame(n))
			}
			b := packet(1, c.code, c.variable, delimited, c.padding, want...)
			after := []byte(nil)
			if delimited {
				after = []byte("after")
			}
			config, got, rest, err := splitPacket(append(slices.Clone(b), after...), delimited, nil)
			if err != nil || !slices.EqualFunc(got, want, slices.Equal) || string(rest) != string(after) {
				t.Errorf("%+v, delimited %v: %d frames, %d bytes follow, %v", c, delimited, len(got), len(rest), err)
			}
			n, err := lengthOf(b)
			if n != int64(len(want)*config.frames) || err != nil {
				t.Errorf("%+v: a length of %d, %v", c, n, err)
			}
			for k := range b { // cut short
				if _, got, _, err := splitPacket(b[:k], delimited, nil); err == nil && delimited {
					t.Errorf("%+v: of %d of its bytes come %d frames", c, k, len(got))
				}
			}
		}
	}
	long := append([]byte{0}, make([]byte, 1276)...)
	for _, b := range [][]byte{nil, {3}, {3, 0}, {1, 2}, {3, 63}, {3, 0xc1}, {2, 255}, long} {
		if _, _, _, err := splitPacket(b, false, nil); !errors.Is(err, source.ErrDecode) {
			t.Errorf("%v: %v", b[:min(len(b), 4)], err)
		}
	}
}

// TestConfigs compares the 32 configurations with the table of RFC 6716.
func TestConfigs(t *testing.T) {
	sizes := [][]int{{480, 960, 1920, 2880}, {480, 960}, {120, 240, 480, 960}}
	n := 0
	for _, c := range []config{
		{mode: speech, rate: 8, band: 13}, {mode: speech, rate: 12, band: 17}, {mode: speech, rate: 16, band: 17},
		{mode: hybrid, rate: 16, band: 19}, {mode: hybrid, rate: 16, band: 21},
		{mode: music, band: 13}, {mode: music, band: 17}, {mode: music, band: 19}, {mode: music, band: 21},
	} {
		for _, c.frames = range sizes[c.mode-1] {
			for c.channels = 1; c.channels <= 2; c.channels++ {
				if got := configOf(byte(n<<3 | (c.channels-1)<<2)); got != c {
					t.Errorf("configuration %d is %+v, want %+v", n, got, c)
				}
			}
			n++
		}
	}
	if n != 32 {
		t.Errorf("%d configurations", n)
	}
}

// head returns an identification header.
func head(channels, skip, gain int, mapping ...byte) []byte {
	b := append([]byte("OpusHead\x01"), byte(channels))
	b = binary.LittleEndian.AppendUint16(b, uint16(skip))
	b = binary.LittleEndian.AppendUint32(b, 44100)
	b = binary.LittleEndian.AppendUint16(b, uint16(gain))
	return append(b, mapping...)
}

func opened(first []byte) (*codec, source.Head, error) {
	c := &codec{lim: anything}
	h, err := c.Open(first, func() ([]byte, error) {
		return []byte("OpusTags\x00\x00\x00\x00\x01\x00\x00\x00\x03\x00\x00\x00A=b"), nil
	}, false)
	return c, h, err
}

// TestHeaders checks the parsed properties of valid headers and the errors of invalid ones.
func TestHeaders(t *testing.T) {
	c, h, err := opened(head(2, 312, -256*6, 0))
	if err != nil || h.Channels != 2 || h.Rate != 48000 || h.Front != 312 || !slices.Equal(h.Tags, []string{"A=b"}) {
		t.Errorf("%+v, %v", h, err)
	}
	if math.Abs(float64(c.gain)-0.501187) > 1e-6 {
		t.Errorf("a gain of %v for -6 dB", c.gain)
	}
	surround := append(head(6, 0, 0, 1, 4, 2), 0, 4, 1, 2, 3, 5)
	c, _, err = opened(surround)
	if want := []channelSource{{0, 0}, {0, 1}, {2, 0}, {3, 0}, {1, 0}, {1, 1}}; err != nil || !slices.Equal(c.mapping, want) {
		t.Errorf("5.1 is %v, %v, want %v", c.mapping, err, want)
	}
	c, _, err = opened(append(head(3, 0, 0, 255, 3, 0), 2, 255, 0))
	if want := []channelSource{{2, 0}, {-1, 0}, {0, 0}}; err != nil || !slices.Equal(c.mapping, want) || c.streams[1] != nil {
		t.Errorf("without a meaning: %v, %v, want %v", c.mapping, err, want)
	}
	for _, x := range []struct {
		first []byte
		kind  error
	}{
		{first: []byte("OpusHead"), kind: source.ErrDecode},
		{first: head(0, 0, 0, 0), kind: source.ErrDecode},
		{first: head(3, 0, 0, 0), kind: source.ErrDecode},
		{first: head(9, 0, 0, 1), kind: source.ErrLimit},
		{first: head(4, 0, 0, 2, 4, 0, 0, 1, 2, 3), kind: source.ErrFormat},
		{first: head(2, 0, 0, 1, 2, 0, 0), kind: source.ErrDecode},
		{first: head(2, 0, 0, 1, 0, 0, 0, 1), kind: source.ErrDecode},
		{first: head(2, 0, 0, 1, 1, 2, 0, 1), kind: source.ErrDecode},
		{first: head(2, 0, 0, 1, 255, 1, 0, 1), kind: source.ErrDecode},
		{first: head(2, 0, 0, 1, 1, 1, 0, 2), kind: source.ErrDecode},
	} {
		if _, _, err := opened(x.first); !errors.Is(err, x.kind) {
			t.Errorf("%q: %v, want %v", x.first, err, x.kind)
		}
	}
}

// packets returns the identification header of a file and its audio packets.
func packets(t testing.TB, file string) (first []byte, list [][]byte) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var part []byte
	for n := 0; len(data) > 0; {
		lacing := data[27:][:data[26]]
		body := data[27+len(lacing):]
		for _, size := range lacing {
			part, body = append(part, body[:size]...), body[size:]
			if size < 255 {
				switch n++; {
				case n == 1:
					first = part
				case n > 2:
					list = append(list, part)
				}
				part = nil
			}
		}
		data = body
	}
	return first, list
}

// TestLost decodes empty packets, empty frames, packets of other modes and broken packets. Each ends in bounded
// samples of its length or in an error. The decoder state is kept between packets.
func TestLost(t *testing.T) {
	files, err := filepath.Glob("../../library/testdata/formats/opus-*.opus")
	if err != nil || len(files) < 20 {
		t.Fatal(len(files), err)
	}
	var mixed [][]byte
	for _, f := range files {
		first, list := packets(t, f)
		if first[18] == 0 {
			mixed = append(mixed, list...)
		}
	}
	random := rand.New(rand.NewPCG(8, 8))
	c, _, _ := opened(head(2, 0, 0, 0))
	other, _, _ := opened(head(2, 0, 0, 0))
	for i := range 4000 {
		p := slices.Clone(mixed[random.IntN(len(mixed))])
		switch random.IntN(5) {
		case 0:
			p = p[:1]
		case 1:
			p = p[:random.IntN(len(p))]
		case 2:
			for range 1 + random.IntN(4) {
				p[random.IntN(len(p))] = byte(random.Uint32())
			}
		}
		if i%50 == 0 {
			other.SetState(c.State())
		}
		out, err := c.Decode(nil, p)
		same, errSame := other.Decode(nil, p)
		if !slices.Equal(out, same) || !errors.Is(errSame, err) {
			t.Fatalf("packet %d: the state does not say all", i)
		}
		n, wrong := c.FramesIn(p)
		if err == nil && (wrong != nil || n != int64(len(out)/2)) {
			t.Fatalf("packet %d has %d frames, %d are announced, %v", i, len(out)/2, n, wrong)
		}
		for _, x := range out {
			if !(math.Abs(float64(x)) < 1e6) {
				t.Fatalf("packet %d: a sample of %v", i, x)
			}
		}
	}
}

// TestAllocations checks that decoding a packet does not allocate.
func TestAllocations(t *testing.T) {
	for _, name := range []string{"speech-2", "hybrid-2", "music-20-2", "6"} {
		first, list := packets(t, "../../library/testdata/formats/opus-"+name+".opus")
		c, _, err := opened(first)
		if err != nil {
			t.Fatal(err)
		}
		buf, i := make([]float32, 0, 8*maxFrames), 0
		if n := testing.AllocsPerRun(50, func() {
			if _, err := c.Decode(buf, list[i%len(list)]); err != nil {
				t.Fatal(err)
			}
			i++
		}); n > 0 {
			t.Errorf("%s: %v allocations a packet", name, n)
		}
	}
}
