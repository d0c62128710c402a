package aiff

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/sounds/internal/blocks"
)

// extended encodes a number as the 80-bit float of AIFF. part is its fraction in 64ths.
func extended(x uint64, part uint64) []byte {
	whole := x<<6 | part
	n := bits.Len64(whole)
	b := binary.BigEndian.AppendUint16(nil, uint16(16383+n-1-6))
	return binary.BigEndian.AppendUint64(b, whole<<(64-n))
}

// TestRates checks that every supported rate is read back and that fractions of a hertz are rounded.
func TestRates(t *testing.T) {
	for want := uint64(1); want <= 768000; want++ {
		if got, err := parseRate(extended(want, 0)); err != nil || got != int64(want) {
			t.Fatalf("%d Hz: %d, %v", want, got, err)
		}
	}
	for part, want := range map[uint64]int64{31: 22254, 32: 22255, 35: 22255, 63: 22255} {
		if got, err := parseRate(extended(22254, part)); err != nil || got != want {
			t.Errorf("22254 and %d/64 Hz: %d, %v, want %d", part, got, err, want)
		}
	}
	for _, b := range [][]byte{make([]byte, 10), {0x3f, 0xfe, 0xff, 0, 0, 0, 0, 0, 0, 0}} {
		if got, err := parseRate(b); got != 0 || err != nil {
			t.Errorf("%x: %d, %v, want 0", b, got, err)
		}
	}
}

// TestEncodings checks each compression type and bit depth against the little-endian encoding of the same
// width.
func TestEncodings(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for name, x := range encodings {
		for n := 1; n <= 64; n++ {
			e, err := encoding(name, n, 3)
			width := x.bytes
			if width == 0 {
				width = (n + 7) / 8
			}
			want, ok := blocks.Linear(x.kind, width, 3, false)
			if ok != (err == nil) {
				t.Fatalf("%q with %d bits: %v", name, n, err)
			}
			if !ok {
				continue
			}
			if e.Bytes != 3*width || e.Frames != 1 {
				t.Fatalf("%q with %d bits: %d bytes", name, n, e.Bytes)
			}
			src := make([]byte, 60*width)
			for i := range src {
				src[i] = byte(random.Uint32())
			}
			turned := slices.Clone(src)
			if !x.little {
				for sample := range slices.Chunk(turned, width) {
					slices.Reverse(sample)
				}
			}
			var a, b [60]float32
			if e.Decode(a[:], src) != nil || want.Decode(b[:], turned) != nil {
				t.Fatal("an error")
			}
			for i := range a {
				if a[i] != b[i] && a[i] == a[i] { // random floats may be NaN
					t.Fatalf("%q with %d bits: %v, want %v", name, n, a[i], b[i])
				}
			}
		}
	}
}
