package soundcheck_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"voicepool/device/wav"
	"voicepool/internal/soundcheck"
	"voicepool/pcm"
)

// signal is noise with a silent stretch in the middle.
func signal() []pcm.Frame {
	frames := make([]pcm.Frame, 20000)
	soundcheck.NewNoise(len(frames)).Render(frames)
	clear(frames[8000:9000])
	return frames
}

func silence(n int) []pcm.Frame { return make([]pcm.Frame, n) }

func TestCompare(t *testing.T) {
	ref := signal()
	changed := slices.Clone(ref)
	changed[15000][1] += 0.5
	overwritten := slices.Clone(ref)
	clear(overwritten[12000:12480])
	for _, test := range []struct {
		name string
		rec  []pcm.Frame
		want soundcheck.Result
	}{
		{"the same", ref, soundcheck.Result{Matched: 20000}},
		{"silence around", slices.Concat(silence(777), ref, silence(5000)), soundcheck.Result{Offset: 777, Matched: 20000}},
		{"begins late", ref[300:], soundcheck.Result{Offset: -300, Matched: 19700, Missing: 300,
			Gaps: []soundcheck.Gap{{Missing: 300}}}},
		{"ends early", slices.Concat(silence(10), ref[:19000]), soundcheck.Result{Offset: 10, Matched: 19000, Missing: 1000,
			Gaps: []soundcheck.Gap{{Reference: 19000, Recording: 19010, Missing: 1000}}}},
		{"one frame lost", slices.Concat(ref[:5000], ref[5001:]), soundcheck.Result{Matched: 19999, Missing: 1,
			Gaps: []soundcheck.Gap{{Reference: 5000, Recording: 5000, Missing: 1}}}},
		{"a gap", slices.Concat(ref[:5000], silence(480), ref[5000:]), soundcheck.Result{Matched: 20000,
			Gaps: []soundcheck.Gap{{Reference: 5000, Recording: 5000, Extra: 480}}}},
		{"a gap in the silence", slices.Concat(ref[:8500], silence(480), ref[8500:]), soundcheck.Result{Matched: 20000,
			Gaps: []soundcheck.Gap{{Reference: 9000, Recording: 9000, Extra: 480}}}},
		{"two gaps", slices.Concat(ref[:5000], silence(1), ref[5000:6000], ref[6100:]), soundcheck.Result{Matched: 19900, Missing: 100,
			Gaps: []soundcheck.Gap{{Reference: 5000, Recording: 5000, Extra: 1}, {Reference: 6000, Recording: 6001, Missing: 100}}}},
		{"overwritten", overwritten, soundcheck.Result{Matched: 19520, Missing: 480,
			Gaps: []soundcheck.Gap{{Reference: 12000, Recording: 12000, Missing: 480, Extra: 480}}}},
		{"changed", changed, soundcheck.Result{Matched: 19999, Missing: 1,
			Gaps: []soundcheck.Gap{{Reference: 15000, Recording: 15000, Missing: 1, Extra: 1}}}},
		{"silent end cut", slices.Concat(silence(3), ref[:8100]), soundcheck.Result{Offset: 3, Matched: 8100}},
	} {
		t.Run(test.name, func(t *testing.T) {
			ref := ref
			if test.name == "silent end cut" {
				ref = ref[:9000]
			}
			got, err := soundcheck.Compare(ref, test.rec, 0)
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", test.want) {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
			if whole := test.want.Missing == 0 && len(test.want.Gaps) == 0; got.Whole() != whole {
				t.Errorf("Whole() = %v, want %v", got.Whole(), whole)
			}
			if got.Complete() != (test.want.Missing == 0) {
				t.Errorf("Complete() = %v, want %v", got.Complete(), test.want.Missing == 0)
			}
		})
	}
}

func TestTolerance(t *testing.T) {
	ref := signal()
	rec := slices.Clone(ref)
	for i := range rec {
		rec[i][0] += 1.0 / (1 << 12)
	}
	if _, err := soundcheck.Compare(ref, rec, 0); !errors.Is(err, soundcheck.ErrNotFound) {
		t.Errorf("tolerance 0: %v, want %v", err, soundcheck.ErrNotFound)
	}
	got, err := soundcheck.Compare(ref, rec, 0.001)
	if err != nil || !got.Whole() || got.MaxDiff != 1.0/(1<<12) {
		t.Errorf("tolerance 0.001: %v, %v, want a whole with a difference of %v", got, err, 1.0/(1<<12))
	}
	nan := slices.Clone(ref)
	nan[15000][0] = float32(math.NaN())
	if got, err := soundcheck.Compare(ref, nan, 1); err != nil || got.Whole() {
		t.Errorf("a NaN: %v, %v, want it seen", got, err)
	}
	// Frames that differ everywhere are counted, and soon.
	for i := range rec[10000:] {
		rec[10000+i][0] += 0.1
	}
	if got, err := soundcheck.Compare(ref, rec, 0.001); err != nil || got.Differing != 10000 || got.Whole() || got.Complete() {
		t.Errorf("10000 frames that differ: %v, %v", got, err)
	}
	if _, err := soundcheck.Compare(silence(100), rec, 0); !errors.Is(err, soundcheck.ErrNotFound) {
		t.Errorf("a silent reference: %v, want %v", err, soundcheck.ErrNotFound)
	}
	if _, err := soundcheck.Compare(nil, nil, 0); !errors.Is(err, soundcheck.ErrNotFound) {
		t.Errorf("no reference: %v, want %v", err, soundcheck.ErrNotFound)
	}
}

func TestRead(t *testing.T) {
	want := signal()
	for _, format := range []wav.Format{wav.S24, wav.F32} {
		name := filepath.Join(t.TempDir(), "x.wav")
		f, err := wav.Create(name, wav.Config{Rate: 44100, Format: format})
		if err != nil {
			t.Fatal(err)
		}
		f.Write(want)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		got, rate, err := soundcheck.Read(name)
		if err != nil || rate != 44100 {
			t.Fatalf("%v: rate %d, %v", format, rate, err)
		}
		r, err := soundcheck.Compare(want, got, 1.0/(1<<24))
		if err != nil || !r.Whole() || len(got) != len(want) {
			t.Errorf("%v: %d frames, %v, %v, want %d, whole", format, len(got), r, err, len(want))
		}
	}
	name := filepath.Join(t.TempDir(), "text")
	os.WriteFile(name, []byte("this is no sound at all"), 0o600)
	if _, _, err := soundcheck.Read(name); !errors.Is(err, soundcheck.ErrWAV) {
		t.Errorf("a text: %v, want %v", err, soundcheck.ErrWAV)
	}
}

// Every frame of the noise is found by its value in steps of 2^-24, and so
// goes through 24 bits unharmed.
func TestNoise(t *testing.T) {
	var a, b [1000]pcm.Frame
	soundcheck.NewNoise(900).Render(a[:])
	n := soundcheck.NewNoise(900)
	n.Render(b[:1])
	n.Render(b[1:])
	if a != b {
		t.Error("blocks of 1 and 999 give another signal than one of 1000")
	}
	for i, f := range a {
		for _, x := range f {
			if x < -0.25 || x >= 0.25 || x*(1<<24) != float32(int32(x*(1<<24))) {
				t.Fatalf("frame %d is %v, want multiples of 2^-24 in -0.25..0.25", i, f)
			}
		}
		if (f == pcm.Frame{}) != (i >= 900) {
			t.Fatalf("frame %d is %v, want silence from 900 on", i, f)
		}
	}
}
