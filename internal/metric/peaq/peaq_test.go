package peaq

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"voicepool/internal/cputime"
	"voicepool/internal/metric"
	"voicepool/pcm"
	"voicepool/sounds"
)

// measure returns the outputs for a pair.
func measure(t *testing.T, channels int, p pair) Outputs {
	t.Helper()
	m := NewMeter(channels)
	m.Add(p.reference, p.test)
	out, err := m.Outputs()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestBits holds the exact bits of the outputs, which are the same on every machine.
func TestBits(t *testing.T) {
	for id, want := range map[string][]uint64{
		"012": {
			0x408c46471c71c71c, 0x407202aaaaaaaaab, 0xbfd235df0406f3f5, 0x404c98032c5d0963, 0x40094047631d923b, 0x3fc652c4d60e8168,
			0x404af86763f4d066, 0x4058d46c61561abb, 0x40043b8f7571a550, 0x3feffffff6127a46, 0x3feb40b40b40b40b,
		},
		"067": {
			0x0, 0x0, 0x401f1701112c5fb7, 0x4022e88d1a214e5e, 0x400846254993de8f, 0x3f9ac76645c5223b,
			0x4019aa0e8d0fbde2, 0x40558702117a910e, 0x3ff0f4165432e497, 0x3fc8719311b74960, 0x3fa1111111111111,
		},
	} {
		out := reflect.ValueOf(measure(t, 1, pairs()[id]))
		for i := range out.NumField() {
			if got := math.Float64bits(out.Field(i).Float()); i >= len(want) || got != want[i] {
				t.Errorf("pair %s: %s has the bits %#x", id, out.Type().Field(i).Name, got)
			}
		}
	}
}

func TestIdenticalSignals(t *testing.T) {
	p := pairs()["012"].reference[:70000]
	out := measure(t, 2, pair{p, p})
	same := Outputs{BandwidthRef: out.BandwidthRef, BandwidthTest: out.BandwidthRef, TotalNMR: out.TotalNMR}
	if out != same || out.TotalNMR > -120 || out.Score() != 100 {
		t.Errorf("%+v, score %v", out, out.Score())
	}
}

// TestSilence: no difference between silent signals, but one between silence and sound.
func TestSilence(t *testing.T) {
	silence := make([]pcm.Frame, 40*hop)
	out := measure(t, 2, pair{silence, silence})
	if out.Score() != 100 || out.AvgModDiff1 != 0 || out.ADB != 0 || !(out.TotalNMR < -100) || out.EHS != 0 {
		t.Errorf("silence: %+v", out)
	}
	p := pairs()["012"]
	for _, q := range []pair{{silence, p.test[:len(silence)]}, {p.test[:len(silence)], silence}} {
		out := measure(t, 1, q)
		if out.Score() > 20 {
			t.Errorf("silence and sound: score %v of %+v", out.Score(), out)
		}
		for i, v := 0, reflect.ValueOf(out); i < v.NumField(); i++ {
			if x := v.Field(i).Float(); math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("silence and sound: %s is %v", v.Type().Field(i).Name, x)
			}
		}
	}
}

// TestSilenceAround: analysis frames without data do not count, whatever they contain.
func TestSilenceAround(t *testing.T) {
	p := pairs()["067"]
	p = pair{p.reference[:70*hop], p.test[:70*hop]}
	quiet := make([]pcm.Frame, 10*hop)
	around := func(s []pcm.Frame) []pcm.Frame {
		return append(append(append([]pcm.Frame{}, quiet...), s...), quiet...)
	}
	q := pair{around(p.reference), around(p.test)}
	want := measure(t, 1, q)
	for i := range 8 * hop {
		q.test[len(q.test)-1-i] = pcm.Frame{0.5 * float32(i%2)}
	}
	if got := measure(t, 1, q); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for i := range quiet {
		q.test[len(q.test)-1-i] = pcm.Frame{}
	}
	q.reference[len(q.reference)-1], q.test[len(q.test)-1] = pcm.Frame{0.1}, pcm.Frame{0.1} // data to the end
	if got := measure(t, 1, q); !(got.RelDistFrames < want.RelDistFrames) {
		t.Errorf("share of distorted frames %v, want less than %v", got.RelDistFrames, want.RelDistFrames)
	}
}

// TestDataBounds compares the number of analysis frames that count with the formulas for the first and the last one.
func TestDataBounds(t *testing.T) {
	for _, c := range []struct{ from, to, length int }{
		{2 * hop, 20 * hop, MinFrames}, {2*hop + 3, 20*hop - 6, MinFrames}, {2*hop + 4, 20*hop - 5, MinFrames + 1}, {2, 20*hop - 4, MinFrames},
		{0, MinFrames - 1, MinFrames}, {0, MinFrames, MinFrames + 1}, {0, MinFrames + hop - 2, MinFrames + hop - 1},
	} {
		frames := make([]pcm.Frame, c.length)
		frames[c.from], frames[c.to] = pcm.Frame{0.01}, pcm.Frame{-0.01} // magnitudes of 328
		m := NewMeter(1)
		m.Add(frames, frames)
		if _, err := m.Outputs(); err != nil {
			t.Fatal(err)
		}
		first, last := max(c.from-4, 0)/hop, (min(c.to+4, c.length-1)+1-hop)/hop
		if got, want := m.counted.frames, last-first+1; got != want {
			t.Errorf("data from %d to %d of %d: %d analysis frames count, want %d", c.from, c.to, c.length, got, want)
		}
	}
}

// TestAverages: a step of 0 counts as detected, and the noise loudness counts from 3 frames after the first loud one.
func TestAverages(t *testing.T) {
	var a averages
	channels := make([]channel, 1)
	channels[0].detection[5] = 0.6
	for i := range 40 {
		a.add(i, []frame{{loud: i >= 30, noiseLoudness: float64(i)}}, channels)
	}
	out := a.outputs(1)
	if want := math.Sqrt(float64(33*33+34*34+35*35+36*36+37*37+38*38+39*39) / 7); out.ADB != -0.5 || math.Abs(out.RmsNoiseLoud-want) > 1e-12 {
		t.Errorf("ADB %v, noise loudness %v, want -0.5 and %v", out.ADB, out.RmsNoiseLoud, want)
	}
}

// TestBlocks: the lengths of blocks, and whether both channels or one carry the signal, make no difference.
func TestBlocks(t *testing.T) {
	p := pairs()["067"]
	p = pair{p.reference[:70001], p.test[:70001]}
	want := measure(t, 1, p)
	m := NewMeter(2)
	for at, n := 0, 1; at < len(p.reference); at, n = at+n, n*5%4097 {
		to := min(at+n, len(p.reference))
		m.Add(p.reference[at:to], p.test[at:to])
	}
	if got, err := m.Outputs(); err != nil || got != want {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
}

func TestCompare(t *testing.T) {
	p := pairs()["012"]
	var data [2][]float32
	p = pair{p.reference[:2*MinFrames], p.test[:2*MinFrames]}
	for i, f := range p.reference {
		data[0], data[1] = append(data[0], f[0]), append(data[1], p.test[i][0])
	}
	s := func(i, frames, channels int) sounds.Samples {
		return sounds.Samples{Rate: metric.Rate, Channels: channels, Data: data[i][:frames*channels]}
	}
	if out, err := Compare(s(0, len(data[0]), 1), s(1, len(data[0]), 1)); err != nil || out != measure(t, 1, p) {
		t.Errorf("%+v (%v)", out, err)
	}
	if _, err := Compare(s(0, MinFrames-1, 1), s(1, MinFrames-1, 1)); !errors.Is(err, ErrShort) || err.Error() != "too short: 25599 frames, want at least 25600" {
		t.Error(err)
	}
	if _, err := Compare(s(0, MinFrames, 2), s(1, MinFrames, 2)); err != nil {
		t.Error(err)
	}
	if _, err := Compare(s(0, 10, 1), s(1, 5, 2)); err == nil {
		t.Error("no error for different channels")
	}
}

func TestMisuse(t *testing.T) {
	for _, f := range []func(){func() { NewMeter(3) }, func() { NewMeter(1).Add(make([]pcm.Frame, 1), nil) }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		}()
	}
}

func TestFunctions(t *testing.T) {
	for x := 1.0 / 1024; x < 2000; x *= 1.25 {
		if got := atan(x); math.Abs(got/math.Atan(x)-1) > 1e-14 {
			t.Errorf("atan(%v) is %v, want %v", x, got, math.Atan(x))
		}
		if got := hertz(bark(x)); math.Abs(got-x) > 1e-12*(x+650) {
			t.Errorf("%v Hz become %v", x, got)
		}
	}
	if got, want := bark(18000), 7*math.Asinh(18000.0/650); math.Abs(got/want-1) > 1e-14 {
		t.Errorf("18 kHz is %v Bark, want %v", got, want)
	}
}

func TestAddDoesNotAllocate(t *testing.T) {
	m, p := NewMeter(2), pairs()["067"]
	if n := testing.AllocsPerRun(20, func() { m.Add(p.reference[:hop], p.test[:hop]) }); n != 0 {
		t.Errorf("%v allocations per analysis frame", n)
	}
}

// BenchmarkAdd measures one analysis frame of one channel, which lasts 21.3 ms. x-real-time is by processor time.
func BenchmarkAdd(b *testing.B) {
	m, p := NewMeter(1), pairs()["012"]
	b.ReportAllocs()
	spent := cputime.Of(func() {
		for at := 0; b.Loop(); at = (at + hop) % (len(p.reference) - hop) {
			m.Add(p.reference[at:at+hop], p.test[at:at+hop])
		}
	})
	b.ReportMetric(float64(b.N)*hop/metric.Rate/spent.Seconds(), "x-real-time")
}
