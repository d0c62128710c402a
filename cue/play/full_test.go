package play_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// TestFull checks the behaviour of a full pool and of a full limit, and their reasons in the report.
func TestFull(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
	}{
		{name: "a loop waits", text: `sounds: {hum: {file: engine, gain: -40}}
cues: [{at: 0s, play: hum, loop: true}, {at: 0.1s, play: coin}]`, want: "[started started virtual]: endless"},
		{name: "a loop ends", text: `sounds: {hum: {file: engine, gain: -40, when_full: end}}
cues: [{at: 0s, play: hum, loop: true}, {at: 0.1s, play: coin}]`, want: "[started started stolen]: endless"},
		{name: "what ends", text: `sounds: {hum: {file: engine, gain: -40}}
cues: [{at: 0s, play: hum, loop: 3}, {at: 0.1s, play: coin}]`, want: "[started started stolen]:"},
		{name: "per owner", text: `voices: 9
sounds: {step: {file: coin, limit: {voices: 1, per: owner, full: reject}}}
cues: [{at: 0s, play: step, owner: orc}, {at: 0s, play: step, owner: elf}, {at: 0.01s, play: step, owner: orc}]`, want: "[limited started started]: limit 1 per owner"},
		{name: "the oldest", text: `voices: 9
sounds: {step: {file: coin, limit: {voices: 1, full: oldest}}}
cues: [{at: 0s, play: step}, {at: 0.01s, play: step, gain: -40}, {at: 0.02s, play: step}]`, want: "[started started started stolen stolen]: limit 1 limit 1"},
	} {
		text := c.text + "\nlength: 0.15s\n"
		if c.text[:7] != "voices:" {
			text = "voices: 1\n" + text
		}
		sheet, err := cue.Parse("s.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := play.NewPlayer(context.Background(), sheet, library.NewLibrary(library.Options{}), play.Options{Events: true})
		if err != nil {
			t.Fatal(err)
		}
		for block := make([]pcm.Frame, 512); err == nil; {
			_, err = p.Read(block)
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		kinds, said := []string{}, ""
		for _, e := range p.Report().Events {
			kinds = append(kinds, e.Kind.String())
			if e.Endless {
				said += " endless"
			}
			if e.Reason == mixer.ReasonGroupLimit {
				said += fmt.Sprint(" limit ", e.Limit)
			}
			if e.PerOwner {
				said += " per owner"
			}
		}
		slices.Sort(kinds)
		if got := fmt.Sprint(kinds) + ":" + said; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
