package runsheet_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/runsheet"
)

// rate is the sample rate of the test sheets: a frame is a millisecond.
const rate = 1000

// sheet parses a sheet with the sounds a, b and c; c has the layers a and b.
func sheet(t *testing.T, text string) *cue.Sheet {
	t.Helper()
	s, err := cue.Parse("sheet.yaml", fmt.Appendf(nil, "rate: %d\nsounds: {a: click, b: click, c: {layers: [a, {sound: b, delay: 5ms}]}}\n%s", rate, text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// at returns the time of a frame.
func at(frame int64) rules.Time { return rules.FrameTime(frame, rate) }

// describe lists the active cues of s: first frame, verb, target or sound, and a mark for waiting ones.
func describe(s *runsheet.Sheet) string {
	var all []string
	for _, c := range s.Active() {
		name := c.Target().Name
		if c.Play != nil {
			name = s.Sounds[c.Sound].Name
		}
		one := fmt.Sprintf("%d %v %s", c.Frame(0, rate), c.Action.Verb(), name)
		if c.State == runsheet.Waiting {
			one += " waits"
		}
		all = append(all, one)
	}
	return strings.Join(all, ", ")
}

const list = `
cues: [{at: 7ms, play: a, id: x}]
list:
  - {cue: 1, play: c, id: y, owner: me, then: continue, wait: 20ms}
  - {cue: 2, pre: 3ms, do: [{at: 4ms, stop: y, over: 50ms}, {at: end of y, play: b, id: x}], then: follow}
  - {cue: 3, play: a, loop: true}
  - {cue: 4, start: timeline}
  - {cue: 5, arm: false, play: b}
`

// TestLaunches checks the times of the actions that GOs start, and that the sheet of the file does not change.
func TestLaunches(t *testing.T) {
	file := sheet(t, list+"goes: [100ms, 200ms]\n")
	before := slices.Clone(file.Cues)
	s := runsheet.New(file)
	if got := describe(s); got != "" {
		t.Errorf("before the first GO, %s", got)
	}
	if next := s.AddGo(0, at(100), rules.Time{}); next != 3 || len(s.Launches) != 3 {
		t.Errorf("the next cue is %d after %d launches", next, len(s.Launches))
	}
	const first = "100 play c, 127 stop y, 123 play b waits, 123 play a waits"
	if got := describe(s); got != first || !s.HasFollowOns() {
		t.Errorf("after a GO got %s, want %s", got, first)
	}
	if l := s.Launches[2]; l.Predecessor != 1 || l.List != 2 || l.Count != 1 {
		t.Errorf("the last launch is %+v", l)
	}
	if got, want := describe(runsheet.Scheduled(file)), first+", 207 play a"; got != want {
		t.Errorf("after all GOs got %s, want %s", got, want)
	}
	if last := len(s.Cues) - 1; s.FilePosition(last) != 4 || s.FilePosition(2) != 2 || s.FilePosition(-1) != -1 || s.CueLabel(last).ListCue != "3" {
		t.Errorf("the last cue is a copy of %d, %+v", s.FilePosition(last), s.CueLabel(last))
	}
	s.Trim(0, len(s.Cues), -3)
	if p := file.Cues[1].Action.(*cue.Play); !reflect.DeepEqual(file.Cues, before) || p.Gain != 0 || p.Layers[0].Gain != 0 {
		t.Error("the sheet of the file has changed")
	}
}

// TestNumbers checks the numbers of ids and owners, also of targets, layers and waits.
func TestNumbers(t *testing.T) {
	file := sheet(t, list)
	ids, owners := runsheet.Numbers(file)
	if !reflect.DeepEqual(ids, map[string]uint64{"x": 1, "y": 2}) || !reflect.DeepEqual(owners, map[string]uint64{"me": 1}) {
		t.Fatal(ids, owners)
	}
	s := runsheet.New(file)
	if c := &s.Cues[1]; c.Tag != 2 || c.OwnerNumber != 1 || len(c.Layers) != 2 || c.Layers[1].Tag != 2 || c.Layers[1].Delay.Frames(rate) != 5 {
		t.Errorf("the start of y is %+v", c)
	}
	if stop, waits := &s.Cues[2], &s.Cues[3]; stop.Tag != 2 || waits.Tag != 1 || waits.AwaitedTag != 2 {
		t.Errorf("tags %d, %d, %d", stop.Tag, waits.Tag, waits.AwaitedTag)
	}
}

// TestSkipInto checks a GO that begins in the middle of its cue.
func TestSkipInto(t *testing.T) {
	file := sheet(t, `list:
  - cue: 1
    do:
      - {play: a, for: 30ms}
      - {play: b, every: 10ms, times: 4, id: x}
      - {at: 5ms, fade: x, to: -6, over: 100ms}
      - {at: 50ms, stop: x}
`)
	s := runsheet.New(file)
	s.AddGo(0, at(1000), at(35))
	if got, want := describe(s), "1000 play b, 1000 play b, 1000 play b, 1000 play b, 1000 fade x, 1015 stop x"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	last := len(s.Cues) - 1
	if over, from := s.Cues[last-1].Over().Frames(rate), s.Cues[last-2].Play.From.Frames(rate); over != 70 || from != 5 || !s.Cues[last-2].MidSound {
		t.Errorf("the fade takes %d, the last start begins at %d", over, from)
	}
	if file.Cues[1].Times != 4 || file.Cues[2].Over().Frames(rate) != 100 {
		t.Error("the sheet of the file has changed")
	}
}

// TestFinished checks the lasting results of list cues.
func TestFinished(t *testing.T) {
	s := runsheet.New(sheet(t, `list:
  - {cue: 1, play: a, id: x}
  - {cue: 2, play: b, loop: true, id: y, fade_in: 1s}
  - {cue: 3, pre: 1s, fade: y, to: -6, over: 2s}
  - {cue: 4, release: y}
`))
	for i, want := range []bool{false, true, true, true} {
		if got := s.AddFinished(i); got != want {
			t.Errorf("cue %d has a lasting result: %v", i+1, got)
		}
	}
	if got, want := describe(s), "0 play b, 0 fade y, 0 stop y"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, c := range s.Active() {
		stop, stops := c.Action.(*cue.Stop)
		if !c.Over().IsZero() || c.Play != nil && !c.Play.FadeIn.IsZero() || stops && !stop.Cut {
			t.Errorf("%v takes %v", c.Action.Verb(), c.Over())
		}
	}
}

// TestReplace checks the indexes and numbers after the sheet was replaced by another.
func TestReplace(t *testing.T) {
	s := runsheet.New(sheet(t, list))
	s.AddGo(0, at(100), rules.Time{})
	sounds, cues := len(s.Sounds), len(s.Cues)
	next := sheet(t, `list:
  - {cue: 3, play: b, id: z}
  - {cue: 1, play: a, id: y}
`)
	first, newIndex := s.Replace(next, map[string]uint64{"y": 2, "z": 3}, nil)
	if first != cues || len(s.Cues) != cues+2 || newIndex(0) != 1 || newIndex(1) != -1 || newIndex(2) != 0 || newIndex(-1) != -1 {
		t.Fatalf("the new cues begin at %d, of %d", first, len(s.Cues))
	}
	if s.Launches[0].List != 1 || s.Launches[1].List != -1 || s.Launches[2].List != 0 {
		t.Errorf("launches %+v", s.Launches)
	}
	s.AddGo(0, at(500), rules.Time{})
	if c := &s.Cues[len(s.Cues)-1]; c.Sound != sounds+1 || c.Tag != 3 || c.Firing != 1 || c.Frame(0, rate) != 500 {
		t.Errorf("the start is %+v", c)
	}
	i := s.AddByHand(&cue.Cue{Action: &cue.Play{Sound: 1}, Times: 1}, at(700), nil, nil, sounds)
	if c := &s.Cues[i]; s.FilePosition(i) != -1 || c.Sound != sounds+1 || c.Frame(0, rate) != 700 {
		t.Errorf("the start by hand is %+v", c)
	}
}

// TestGoesByMixerClock checks the times of GOs around pauses.
func TestGoesByMixerClock(t *testing.T) {
	goes := []cue.Go{{At: at(50)}, {At: at(100), Action: cue.ActionPause}, {At: at(105)}, {At: at(150)}, {At: at(200), Action: cue.ActionResume}, {At: at(300)}}
	var got []int64
	for _, g := range runsheet.GoesByMixerClock(goes, rate) {
		got = append(got, g.At.Frames(rate))
	}
	// The mixer stops 10 ms after the pause begins.
	if want := []int64{50, 100, 105, 110, 110, 210}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if same := runsheet.GoesByMixerClock(goes[:1], rate); &same[0] != &goes[0] {
		t.Error("GOs without a pause are copied")
	}
}
