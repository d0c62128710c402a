package cue_test

import (
	"strings"
	"testing"

	"voicepool/cue"
)

// TestTrimmed checks that only gains change in the text.
func TestTrimmed(t *testing.T) {
	for _, c := range []struct{ name, src, want, err string }{
		{name: "no gain yet", src: "list:\n  - {cue: 1, play: coin} # the coin\n", want: "list:\n  - {cue: 1, play: coin, gain: -3} # the coin\n"},
		{name: "a gain", src: "list: [{cue: 1.0, gain: -2.5, play: coin}]", want: "list: [{cue: 1.0, gain: -5.5, play: coin}]"},
		{name: "another cue", src: "list: [{cue: 2, gain: -2, play: coin}]", want: "list: [{cue: 2, gain: -2, play: coin}]"},
		{name: "in quotes", src: `list: [{cue: "1", play: "co\"in", id: a}]`, want: `list: [{cue: "1", play: "co\"in", gain: -3, id: a}]`},
		{name: "in other quotes", src: `list: [{cue: 1, play: 'c', id: a}]`, want: `list: [{cue: 1, play: 'c', gain: -3, id: a}]`},
		{name: "a doubled quote", src: `list: [{cue: 1, play: 'c''s', id: a}]`, want: `list: [{cue: 1, play: 'c''s', gain: -3, id: a}]`},
		{name: "doubled quotes at both ends", src: `list: [{cue: 1, play: '''c''', id: a}]`, want: `list: [{cue: 1, play: '''c''', gain: -3, id: a}]`},
		{name: "JSON", src: `{"list": [{"cue": 1, "play": "coin"}]}`, want: `{"list": [{"cue": 1, "play": "coin", "gain": -3}]}`},
		{name: "a block", src: "list:\n  - cue: 1\n    # first\n    play: coin # c\n    pan: 1\n", want: "list:\n  - cue: 1\n    # first\n    gain: -3\n    play: coin # c\n    pan: 1\n"},
		{name: "a block that begins with play", src: "list:\n- play: coin\n  cue: 1\n", want: "list:\n- gain: -3\n  play: coin\n  cue: 1\n"},
		{
			name: "several, behind wide letters", src: "list:\n  - cue: 1\n    name: 和太鼓\n    do: [{play: 太鼓, gain: 1}, {stop: a}, {play: coin}]\n",
			want: "list:\n  - cue: 1\n    name: 和太鼓\n    do: [{play: 太鼓, gain: -2}, {stop: a}, {play: coin, gain: -3}]\n",
		},
		{name: "as low as it goes", src: "list: [{cue: 1, play: coin, gain: -119}]", want: "list: [{cue: 1, play: coin, gain: -120}]"},
		{
			name: "a crossfade", src: "list: [{cue: 1, crossfade: {from: a, play: coin, over: 1s}}, {cue: 2, crossfade: {from: a, play: coin}}]",
			want: "list: [{cue: 1, crossfade: {from: a, play: coin, gain: -3, over: 1s}}, {cue: 2, crossfade: {from: a, play: coin}}]",
		},
		{name: "a crossfade to a bus", src: "list: [{cue: 1, crossfade: {from: a, to: b, gain: -1}}]", want: "list: [{cue: 1, crossfade: {from: a, to: b, gain: -1}}]"},
		{name: "no number", src: "list: [{cue: 1, play: coin, gain: loud}]", err: `line 1: gain "loud" cannot be changed`},
		{name: "no YAML", src: "list: [", err: "cue: "},
		{name: "no list", src: "cues: []", want: "cues: []"},
	} {
		got, err := cue.Trimmed([]byte(c.src), map[string]float64{"1": -3})
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		}
		if err == nil && string(got) != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}
