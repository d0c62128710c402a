package play_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// TestVersions checks the resampled variants prepared for a sheet, and that a render needs no others.
func TestVersions(t *testing.T) {
	for sheet, want := range map[string]string{
		"sounds: {s: {file: hit}}\ncues: [{at: 0, play: s}]":                                                                                  "",
		"sounds: {s: {file: hit, pitch: [-2, 2]}}\ncues: [{at: 0, play: s}]":                                                                  "once 0",
		"sounds: {s: {file: hit, pitch: [-2, 9], quality: linear}}\ncues: [{at: 0, play: s}]":                                                 "",
		"quality: linear\nsounds: {s: {file: hit, pitch: [-2, 9], quality: best}}\ncues: [{at: 0, play: s}]":                                  "once 0, once 1",
		"sounds: {s: {file: hit, speed: 2}}\ncues: [{at: 0, play: s, speed: 2, pitch: 5}]":                                                    "once 4",
		"sounds: {s: {file: hit, speed: 2}}\ncues: [{at: 0, play: s, pitch: -12}]":                                                            "",
		"sounds: {s: {file: hit, max_pitch: 24}}\ncues: [{at: 0, play: s}]":                                                                   "once 0, once 1, once 2, once 3",
		"length: 1\nsounds: {s: {file: hit}}\ncues: [{at: 0, play: s, id: x, loop: true}, {at: 0.5, set: x, pitch: 9, over: 0.1}]":            "looped 0, looped 1",
		"length: 1\nsounds: {s: {file: hit}}\ncues: [{at: 0, play: s, id: x, loop: 3}, {at: 0.5, set: x, speed: 0.5}]":                        "once 0, looped 0",
		"length: 1\nsounds: {s: {file: hit}}\ncues: [{at: 0, play: s, id: x}, {at: 0.5, set: x, gain: -3}]":                                   "",
		"buses: {u: {}, b: {parent: u, pitch: -3}}\nsounds: {s: {file: hit, bus: b}}\ncues: [{at: 0, play: s}, {at: 0.1, set: u, pitch: 20}]": "once 0, once 1, once 2",
		"sounds: {s: {file: hit, parameters: {r: {from: 0, to: 1, pitch: [[0, 0], [1, 9]]}}}}\n" +
			"cues: [{at: 0, play: s}]": "once 0, once 1",
		"sounds: {s: {file: hit, pitch: [-2, 2], speed: 2}}\ncues: [{at: 0, play: s}]":                                                   "once 1",
		"sounds: {s: {file: hit}, l: {layers: [s], pitch: [-2, 2], speed: 2}}\ncues: [{at: 0, play: l}]":                                 "once 1",
		"cues: [{at: 0, listener: [0, 0], doppler: 1, speed_of_sound: 60}, {at: 0, play: hit, place: [0, 0, -9], velocity: [0, 0, 36]}]": "once 0, once 1, once 2",
		"cues: [{at: 0, listener: [0, 0], doppler: 1, speed_of_sound: 60}, {at: 0, play: hit}]":                                          "",
		"buses: {b: {pitch: -3}}\nsounds: {s: {file: hit, bus: b}}\ncues: [{at: 0, play: s, bus: master}]":                               "",
	} {
		s, err := cue.Parse("-", []byte(sheet))
		if err != nil {
			t.Fatal(err)
		}
		lib := library.NewLibrary(library.Options{})
		p, err := play.NewPlayer(context.Background(), s, lib, play.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i, set := range []string{"once", "looped"} {
			for level := range sounds.Levels {
				hit := embedded.Source("hit")
				first, plays := s.Cues[0].Action.(*cue.Play)
				hit.Looped = plays && first.Loop
				sound, err := lib.Load(context.Background(), hit)
				if err != nil {
					t.Fatal(err)
				}
				if sound[0].Refined(level, i == 1) {
					got = append(got, fmt.Sprint(set, " ", level))
				}
			}
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%s\nhas %q, want %q", sheet, got, want)
		}
		block := make([]pcm.Frame, 480)
		for err == nil {
			_, err = p.Read(block)
		}
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if st := p.Mixer().Stats(); st.MissingMipLevels != 0 {
			t.Errorf("%s\n%d voices lacked a version", sheet, st.MissingMipLevels)
		}
	}
}
