package listening

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"voicepool/internal/panning"
	"voicepool/pcm"
)

// TestMeter compares a meter with the sums over all frames, on spans that begin and end with a cell.
func TestMeter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const rate, first = 8000, -24 // cells of 8 frames
	frames := make([]pcm.Frame, 803)
	for i := range frames {
		if i/80%3 > 0 {
			frames[i] = pcm.Frame{random.Float32()*2 - 1, random.Float32()/2 - 0.25}
		}
	}
	m, copied := NewMeter(rate, first), NewMeter(rate, first)
	for rest := frames; len(rest) > 0; {
		n := min(1+random.IntN(50), len(rest))
		m.Write(rest[:n])
		rest = rest[n:]
		if copied.Update(m); !reflect.DeepEqual(copied, m) {
			t.Fatalf("after %d frames the copy differs", m.frames)
		}
		if n%5 == 0 {
			copied = NewMeter(rate, first)
		}
	}
	if m.Range() != (Span{first, first + 803}) || m.Rate() != rate {
		t.Fatal(m.Range(), m.Rate())
	}
	for range 1000 {
		from := 8 * random.Int64N(101)
		to := min(from+8*(1+random.Int64N(20)), 803)
		var left, right, peak float64
		sound := int64(-1)
		for i, f := range frames[from:to] {
			l, r := float64(f[0]), float64(f[1])
			left, right = left+l*l, right+r*r
			x := max(math.Abs(l), math.Abs(r))
			if peak = max(peak, x); x > SilenceThreshold && sound < 0 {
				sound = (from+int64(i))/8*8 + first
			}
		}
		s, n := Span{from + first, to + first}, float64(to-from)
		l, r := m.Sides(s)
		if math.Abs(l-left/n) > 1e-6 || math.Abs(r-right/n) > 1e-6 || float64(m.Peak(s)) != peak {
			t.Fatalf("%v: %v, %v, peak %v; want %v, %v, %v", s, l, r, m.Peak(s), left/n, right/n, peak)
		}
		if level, want := float64(m.Level(s)), float64(pcm.FromPower((l+r)/2)); level != want {
			t.Fatalf("%v: level %v, want %v", s, level, want)
		}
		if got, ok := m.FirstSound(s); ok != (sound >= 0) || ok && got != sound {
			t.Fatalf("%v: sound at %v, %v, want %v", s, got, ok, sound)
		}
	}
	// Overlapping spans count once, and frames outside not at all.
	l, r := m.Sides(Span{first - 100, first + 160}, Span{first + 80, first + 240})
	if wantL, wantR := m.Sides(Span{first, first + 240}); l != wantL || r != wantR || l == 0 {
		t.Error(l, r, wantL, wantR)
	}
	// A span within a cell measures that cell.
	if m.Peak(Span{first + 82, first + 85}) != m.Peak(Span{first + 80, first + 88}) || m.Peak(Span{first + 82, first + 85}) == 0 {
		t.Error("a short span")
	}
	for _, s := range []Span{{first - 9, first}, {900, 1000}, {5, 5}, {9, 3}} {
		if l, r := m.Sides(s); l != 0 || r != 0 || m.Peak(s) != 0 {
			t.Errorf("%v: %v, %v, %v", s, l, r, m.Peak(s))
		}
	}
}

// TestPan checks that Pan inverts the pan law of mono sounds.
func TestPan(t *testing.T) {
	for i := -10; i <= 10; i++ {
		want := float64(i) / 10
		left, right := panning.Gains(want)
		if got := Pan(left*left, right*right); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if Pan(0, 0) != 0 {
		t.Error("silence has no side")
	}
}

// TestLevelSymbol checks the symbols on both sides of each limit.
func TestLevelSymbol(t *testing.T) {
	got := ""
	for _, level := range []pcm.Decibels{-200, -60.1, -59.9, -40.1, -39.9, -20.1, -19.9, 3} {
		got += string(LevelSymbol(level))
	}
	if got != "..--==##" {
		t.Error(got)
	}
}

// TestWriteAt checks that gaps become silence, that known frames are skipped, and that outputs are summed.
func TestWriteAt(t *testing.T) {
	got, want := NewMeter(4000, 10), NewMeter(4000, 10)
	ones := func(n int) (all []pcm.Frame) {
		for range n {
			all = append(all, pcm.Frame{0.5, 0.25})
		}
		return all
	}
	got.WriteAt(3, ones(2*10), 2) // 7 frames before the first one
	want.Write([]pcm.Frame{{1, 0.5}, {1, 0.5}, {1, 0.5}})
	got.WriteAt(19, ones(3), 1) // after a gap of 6
	want.Write(make([]pcm.Frame, 6))
	want.Write(ones(3))
	got.WriteAt(20, ones(2), 1) // known
	got.WriteAt(30, ones(1), 1) // after a gap that ends with a cell
	want.Write(make([]pcm.Frame, 8))
	want.Write(ones(1))
	if got.Range() != want.Range() || !slices.Equal(got.cells, want.cells) {
		t.Errorf("%v, want %v", got, want)
	}
}
