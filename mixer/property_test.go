package mixer_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
)

// TestChangeErrors checks that the error for a property out of range names the property and the range,
// and that the bounds are accepted.
func TestChangeErrors(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000})
	h := play(t, m.Engine().At(mixer.Now), level(t, 1000, 500, 0.1), mixer.Options{})
	for _, v := range []struct {
		change mixer.Change
		want   string // "": valid
	}{
		{mixer.Change{Fields: mixer.FieldGain, Gain: 24.5}, "gain: 24.5 dB is not in -120..24"},
		{mixer.Change{Fields: mixer.FieldGain, Gain: 24}, ""},
		{mixer.Change{Fields: mixer.FieldGain, Gain: pcm.FromLinear(0)}, ""},
		{mixer.Change{Fields: mixer.FieldPan, Pan: math.NaN()}, "pan: NaN is not in -1..1"},
		{mixer.Change{Fields: mixer.FieldPan, Pan: -1}, ""},
		{mixer.Change{Fields: mixer.FieldPitch, Pitch: 48.5}, "pitch: 48.5 semitones is not in -48..48"},
		{mixer.Change{Fields: mixer.FieldPitch, Pitch: -48}, ""},
		{mixer.Change{Fields: mixer.FieldSpeed, Speed: 0.0624}, "speed: 0.0624 is not in 1/16..16"},
		{mixer.Change{Fields: mixer.FieldSpeed, Speed: 1. / 16}, ""},
		{mixer.Change{Fields: mixer.FieldLowPass, Filters: mixer.Filters{LowPass: 19}}, "low-pass: 19 Hz is not in 20..20000; 0 is off"},
		{mixer.Change{Fields: mixer.FieldHighPass, Filters: mixer.Filters{HighPass: 20001}}, "high-pass: 20001 Hz is not in 20..20000; 0 is off"},
		{mixer.Change{Fields: mixer.FieldLowPass | mixer.FieldHighPass, Filters: mixer.Filters{LowPass: 20}}, ""},
		{mixer.Change{Fields: mixer.FieldPriority, Priority: 1000001}, "priority: 1000001 is not in -1000000..1000000"},
		{mixer.Change{Fields: mixer.FieldPriority, Priority: -1000000}, ""},
		{mixer.Change{Fields: mixer.FieldRounds, Rounds: -2}, "rounds: -2 is not in -1..1000000000; 1 leaves the loop at its end, Forever (-1) stays in it, 0 is invalid"},
		{mixer.Change{Fields: mixer.FieldRounds, Rounds: 1000000000}, ""},
		{mixer.Change{Fields: mixer.FieldProtect, Protect: true}, ""},
		{mixer.Change{Fields: mixer.FieldGain | mixer.FieldPan, Gain: -6, Pan: 2}, "pan: 2 is not in -1..1"},
		{mixer.Change{Gain: 100}, "nothing to set"},
		{mixer.Change{Fields: 1 << 15}, "nothing to set"},
	} {
		err := m.Engine().At(mixer.Now).Set(mixer.TargetVoice(h), v.change, 0)
		if v.want == "" && err != nil || v.want != "" && (!errors.Is(err, mixer.ErrOption) || err.Error() != mixer.ErrOption.Error()+": "+v.want) {
			t.Errorf("%+v: %v, want %q", v.change, err, v.want)
		}
		if _, ok := errors.AsType[*pcm.RangeError](err); ok != strings.Contains(v.want, "is not in") {
			t.Errorf("%+v: %v is a *pcm.RangeError: %v", v.change, err, ok)
		}
	}
}

// TestExportedNumbers checks the exported limits and the bits of Fields, which internal/property defines. Games may
// have stored them.
func TestExportedNumbers(t *testing.T) {
	for _, n := range [...]struct {
		name      string
		got, want float64
	}{
		{"MinGain", mixer.MinGain, -120}, {"MaxGain", mixer.MaxGain, 24}, {"MaxPan", mixer.MaxPan, 1},
		{"MaxPitch", mixer.MaxPitch, 48}, {"MinSpeed", mixer.MinSpeed, 0.0625}, {"MaxSpeed", mixer.MaxSpeed, 16},
		{"MinCutoff", mixer.MinCutoff, 20}, {"MaxCutoff", mixer.MaxCutoff, 20000},
		{"MaxPriority", mixer.MaxPriority, 1e6}, {"MaxRounds", mixer.MaxRounds, 1e9}, {"MaxImportance", mixer.MaxImportance, 60},
		{"FieldGain", float64(mixer.FieldGain), 1}, {"FieldPan", float64(mixer.FieldPan), 2},
		{"FieldPitch", float64(mixer.FieldPitch), 4}, {"FieldSpeed", float64(mixer.FieldSpeed), 8},
		{"FieldLowPass", float64(mixer.FieldLowPass), 16}, {"FieldHighPass", float64(mixer.FieldHighPass), 32},
		{"FieldMute", float64(mixer.FieldMute), 64}, {"FieldSolo", float64(mixer.FieldSolo), 128},
		{"FieldVolume", float64(mixer.FieldVolume), 256}, {"FieldPriority", float64(mixer.FieldPriority), 512},
		{"FieldProtect", float64(mixer.FieldProtect), 1024}, {"FieldRounds", float64(mixer.FieldRounds), 2048},
	} {
		if n.got != n.want {
			t.Errorf("%s is %v, want %v", n.name, n.got, n.want)
		}
	}
}
