package play_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"voicepool/bank/rules"
	"voicepool/cue/play"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// TestLoading checks the progress calls: at the start and after each file, once per use, also for missing
// files.
func TestLoading(t *testing.T) {
	s := parse(t, "sounds: {a: {files: [coin, no.wav]}, b: {file: click, lufs: -30}}\ncues: [{at: 0, play: a}, {at: 0, play: a, loop: true, for: 1s}]")
	var got []int
	lib := library.NewLibrary(library.Options{Rate: s.Rate})
	err := play.LoadSounds(context.Background(), s, lib, func(done, total int) { got = append(got, done, total) })
	if want := []int{0, 5, 1, 5, 2, 5, 3, 5, 4, 5, 5, 5}; !slices.Equal(got, want) {
		t.Errorf("progress %v, want %v", got, want)
	}
	var wrong rules.Errors
	if !errors.As(err, &wrong) || len(wrong) != 1 || !errors.Is(err, rules.ErrSound) {
		t.Errorf("error %v, want one about no.wav", err)
	}
	before := lib.Bytes()
	click := embedded.Source("click")
	click.Leveling.LUFS = -30
	sound, err := lib.Load(context.Background(), click)
	if err != nil {
		t.Fatal(err)
	}
	if info, _ := lib.Info(sound[0]); info.Gain == 0 || lib.Bytes() != before {
		t.Errorf("the sheet's lufs did not arrive: %+v", info)
	}
}
