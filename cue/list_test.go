package cue_test

import (
	"slices"
	"testing"

	"voicepool/cue"
)

// showList has every key of a list.
const showList = `
sounds: {song: coin, thunder: zap, door: coin, steps: coin}
list:
  - {cue: 1, name: House music, note: slow, colour: blue, play: song, id: house, loop: true, fade_in: 3s}
  - {cue: 2, fade: house, to: -12, over: 4s, then: continue, wait: 1s}
  - {cue: 2.5, name: Thunder, pre: 500ms, play: thunder, then: follow}
  - cue: 3
    name: Door, then steps
    do:
      - {play: door}
      - {at: 900ms, play: steps, id: steps, every: 400ms, times: 5}
      - {at: end of steps, stop: house, over: 2s}
  - {cue: 4, name: Vamp out, release: house}
  - {cue: Q5, name: Blackout, stop: all, over: 500ms, arm: false}
  - {cue: 6, start: timeline}
goes: [1s, 2s, 30s, 40s]
cues:
  - {at: 1s, cue: T1, name: Bell, play: coin}
`

// TestList checks the parsed fields of a sheet with a list.
func TestList(t *testing.T) {
	s := parse(t, showList)
	if len(s.List) != 7 || len(s.Cues) != 9 || len(s.Goes) != 4 {
		t.Fatalf("%d list cues, %d cues, %d goes", len(s.List), len(s.Cues), len(s.Goes))
	}
	l := s.List[2]
	if l.Number != "2.5" || l.Name != "Thunder" || l.Then != cue.ThenFollow || l.PreWait.String() != "0.5s" || l.First != 3 || l.Count != 1 {
		t.Errorf("%+v", l)
	}
	if l := s.List[0]; l.Note != "slow" || l.Colour != "blue" || l.Disabled {
		t.Errorf("%+v", l)
	}
	if l := s.List[3]; l.Count != 3 || l.First != 4 {
		t.Errorf("%+v", l)
	}
	if !s.List[5].Disabled || !s.List[6].Timeline || s.List[6].Count != 0 {
		t.Errorf("%+v", s.List[5:])
	}
	for i, want := range map[int]string{0: `cue T1 "Bell" (line 18)`, 3: `cue 2.5 "Thunder" (line 6)`, 2: `cue 2 (line 5)`} {
		label := s.Cues[i].Label()
		if got := label.CueText(i); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestNumbersAreNumbers checks that equal numbers of cues are rejected as duplicates, however they are written.
func TestNumbersAreNumbers(t *testing.T) {
	for _, same := range [][2]string{{"2.5", "2.50"}, {"2", "2.0"}, {"02", "2"}, {"0", "0.0"}} {
		if _, err := cue.Parse("s", []byte("list: [{cue: "+same[0]+", play: coin}, {cue: "+same[1]+", play: coin}]")); err == nil {
			t.Errorf("%v are told apart", same)
		}
	}
	for _, two := range [][2]string{{"2.5", "2.05"}, {"20", "2"}, {"Q1", "Q01"}, {"1.2.3", "1.2.30"}, {"2.", "2"}} {
		parse(t, "list: [{cue: '"+two[0]+"', play: coin}, {cue: '"+two[1]+"', play: coin}]")
	}
}

// TestReadGoes checks valid times of GO and the errors of invalid ones.
func TestReadGoes(t *testing.T) {
	for text, want := range map[string]string{
		"1s\n\n 2.5 Q2 # late\n": "",
		"3s\n2s\n":               "goes:2:1: goes: a GO at 2s comes after the one at 3s; put them in the order of their times",
		"1s\nsoon\n":             "goes:2:1: ",
		"1s 7\n":                 `goes:1:1: goes: no cue of the list has the number "7"`,
		"1s\n2s\n3s\n":           "goes:3:1: goes: no cue is on standby for the GO at 3s: the list has ended; leave it out",
		"0.1s Q3":                "goes:1:1: goes: cue \"Q3\" has `arm: false`, so no GO reaches it",
	} {
		s := parse(t, "list: [{cue: 1, play: coin}, {cue: Q2, play: coin}, {cue: Q3, arm: false, play: coin}]")
		err := s.ReadGoes("goes", []byte(text))
		switch {
		case want == "" && (err != nil || len(s.Goes) != 2 || s.Goes[1].Cue != "Q2"):
			t.Errorf("%q: %v, %v", text, err, s.Goes)
		case want != "" && (err == nil || len(err.Error()) < len(want) || err.Error()[:len(want)] != want):
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestListOrder checks which cues a GO starts, and how many GOs the list needs.
func TestListOrder(t *testing.T) {
	l := parse(t, "list:\n  - {cue: 1, play: coin, arm: false}\n  - {cue: 2, play: coin, then: continue}\n  - {cue: 2.5, play: coin, arm: false}\n"+
		"  - {cue: 3, play: coin, then: follow}\n  - {cue: 4, play: coin}\n  - {cue: 5, start: timeline}\ncues: []\n").List
	if a, b, c := l.Standby(0), l.Standby(2), l.Standby(6); a != 1 || b != 3 || c != 6 {
		t.Errorf("on standby are %d, %d and %d", a, b, c)
	}
	if got := l.Chain(1); !slices.Equal(got, []int{1, 3, 4}) {
		t.Errorf("one GO starts %v", got)
	}
	if got := l.Chain(6); got != nil {
		t.Errorf("after the end one GO starts %v", got)
	}
	if got := l.GoCount(); got != 2 {
		t.Errorf("the list needs %d GOs", got)
	}
	if got := l.Numbers(); got["2.5"] != 2 || got["5"] != 5 || len(got) != 6 {
		t.Errorf("the numbers are %v", got)
	}
	if !l.StartsTimeline() || l[:5].StartsTimeline() {
		t.Error("the last cue starts the timeline, and only that one")
	}
}
