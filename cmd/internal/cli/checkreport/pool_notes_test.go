package checkreport

import (
	"strings"
	"testing"

	"voicepool/cue"
)

// TestPoolNotes checks each note of PoolNotes, and the settings that make it unnecessary.
func TestPoolNotes(t *testing.T) {
	const (
		loop    = `s.yaml:2:16: sound "wind" loops endlessly with the priority of "shot" (%), so in a full pool it can take the voice of a sound that ends; give it a lower priority, or an importance of -6 dB or less`
		music   = "s.yaml:2:16: sound \"wind\" is music that a sound effect can steal; give it a priority above 0, or `protect: true`"
		refused = "s.yaml:2:16: sound \"wind\" has a cooldown below 17 ms, so a game loses only starts of the same update; `coalesce: 0.016s` plays them as one louder voice"
	)
	for _, test := range []struct {
		wind, shot string // keys of the two sounds
		want       string // notes, separated by lines
	}{
		{"loop: true", "", strings.Replace(loop, "%", "0", 1)},
		{"loop: true, priority: 2", "priority: 2", strings.Replace(loop, "%", "2", 1)},
		{"loop: true, priority: -1", "", ""},
		{"loop: true, importance: -6", "", ""},
		{"loop: true, importance: -5.9", "", strings.Replace(loop, "%", "0", 1)},
		{"loop: true, importance: 6", "", strings.Replace(loop, "%", "0", 1)},
		{"bus: music, loop: true, importance: 60", "", music},
		{"bus: music, loop: true, importance: -6", "", music},
		{"loop: true", "priority: 1", ""},
		{"loop: 2", "", ""},
		{"loop: true, protect: true", "", ""},
		{"loop: true, when_full: end", "", ""},
		{"loop: true, when_full: virtual", "", strings.Replace(loop, "%", "0", 1)},
		{"loop: true", "loop: true", ""},
		{"", "", ""},
		{"bus: music", "", ""},
		{"bus: music, stream: true", "", music},
		{"bus: music, loop: 2", "", music},
		{"bus: Music.quiet, loop: true", "", music},
		{"bus: music, loop: true", "", music},
		{"bus: music, loop: true, priority: 1", "", ""},
		{"bus: music, loop: true, protect: true", "", ""},
		{"bus: fx, stream: true", "", ""},
		{"loop: true", "bus: music, stream: true, protect: true", ""},
		{"cooldown: 16ms", "", refused},
		{"cooldown: 17ms", "", ""},
		{"cooldown: 16ms, coalesce: 10ms", "", ""},
		{"cooldown: 16ms, bus: music, stream: true", "", music + "\n" + refused},
		{"cooldown: 16ms", "cooldown: 1ms", refused + " (and 1 sound like it)"},
	} {
		text := "sounds:\n  wind: {file: w.wav, " + test.wind + "}\n  shot: {file: s.wav, " + test.shot + "}\nbuses: {music: {}, Music.quiet: {}, fx: {}}\n"
		sheet, err := cue.Parse("s.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, canSteal := range []bool{true, false} {
			want := test.want
			if !canSteal { // only the cooldown matters
				_, want, _ = strings.Cut("\n"+want, refused)
				if strings.Contains(test.want, refused) {
					want = refused + want
				}
			}
			var got []string
			for _, e := range PoolNotes(sheet, canSteal) {
				got = append(got, e.Error())
			}
			if got := strings.Join(got, "\n"); got != want {
				t.Errorf("%s; %s; can steal: %v\n got %q\nwant %q", test.wind, test.shot, canSteal, got, want)
			}
		}
	}
}
