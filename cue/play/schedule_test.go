package play_test

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"voicepool/cue"
	"voicepool/cue/play"
)

// actions lists all actions of a sheet.
func actions(s *cue.Sheet) []play.Action {
	var out []play.Action
	sc := play.NewSchedule(s, s.Rate, s.Seed)
	for {
		frame, ok := sc.Peek()
		a, more := sc.Next()
		if ok != more || ok && frame != a.Frame {
			panic(fmt.Sprint("Peek said ", frame, ok, ", Next ", a, more))
		}
		if !more {
			return out
		}
		out = append(out, a)
	}
}

// TestScheduleOrder checks that actions are ordered by frame and then by cue.
func TestScheduleOrder(t *testing.T) {
	s := parse(t, `
rate: 1000
cues:
  - {at: 2s, play: coin}
  - {at: 1s, play: coin, every: 500ms, times: 3}
  - {at: 1s, play: coin}
  - {at: 0s, play: coin, every: 1s, until: 2s}
  - {at: 1.9996s, play: coin}
`)
	var got []string
	for _, a := range actions(s) {
		got = append(got, fmt.Sprint(a.Frame, "/", a.Cue, "/", a.Repetition))
	}
	const want = "0/3/0 1000/1/0 1000/2/0 1000/3/1 1500/1/1 2000/0/0 2000/1/2 2000/4/0"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

// TestRhythmDoesNotDrift checks that each repetition is rounded separately.
func TestRhythmDoesNotDrift(t *testing.T) {
	s := parse(t, "rate: 1000\ncues: [{at: 0.1ms, play: coin, every: 0.333333333333s, times: 3001}]")
	all := actions(s)
	if got := all[3000].Frame; got != 1000000 {
		t.Errorf("the last of 3001 is at frame %d, want 1000000", got)
	}
}

// TestUntilIsExclusive checks that a repetition at the time `until` does not act, and that the lesser of `times` and
// `until` counts.
func TestUntilIsExclusive(t *testing.T) {
	for until, want := range map[string]int{"3s": 3, "3.000000000000000001s": 4, "2.999s": 3, "1ns": 1} {
		s := parse(t, "cues: [{at: 0, play: coin, every: 1s, until: "+until+"}]")
		if got := len(actions(s)); got != want {
			t.Errorf("until %s there are %d repetitions, want %d", until, got, want)
		}
	}
	s := parse(t, "cues: [{at: 0, play: coin, every: 1s, until: 100s, times: 5}, {at: 0, play: coin, every: 1s, until: 2s, times: 5}]")
	if got := len(actions(s)); got != 7 {
		t.Errorf("the lesser of times and until counts: %d starts, want 7", got)
	}
}

// TestScheduleIsLazy checks that a billion repetitions take no memory.
func TestScheduleIsLazy(t *testing.T) {
	s := parse(t, "cues: [{at: 0, play: coin, every: 1ms, times: 1000000000}]")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	sc := play.NewSchedule(s, s.Rate, s.Seed)
	for range 100000 {
		sc.Next()
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<16 { // a byte per repetition would exceed it
		t.Errorf("100,000 of them took %d bytes", got)
	}
	if got, want := sc.Plays(), uint64(1000000000-100000); got != want {
		t.Errorf("%d starts are left, want %d", got, want)
	}
}

// TestScheduleAgainstSorting compares the heap with a sorted list.
func TestScheduleAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString("rate: 1000\ncues:\n")
		type line struct{ frame, cue, repetition int }
		var want []line
		for i := range rapid.IntRange(0, 12).Draw(t, "cues") {
			at, every, times := rapid.IntRange(0, 50).Draw(t, "at"), rapid.IntRange(1, 9).Draw(t, "every"), rapid.IntRange(1, 9).Draw(t, "times")
			fmt.Fprintf(&b, "- {at: %dms, play: coin, every: %dms, times: %d}\n", at, every, times)
			for k := range times {
				want = append(want, line{at + k*every, i, k})
			}
		}
		slices.SortFunc(want, func(a, b line) int {
			return cmp.Or(cmp.Compare(a.frame, b.frame), cmp.Compare(a.cue, b.cue), cmp.Compare(a.repetition, b.repetition))
		})
		if len(want) == 0 {
			return
		}
		s, err := cue.Parse("s", []byte(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		got := actions(s)
		if len(got) != len(want) {
			t.Fatalf("%d actions, want %d", len(got), len(want))
		}
		for i, a := range got {
			if (line{int(a.Frame), a.Cue, int(a.Repetition)}) != want[i] {
				t.Fatalf("action %d is %+v, want %+v", i, a, want[i])
			}
		}
	})
}

const chanceSheet = `
seed: %d
sounds:
  shuffled: {files: [a.wav, b.wav, c.wav], pick: shuffle}
  round: {files: [a.wav, b.wav, c.wav], pick: round}
  random: {files: [a.wav, b.wav, c.wav], gain: [-6, -3], pitch: [-1, 1]}
  pair: {files: [a.wav, b.wav], pick: shuffle}
cues:
  - {at: 0, play: shuffled, every: 1, times: 3000}
  - {at: 0, play: round, every: 1, times: 3000}
  - {at: 0, play: random, every: 1, times: 3000}
  - {at: 0.5, play: random, every: 1, times: 3000}
  - {at: 0, play: pair, every: 1, times: 3000}
`

// TestChance checks the distribution of the random choices of files, gains and pitches.
func TestChance(t *testing.T) {
	byCue := make([][]play.Action, 5)
	for _, a := range actions(parse(t, fmt.Sprintf(chanceSheet, 5))) {
		byCue[a.Cue] = append(byCue[a.Cue], a)
	}
	for i, a := range byCue[1] {
		if a.File != i%3 {
			t.Fatalf("round: start %d takes file %d", i, a.File)
		}
	}
	for cueIndex, n := range map[int]int{0: 3, 4: 2} {
		orders := map[string]int{}
		for i := 0; i < 3000; i += n {
			seen, order := map[int]bool{}, ""
			for _, a := range byCue[cueIndex][i : i+n] {
				seen[a.File] = true
				order += fmt.Sprint(a.File)
			}
			orders[order]++
			if len(seen) != n {
				t.Fatalf("shuffle: the cycle at %d is %s", i, order)
			}
		}
		for i, a := range byCue[cueIndex][1:] {
			if a.File == byCue[cueIndex][i].File {
				t.Fatalf("shuffle: starts %d and %d both take file %d", i, i+1, a.File)
			}
		}
		if n == 3 && len(orders) != 6 {
			t.Errorf("shuffle: only the orders %v came", orders)
		}
	}
	var files [3]int
	var least, most, sum float64 = 0, -10, 0
	for _, a := range byCue[2] {
		files[a.File]++
		g := float64(a.Gain)
		least, most, sum = min(least, g), max(most, g), sum+g
		if a.Pitch < -1 || a.Pitch > 1 {
			t.Fatalf("a pitch of %v", a.Pitch)
		}
	}
	for i, n := range files {
		if n < 900 || n > 1100 {
			t.Errorf("random: file %d was taken %d times of 3000", i, n)
		}
	}
	if least < -6 || least > -5.98 || most > -3 || most < -3.02 || sum/3000 < -4.55 || sum/3000 > -4.45 {
		t.Errorf("gains lie in %v..%v, their mean is %v", least, most, sum/3000)
	}
	for i, a := range byCue[2] {
		if b := byCue[3][i]; a.Gain == b.Gain || a.Pitch == b.Pitch {
			t.Fatalf("two cues draw the same at repetition %d", i)
		}
	}
}

// TestChanceSameBits compares random choices with fixed values, to prove that all machines of the CI agree.
func TestChanceSameBits(t *testing.T) {
	for seed, want := range map[int]string{1: "68e1a4b09aad3cd9", 2: "6187fda2b1344164"} {
		h := fnv.New64a()
		for _, a := range actions(parse(t, fmt.Sprintf(chanceSheet, seed))) {
			fmt.Fprintf(h, "%d %d %d %d %b %b\n", a.Frame, a.Cue, a.Repetition, a.File, float64(a.Gain), float64(a.Pitch))
		}
		if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
			t.Errorf("with seed %d the draws hash to %s, want %s", seed, got, want)
		}
	}
}
