package record

import (
	"errors"
	"fmt"
	"testing"

	"voicepool/bank/rules"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
	"voicepool/space"
)

// TestRecorderStops checks which stops of all voices are recorded. A stop is omitted during an earlier stop
// that ends no later. It is recorded if it ends sooner, or if it follows a start.
func TestRecorderStops(t *testing.T) {
	head, err := RulesOf(mixer.Config{Rate: 1000})
	if err != nil {
		t.Fatal(err)
	}
	r := New(head, nil)
	stop := func(frame, over int64, bus string) mixer.Entry {
		return mixer.Entry{Frame: frame, Kind: mixer.EntryStop, Frames: over, Bus: bus}
	}
	if err := r.Add([]mixer.Entry{
		stop(100, 300, ""), stop(105, 300, ""), stop(110, 290, ""), stop(110, 289, ""), stop(500, 0, ""),
		stop(600, 300, "master"), stop(605, 300, ""), stop(610, 300, ""),
		stop(615, 0, "sfx"), stop(620, 300, ""),
	}); err != nil {
		t.Fatal(err)
	}
	const want = `  - {at: 0.1s, stop: "all", over: 0.3s}
  - {at: 0.11s, stop: "all", over: 0.289s}
  - {at: 0.6s, stop: "master", over: 0.3s}
  - {at: 0.615s, stop: "sfx"}
`
	if got := string(r.cueLines); got != want {
		t.Errorf("the cues are\n%s\nwant\n%s", got, want)
	}
	r.isRedundantStop(&mixer.Entry{Frame: 630, Kind: mixer.EntryPlay})
	if last := stop(640, 300, ""); r.isRedundantStop(&last) {
		t.Error("what started is not stopped")
	}
}

// TestRecorderRefuses checks the errors, with a time, for entries that a sheet cannot express.
func TestRecorderRefuses(t *testing.T) {
	head, err := RulesOf(mixer.Config{Rate: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []mixer.Config{{Insert: nothing{}}, {Buses: []mixer.BusConfig{{Name: "sfx", Insert: nothing{}}}}} {
		if _, err := RulesOf(c); !errors.Is(err, ErrRecord) {
			t.Errorf("a mixer with an insert: %v", err)
		}
	}
	for _, c := range []struct {
		entry mixer.Entry
		want  string
	}{
		{mixer.Entry{Frame: 1500, Kind: mixer.EntryInsert, Bus: "sfx"}, "cue: this cannot be recorded: at 1.5s: the insert of bus \"sfx\" was changed, which no cue can express"},
		{mixer.Entry{Kind: mixer.EntryStop, Start: 7}, "cue: this cannot be recorded: at 0s: a voice was moved whose start is not in the journal"},
		{
			mixer.Entry{Kind: mixer.EntryPlace, Listener: space.Listener{Doppler: 1, SpeedOfSound: 1e-5}},
			"cue: this cannot be recorded: at 0s: space: out of range: speed of sound: 0.00064 is not in 0.001..1000000000",
		},
		{mixer.Entry{Kind: mixer.EntryPlace, Start: 7}, "cue: this cannot be recorded: at 0s: a voice was moved whose start is not in the journal"},
	} {
		if err := New(head, nil).Add([]mixer.Entry{c.entry}); err == nil || err.Error() != c.want {
			t.Errorf("%+v\nsays %v\nwant %s", c.entry, err, c.want)
		}
	}
}

type nothing struct{}

func (nothing) Process([]pcm.Frame) {}

// TestRecorderOfMasked checks that the policy masked requires sounds with masking data. A mixer without them
// steals differently, so its journal cannot become a sheet.
func TestRecorderOfMasked(t *testing.T) {
	for _, c := range []struct {
		policy   mixer.Overflow
		measured bool
		want     string
	}{
		{policy: mixer.StealMasked, want: `cue: this cannot be recorded: at 0s: the sound "coin" is not measured for masked, ` +
			"which a sheet needs; give the library library.Options{Masking: true}"},
		{policy: mixer.StealMasked, measured: true},
		{policy: mixer.StealQuietest},
	} {
		head, err := RulesOf(mixer.Config{Overflow: c.policy, Virtual: 4})
		if err != nil {
			t.Fatal(err)
		}
		lib := library.NewLibrary(library.Options{Masking: c.measured})
		coin, err := lib.Load(t.Context(), embedded.Source("coin"))
		if err != nil {
			t.Fatal(err)
		}
		r := New(head, func(*sounds.Sound) (rules.Sound, bool) {
			return rules.Sound{Files: []rules.File{{Name: "coin"}}}, true
		})
		err = r.Add([]mixer.Entry{{Kind: mixer.EntryPlay, Start: 1, Sound: coin[0]}})
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && got != c.want {
			t.Errorf("%v, measured %v: %v, want %q", c.policy, c.measured, err, c.want)
		}
	}
}
