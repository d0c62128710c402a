package vorbis

import (
	"encoding/binary"
	"math"
	"testing"

	"voicepool/sounds/internal/source"
)

// TestMDCT compares the fast transform with its definition.
func TestMDCT(t *testing.T) {
	for _, n := range []int{16, 64, 256, 1024} {
		x, y := make([]float64, n/2), make([]float64, n)
		for k := range x {
			x[k] = math.Sin(float64(k*k + 1))
		}
		newMDCT(n).inverse(y[:n/2], y[n/2:], x)
		for i := range y {
			want := 0.0
			for k := range x {
				want += x[k] * math.Cos(math.Pi/float64(2*n)*float64(2*i+1+n/2)*float64(2*k+1))
			}
			if math.Abs(y[i]-want) > 1e-10 {
				t.Fatalf("%d frames: frame %d is %v, want %v", n, i, y[i], want)
			}
		}
	}
}

// TestBookCodes checks that code words are assigned as in section 3.2.1 of the specification (lengths 2 4 4 4 4
// 2 3 3).
func TestBookCodes(t *testing.T) {
	b := &book{}
	lengths := []uint8{2, 4, 4, 4, 4, 2, 3, 3}
	if err := b.makeCode(lengths); err != nil {
		t.Fatal(err)
	}
	words := []string{"00", "0100", "0101", "0110", "0111", "10", "110", "111"}
	for entry, word := range words {
		var data [1]byte
		for i, bit := range word {
			data[0] |= byte(bit-'0') << i
		}
		r := source.NewLSB(data[:])
		if got, ok := b.decodeEntry(r); !ok || got != entry || r.Remaining() != 8-len(word) {
			t.Errorf("%s is entry %d (%v), %d bits left; want entry %d", word, got, ok, r.Remaining(), entry)
		}
	}
	for _, faulty := range [][]uint8{{1}, {1, 2}, {1, 1, 1}, {3, 3, 3}, {2}} {
		b := &book{}
		if err := b.makeCode(faulty); (err == nil) != (len(faulty) == 1 && faulty[0] == 1) {
			t.Errorf("lengths %v: %v", faulty, err)
		}
	}
}

// TestLongWords decodes code words that exceed the lookup table.
func TestLongWords(t *testing.T) {
	lengths := make([]uint8, 0, 32) // 1, 2, 3, ... 31, 32, 32
	for n := uint8(1); n <= 32; n++ {
		lengths = append(lengths, n)
	}
	lengths = append(lengths, 32)
	b := &book{}
	if err := b.makeCode(lengths); err != nil {
		t.Fatal(err)
	}
	for entry := range lengths { // n ones followed by a zero; the last word is all ones
		var data [5]byte
		binary.LittleEndian.PutUint32(data[:], uint32(1<<entry-1))
		r := source.NewLSB(data[:])
		if got, ok := b.decodeEntry(r); !ok || got != entry {
			t.Errorf("entry %d came as %d (%v)", entry, got, ok)
		}
	}
}

func TestLatticeSide(t *testing.T) {
	for _, c := range []struct{ entries, dimensions, want int }{
		{dimensions: 1},
		{entries: 1, dimensions: 1, want: 1},
		{entries: 8, dimensions: 3, want: 2},
		{entries: 26, dimensions: 3, want: 2},
		{entries: 27, dimensions: 3, want: 3},
		{entries: 28, dimensions: 3, want: 3},
		{entries: 1, dimensions: 100, want: 1},
		{entries: 6561, dimensions: 8, want: 3},
		{entries: 6560, dimensions: 8, want: 2},
	} {
		if got := latticeSide(c.entries, c.dimensions); got != c.want {
			t.Errorf("%d entries of %d: %d, want %d", c.entries, c.dimensions, got, c.want)
		}
	}
}
