package cue_test

import (
	"reflect"
	"testing"

	"voicepool/cue"
)

// TestDuckReleaseInTheList checks the two meanings of `release` in a list cue: a time of a duck, and an id to
// release.
func TestDuckReleaseInTheList(t *testing.T) {
	const head = "buses: {music: {}, sfx: {}}\ncues: [{at: 0, play: coin, id: x, loop: true}, {at: 1s, duck: music, when: sfx, by: 15, release: 300ms}]\n"
	for _, list := range []string{
		"list: [{cue: 1, duck: music, when: sfx, by: 15, release: 300ms}]",
		"list: [{cue: 1, release: 300ms, by: 15, when: sfx, duck: music}]",
		"list: [{cue: 1, do: [{duck: music, when: sfx, by: 15, release: 300ms}, {release: x}]}]",
	} {
		s := parse(t, head+list+"\n")
		if want, got := s.Cues[1].Action, s.Cues[2].Action; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the duck is %+v, want %+v", list, got, want)
		}
		if len(s.Cues) <= 3 {
			continue
		}
		if a := s.Cues[3].Action.(*cue.Set); a.Target.Name != "x" || a.Change.Rounds != 1 {
			t.Errorf("%s: the release is %+v", list, a)
		}
	}
}
