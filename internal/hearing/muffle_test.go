package hearing

import (
	"errors"
	"math"
	"strings"
	"testing"

	"voicepool/pcm"
	"voicepool/space"
)

// all holds all results for an emitter.
type all struct {
	Heard
	Muffled
}

func hearAll(t testing.TB, e space.Emitter) all {
	t.Helper()
	ear, _ := NewEar(&space.Listener{})
	source, err := NewSource(&e)
	if err != nil {
		t.Fatal(err)
	}
	h, m := ear.Hear(&source)
	return all{h, m}
}

// iso9613 returns the absorption of air in dB/m by the formulas of ISO 9613-1, for a frequency in Hz, a
// temperature in kelvins and a relative humidity in percent, at 101.325 kPa.
func iso9613(f, kelvin, humidity float64) float64 {
	const reference = 293.15
	t := kelvin / reference
	h := humidity * math.Pow(10, -6.8346*math.Pow(273.16/kelvin, 1.261)+4.6151)
	o := 24 + 4.04e4*h*(0.02+h)/(0.391+h)
	n := math.Pow(t, -0.5) * (9 + 280*h*math.Exp(-4.170*(math.Pow(t, -1./3)-1)))
	return 8.686 * f * f * (1.84e-11*math.Sqrt(t) + math.Pow(t, -2.5)*
		(0.01275*math.Exp(-2239.1/kelvin)/(o+f*f/o)+0.1068*math.Exp(-3352/kelvin)/(n+f*f/n)))
}

// TestAirAbsorbs compares the curve with ISO 9613-1 at 20 degrees Celsius and 50 % humidity. The figures are
// from table 1 of the standard, at the exact midband frequencies.
func TestAirAbsorbs(t *testing.T) {
	for _, c := range []struct{ band, want float64 }{ // dB/km
		{-9, 0.445}, {-6, 1.32}, {-3, 2.73}, {0, 4.66}, {3, 9.86}, {6, 29.4}, {9, 104},
	} {
		f := 1000 * math.Pow(10, c.band/10)
		if got := 1000 * iso9613(f, 293.15, 50); math.Abs(got/c.want-1) > 0.006 {
			t.Errorf("the test's own formula: %.0f Hz has %.3f dB/km, want %v", f, got, c.want)
		}
	}
	for f := 1.0; f < 2e5; f *= 1.07 {
		if got, slope := airAbsorption(f * f); math.Abs(got/iso9613(f, 293.15, 50)-1) > 1e-6 ||
			math.Abs(slope/((iso9613(f*1.0001, 293.15, 50)-iso9613(f*0.9999, 293.15, 50))/(4e-4*f*f))-1) > 1e-4 {
			t.Errorf("%.1f Hz: %v dB/m and a slope of %v, want %v", f, got, slope, iso9613(f, 293.15, 50))
		}
	}
}

// TestAirLowPass checks that the air attenuates by 3 dB over the distance at the cutoff.
func TestAirLowPass(t *testing.T) {
	last := math.Inf(1)
	for metres := 1e-6; metres < 1e13; metres *= 1.01 {
		hz := airLowPass(metres)
		switch {
		case hz == 0 && iso9613(space.MaxCutoff, 293.15, 50)*metres > 3:
			t.Fatalf("%v m: off", metres)
		case hz == 0:
			continue
		case math.Abs(iso9613(hz, 293.15, 50)*metres-3) > 1e-5 || hz > last || hz > space.MaxCutoff:
			t.Fatalf("%v m: %v Hz, of which the air takes %v dB", metres, hz, iso9613(hz, 293.15, 50)*metres)
		}
		last = hz
	}
}

// TestMuffled checks the gains and low-passes of obstacles. Of several low-passes the lowest acts, and an
// obstruction does not attenuate the sends.
func TestMuffled(t *testing.T) {
	db := func(x float64) float64 { return math.Pow(10, x/20) }
	away := func(distance float64) space.Spot {
		return space.Spot{Position: space.Vector{0, 0, -distance}, Forward: space.Vector{0, 0, -1}}
	}
	behind := func(distance, occlusion, obstruction float64) space.Spot {
		s := away(distance)
		s.Occlusion, s.Obstruction = occlusion, obstruction
		return s
	}
	cone := space.Cone{Inner: 90, Outer: 270, LowPass: 500}
	beside := space.Spot{Position: space.Vector{0, 0, -1}, Forward: space.Vector{1, 0, 0}}
	sends := space.Attenuation{Curve: space.Linear, Min: 1, Max: 11}
	for name, c := range map[string]struct {
		e    space.Emitter
		want all
	}{
		"free":                 {space.Emitter{Spot: away(1)}, all{Heard{Gain: 1}, Muffled{Direct: 1, Sends: 1}}},
		"behind a wall":        {space.Emitter{Spot: behind(1, 1, 0)}, all{Heard{Gain: db(-24)}, Muffled{Direct: 1, Sends: 1, LowPass: 800}}},
		"at the listener":      {space.Emitter{Spot: behind(0, 1, 0)}, all{Heard{Gain: db(-24)}, Muffled{Direct: 1, Sends: 1, LowPass: 800}}},
		"behind half of one":   {space.Emitter{Spot: behind(1, 0.5, 0)}, all{Heard{Gain: db(-12)}, Muffled{Direct: 1, Sends: 1, LowPass: 4000}}},
		"behind a pillar":      {space.Emitter{Spot: behind(1, 0, 1)}, all{Heard{Gain: 1}, Muffled{Direct: db(-12), Sends: 1, DirectLowPass: 2000}}},
		"behind both":          {space.Emitter{Spot: behind(1, 1, 1)}, all{Heard{Gain: db(-24)}, Muffled{Direct: db(-12), Sends: 1, LowPass: 800}}},
		"a thin wall, pillar":  {space.Emitter{Spot: behind(1, 0.25, 1)}, all{Heard{Gain: db(-6)}, Muffled{Direct: db(-12), Sends: 1, LowPass: 20000 / math.Sqrt(5), DirectLowPass: 2000}}},
		"outside its cone":     {space.Emitter{Spot: away(1), Cone: cone}, all{Heard{Gain: 1}, Muffled{Direct: 1, Sends: 1, LowPass: 500}}},
		"half out of its cone": {space.Emitter{Spot: beside, Cone: cone}, all{Heard{Gain: 1}, Muffled{Direct: 1, Sends: 1, LowPass: 20000 / math.Sqrt(40)}}},
		"in the air, near":     {space.Emitter{Spot: away(5), Air: 1}, all{Heard{Gain: 0.2}, Muffled{Direct: 1, Sends: 1}}},
		"in the air, far":      {space.Emitter{Spot: away(100), Air: 1}, all{Heard{Gain: 0.01}, Muffled{Direct: 1, Sends: 1, LowPass: airLowPass(100)}}},
		"in pixels":            {space.Emitter{Spot: away(10000), Air: 0.01}, all{Heard{Gain: 1e-4}, Muffled{Direct: 1, Sends: 1, LowPass: airLowPass(100)}}},
		"far, behind a wall":   {space.Emitter{Spot: behind(100, 1, 0), Air: 1}, all{Heard{Gain: 0.01 * db(-24)}, Muffled{Direct: 1, Sends: 1, LowPass: 800}}},
		"sends fall less":      {space.Emitter{Spot: away(6), SendAttenuation: sends}, all{Heard{Gain: 1}, Muffled{Direct: 1. / 6, Sends: 0.5}}},
		"sends, all of it": {
			space.Emitter{Spot: behind(6, 0.5, 0.5), SendAttenuation: sends, Cone: space.Cone{Outer: 180, OuterGain: -20}},
			all{Heard{Gain: db(-32)}, Muffled{Direct: db(-6) / 6, Sends: 0.5, LowPass: 4000}},
		},
	} {
		got := hearAll(t, c.e)
		for i, x := range [][2]float64{
			{got.Gain, c.want.Gain}, {got.Direct, c.want.Direct}, {got.Sends, c.want.Sends},
			{got.LowPass, c.want.LowPass}, {got.DirectLowPass, c.want.DirectLowPass},
		} {
			if math.Abs(x[0]-x[1]) > 1e-9*x[1] {
				t.Errorf("%s: %+v, want %+v (%d)", name, got, c.want, i)
			}
		}
	}
}

// TestMuffledSources checks the round trip from Source to Emitter and back, and whether a source reports that
// it needs a low-pass.
func TestMuffledSources(t *testing.T) {
	for _, c := range []struct {
		e       space.Emitter
		muffles bool
	}{
		{space.Emitter{}, false},
		{space.Emitter{SendAttenuation: space.Attenuation{Min: 2}}, false},
		{space.Emitter{SendAttenuation: space.Attenuation{Curve: space.Constant}, Air: 0.5}, true},
		{space.Emitter{Cone: space.Cone{LowPass: 800}}, true},
		{space.Emitter{Spot: space.Spot{Occlusion: 0.5}}, true},
		{space.Emitter{Spot: space.Spot{Obstruction: 0.5}}, true},
	} {
		s, err := NewSource(&c.e)
		if err != nil || s.Muffles() != c.muffles {
			t.Errorf("%+v: needs a low-pass %v, %v, want %v", c.e, s.Muffles(), err, c.muffles)
		}
		e := s.Emitter()
		if again, err := NewSource(&e); err != nil || again != s {
			t.Errorf("%+v comes back as %+v, %v", s, again, err)
		}
	}
}

// TestMuffledRanges checks that each error names the valid range.
func TestMuffledRanges(t *testing.T) {
	for want, e := range map[string]space.Emitter{
		"occlusion: 1.5 is not in 0..1":                                  {Spot: space.Spot{Occlusion: 1.5}},
		"occlusion: NaN is not in 0..1":                                  {Spot: space.Spot{Occlusion: math.NaN()}},
		"obstruction: -0.1 is not in 0..1":                               {Spot: space.Spot{Obstruction: -0.1}},
		"low-pass outside the cone: 10 Hz is not in 20..20000; 0 is off": {Cone: space.Cone{LowPass: 10}},
		"air: -1 metres is not in 0..1000":                               {Air: -1},
		"rolloff: -1 is not in 0.000001..1000":                           {SendAttenuation: space.Attenuation{Rolloff: -1}},
	} {
		if _, err := NewSource(&e); !errors.Is(err, space.ErrRange) || strings.TrimPrefix(err.Error(), "space: out of range: ") != want {
			t.Errorf("says %v, want %s", err, want)
		}
	}
}

// TestOcclusionIsLikeWalls compares occlusion with the materials of EAX 2.0, which have a level for low
// frequencies and one at 5 kHz. docs/effects.md has these figures.
func TestOcclusionIsLikeWalls(t *testing.T) {
	for _, c := range []struct {
		material          string
		occlusion         float64
		low, high         float64 // dB, of EAX
		wantLow, wantHigh float64 // of ours
	}{
		{"thin door", 0.5, -11.9, -18, -12, -17.4},
		{"wood wall", 5. / 6, -20, -40, -20, -42.5},
		{"brick wall", 1, -30, -50, -24, -55.8},
	} {
		h := hearAll(t, space.Emitter{Spot: space.Spot{Occlusion: c.occlusion}})
		low := float64(pcm.FromLinear(h.Gain))
		high := low - 10*math.Log10(1+math.Pow(5000/h.LowPass, 4))
		if math.Abs(low-c.wantLow) > 0.05 || math.Abs(high-c.wantHigh) > 0.05 || math.Abs(low-c.low) > 6.1 || math.Abs(high-c.high) > 6.1 {
			t.Errorf("%s: %.1f and %.1f dB, want %v and %v, as EAX has %v and %v", c.material, low, high, c.wantLow, c.wantHigh, c.low, c.high)
		}
	}
}

// TestMuffledFigures checks the figures of docs/effects.md.
func TestMuffledFigures(t *testing.T) {
	for share, want := range map[float64][4]float64{ // occlusion and obstruction: decibels and Hz
		0.25: {-6, 8944, -3, 11247}, 0.5: {-12, 4000, -6, 6325}, 0.75: {-18, 1789, -9, 3557}, 1: {-24, 800, -12, 2000},
	} {
		wall, pillar := hearAll(t, space.Emitter{Spot: space.Spot{Occlusion: share}}), hearAll(t, space.Emitter{Spot: space.Spot{Obstruction: share}})
		for i, got := range [4]float64{float64(pcm.FromLinear(wall.Gain)), wall.LowPass, float64(pcm.FromLinear(pillar.Direct)), pillar.DirectLowPass} {
			if math.Abs(got-want[i]) > 0.5 {
				t.Errorf("%v: %v, want %v", share, got, want)
			}
		}
	}
	for metres, want := range map[float64]float64{10: 14275, 30: 7780, 100: 4026, 300: 2017, 1000: 563} {
		if got := hearAll(t, space.Emitter{Spot: space.Spot{Position: space.Vector{0, 0, -metres}}, Air: 1}).LowPass; math.Abs(got-want) > 0.5 {
			t.Errorf("%v m: %v Hz, want %v", metres, got, want)
		}
	}
}
