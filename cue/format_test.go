package cue_test

import (
	"fmt"
	"reflect"
	"testing"

	"voicepool/cue"
)

// TestFormatIsParsed checks that a formatted cue is read back as the same cue, for each verb.
func TestFormatIsParsed(t *testing.T) {
	const head = "buses: {sfx: {}, music: {sends: {hall: -6}, effects: [{delay: {time: 0.1}}]}, hall: {}}\n" +
		"sounds: {song: {file: bell, loop: {from: 10ms, to: 20ms}}}\n" +
		"cues:\n  - {at: 0s, play: coin, id: a}\n  - {%s}\n"
	f := cue.NewFormatter()
	for _, text := range []string{
		"at: 1.25s, play: coin, id: b",
		"at: 0s, play: \"a name: with {signs}.wav\", id: b, bus: sfx, gain: -3, pan: 0.5, pitch: -2, speed: 1.5, lowpass: 900, highpass: 90, sends: {hall: -9}",
		"at: 0s, play: coin, id: b, loop: 3, from: 10ms, for: 1s, fade_in: 20ms, shape: power, priority: 4, protect: true, owner: me",
		"at: 0s, play: song, id: b, loop: false",
		"at: 0s, play: coin, id: b, place: [1, 2, -3], velocity: [0, 1, 0], facing: [0, 0, 1], occlusion: 0.5, obstruction: 0.25",
		"at: 1s, play: coin, id: b, cue: 4b, name: Bell",
		"at: 1s, stop: a, over: 2s, shape: cosine",
		"at: 1s, stop: all, cut: true",
		"at: 1s, fade: sfx, to: -12, over: 1s",
		"at: 1s, set: a, gain: 0, pan: 0, pitch: 1, speed: 2, loop: false, priority: -1, protect: false, over: 100ms",
		"at: 1s, set: sfx, mute: true, solo: false, lowpass: 500",
		"at: 1s, set: music, effects: {delay: {time: 0.2}}, over: 1s",
		"at: 1s, set: music, sends: {hall: -20}",
		"at: 1s, pause: a", "at: 1s, resume: all", "at: 1s, seek: a, to: 300ms",
		"at: 1s, voices: 7",
		"at: 1s, duck: music, when: sfx, by: 9, attack: 10ms, hold: 20ms, release: 30ms",
		"at: 1s, move: a, place: [1, 0, 0], velocity: [3, 0, 0]",
		"at: 1s, listener: [1, 0, 2], velocity: [1, 0, 0], facing: [1, 0, 0], up: [0, 1, 0], strength: 0.5, doppler: 1, speed_of_sound: 300",
	} {
		want := parse(t, fmt.Sprintf(head, text))
		c, sound, loops := want.Cues[1], "", false
		if p, is := c.Action.(*cue.Play); is {
			sound, loops = want.Sounds[p.Sound].Name, want.Sounds[p.Sound].Loop
		}
		line := f.Format(&c, &want.Rules, sound, loops)
		got := parse(t, fmt.Sprintf(head, line)).Cues[1]
		if got.Line, got.Column = c.Line, c.Column; !reflect.DeepEqual(got, c) {
			t.Errorf("{%s} is formatted as {%s}:\n%+v\nwant\n%+v", text, line, got.Action, c.Action)
		}
	}
}
