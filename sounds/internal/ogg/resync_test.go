package ogg

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/sounds/internal/source"
)

// readAll reads all samples of a reader.
func readAll(r *Reader) (got []float32, err error) {
	for err == nil {
		got, err = r.Next(got)
	}
	return got, err
}

// TestLostPages checks that a lost or repeated page, or one with a damaged segment table, leaves all other
// frames at their positions. The same holds for a counted file and for a seek to any position.
func TestLostPages(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 7))
		var packets [][]byte
		packets = append(packets, append([]byte("Fake"), 0, 1), []byte("words"))
		ends, total := []int64{0, 0}, 0
		for range 30 {
			n := 1 + random.IntN(40)
			packets = append(packets, append([]byte{byte(n), byte(total), byte(total >> 8), 1}, make([]byte, random.IntN(600))...))
			total += n
			ends = append(ends, int64(total))
		}
		per := 1 + random.IntN(8)
		pages := laced(9, packets, func() int { return per }, func(complete int, _ bool) int64 { return ends[complete-1] })
		whole, err := NewReader(source.FromMemory(slices.Concat(pages...)), anything, Kind{Magic: "Fake"}, &counter{})
		if err != nil {
			t.Fatal(err)
		}
		want, _ := readAll(whole)
		first := 0 // behind the headers and one audio page
		for seen := 0; first < len(pages) && seen < 2; first++ {
			if granule := int64(pages[first][6]) | int64(pages[first][7])<<8; granule > 0 && granule < 60000 {
				seen++
			}
		}
		if first >= len(pages)-1 {
			continue
		}
		i := first + random.IntN(len(pages)-1-first)
		bad := slices.Clone(pages)
		switch seed % 3 {
		case 0:
			bad = slices.Delete(bad, i, i+1)
		case 1:
			bad[i] = slices.Clone(bad[i])
			bad[i][26] ^= 64 // damage the number of lacing values
		case 2:
			bad = slices.Insert(bad, i, bad[i])
		}
		r, err := NewReader(source.FromMemory(slices.Concat(bad...)), anything, Kind{Magic: "Fake"}, &counter{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(r)
		if !errors.Is(err, io.EOF) || len(got) != len(want) || len(r.Damages) == 0 {
			t.Fatalf("seed %d: %d frames, want %d; %v, %v", seed, len(got), len(want), err, r.Damages)
		}
		for at, x := range got {
			inside := false
			for _, d := range r.Damages {
				inside = inside || int64(at) >= d.Frame && int64(at) < d.Frame+d.Frames
			}
			if !inside && x != want[at] {
				t.Fatalf("seed %d: frame %d is %v, want %v: %v", seed, at, x, want[at], r.Damages)
			}
		}
		m := &source.Marks{Stride: 7}
		if n, err := r.Count(m); n != int64(len(want)) || err != nil {
			t.Fatalf("seed %d: %d frames are counted, want %d; %v", seed, n, len(want), err)
		}
		for range 5 {
			frame := random.Int64N(int64(len(want)))
			at, err := r.SeekFrame(frame, m)
			if err != nil || at > frame {
				t.Fatalf("seed %d: a seek to %d ends at %d, %v", seed, frame, at, err)
			}
			if rest, _ := readAll(r); !slices.Equal(rest, got[at:]) {
				t.Fatalf("seed %d: from frame %d on it is another", seed, at)
			}
		}
	}
}

// TestRepeatedPage checks that a repeated page loses no packet, even within a packet, and is recorded.
func TestRepeatedPage(t *testing.T) {
	packets := [][]byte{[]byte("Fake"), make([]byte, 300), make([]byte, 700), make([]byte, 20), make([]byte, 40)}
	pages := laced(7, packets, func() int { return 2 }, noPlace)
	for i := 1; i < len(pages)-1; i++ {
		s := stream{in: source.FromMemory(slices.Concat(slices.Insert(slices.Clone(pages), i, pages[i])...)), magic: "Fake"}
		for _, want := range packets {
			if p, err := s.packet(); err != nil || !slices.Equal(p, want) {
				t.Errorf("page %d: a packet of %d bytes, want %d; %v", i, len(p), len(want), err)
			}
		}
		if s.gapErr == nil {
			t.Errorf("page %d is repeated without an error", i)
		}
	}
}

// TestPositionsBounded checks that a position far ahead behind a gap adds no more frames than the file's length
// allows.
func TestPositionsBounded(t *testing.T) {
	packet := func(n, from int) []byte {
		return append([]byte{byte(n), byte(from), byte(from >> 8), 1}, make([]byte, 20)...)
	}
	packets := [][]byte{append([]byte("Fake"), 0, 1), []byte("words"), packet(40, 0), packet(40, 40), packet(40, 80), packet(40, 120)}
	for _, ahead := range []int64{160, 10_000, 1 << 40, 1<<63 - 1} {
		pages := laced(9, packets, func() int { return 1 }, func(complete int, end bool) int64 {
			if end {
				return ahead
			}
			return int64(40 * (complete - 2))
		})
		file := slices.Concat(slices.Delete(pages, 3, 4)...)
		r, err := NewReader(source.FromMemory(file), anything, Kind{Magic: "Fake"}, &counter{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := readAll(r)
		if want := min(ahead, 10*48000+64*int64(len(file))); !errors.Is(err, io.EOF) || int64(len(got)) > want {
			t.Errorf("a position of %d: %d frames, want at most %d; %v", ahead, len(got), want, err)
		}
	}
}

// TestPagesBounded checks that data that resembles pages bounds the decoder's work.
func TestPagesBounded(t *testing.T) {
	pages := laced(9, [][]byte{append([]byte("Fake"), 0, 1), []byte("words"), {1, 0, 0, 1}, {1, 1, 0, 1}}, func() int { return 1 }, noPlace)
	file := slices.Concat(pages[:3]...)
	head := append(pages[3][:26:26], 255)
	for range 20_000 {
		file = append(append(file, head...), 255, 255, 255)
	}
	file = append(file, make([]byte, 1<<16)...)
	r, err := NewReader(source.FromMemory(file), anything, Kind{Magic: "Fake"}, &counter{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readAll(r); err == nil {
		t.Error("it does not end")
	}
	if most := int64(maxWastedBytes + 8*len(file) + MaxPage); r.stream.wastedBytes > most {
		t.Errorf("%d bytes were checked for nothing, want at most %d", r.stream.wastedBytes, most)
	}
}
