package main

import (
	"testing"
	"time"

	"voicepool/cmd/internal/cli/flagtype"
	"voicepool/mixer"
	"voicepool/sounds"
)

func TestFlagsWinOverSheet(t *testing.T) {
	sheet := parse(t, "{voices: 3, seed: 4, rate: 8000, overflow: oldest, cues: []}")
	if got := *(&sheetFlags{}).apply(sheet); got.Voices != 3 || got.Seed != 4 || got.Rate != 8000 || got.Overflow != mixer.StealOldest || got.Length != nil {
		t.Errorf("no flags make %+v", got)
	}
	voices, seed, rate := 5, int64(-1), 44100
	length := new(flagtype.Time)
	if err := length.UnmarshalText([]byte("1.5s")); err != nil {
		t.Fatal(err)
	}
	f := &sheetFlags{
		Voices: &voices, Seed: &seed, Rate: &rate, Overflow: new(flagtype.Overflow(mixer.Reject)), Quality: new(flagtype.Quality(sounds.Linear)),
		Length: length, Refuse: true,
	}
	got := f.apply(sheet)
	if got.Voices != 5 || got.Seed != 1<<64-1 || got.Rate != 44100 || got.Overflow != mixer.Reject || got.Quality != sounds.Linear ||
		got.Length.Frames(1000) != 1500 || !got.Refuse {
		t.Errorf("flags make %+v", got)
	}
	if sheet.Voices != 3 || sheet.Length != nil {
		t.Error("the sheet has changed")
	}
}

// TestGuardFlag checks the guard time by default and with --guard.
func TestGuardFlag(t *testing.T) {
	hour := new(flagtype.Time)
	if err := hour.UnmarshalText([]byte("1h")); err != nil {
		t.Fatal(err)
	}
	if none, long := (controlFlags{}).guard(), (controlFlags{Guard: hour}).guard(); none != 300*time.Millisecond || long != time.Hour {
		t.Errorf("%v without the flag and %v with it, want 300ms and 1h0m0s", none, long)
	}
}
