package play_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/pcm"
)

// TestListFrames checks the frames of all events of a list, for different block lengths.
func TestListFrames(t *testing.T) {
	f := newFolder(t)
	for name, c := range map[string]struct {
		sheet string
		wants string
	}{
		"two GOs": {
			sheet: "list: [{cue: 1, play: half.wav}, {cue: 2, play: short.wav}]\ngoes: [10ms, 50ms]",
			wants: "10 started half.wav/0, 50 started short.wav/1, 70 ended short.wav/1, 110 ended half.wav/0",
		},
		"what no GO reaches does nothing": {
			sheet: "list: [{cue: 1, play: half.wav}, {cue: 2, play: short.wav}]\ngoes: [10ms]",
			wants: "10 started half.wav/0, 110 ended half.wav/0",
		},
		"a chain of 300 ms and 100 ms starts at 0, 300 and 400 ms": {
			sheet: "list: [{cue: 1, play: short.wav, then: continue, wait: 300ms}, {cue: 2, play: short.wav, then: continue, wait: 100ms}, " +
				"{cue: 3, play: short.wav}, {cue: 4, play: half.wav}]\ngoes: [0, 350ms]",
			wants: "0 started short.wav/0, 20 ended short.wav/0, 300 started short.wav/1, 320 ended short.wav/1, " +
				"350 started half.wav/3, 400 started short.wav/2, 420 ended short.wav/2, 450 ended half.wav/3",
		},
		"the wait begins when pre is over": {
			sheet: "list: [{cue: 1, pre: 5ms, play: short.wav, then: continue, wait: 7ms}, {cue: 2, pre: 2ms, play: short.wav}]\ngoes: [100ms]",
			wants: "105 started short.wav/0, 114 started short.wav/1, 125 ended short.wav/0, 134 ended short.wav/1",
		},
		"follow": {
			sheet: "list: [{cue: 1, play: half.wav, then: follow}, {cue: 2, play: short.wav, then: follow}, {cue: 3, pre: 3ms, play: short.wav}]\ngoes: [10ms]",
			wants: "10 started half.wav/0, 110 ended half.wav/0, 110 started short.wav/1, 130 ended short.wav/1, " +
				"133 started short.wav/2, 153 ended short.wav/2",
		},
		"follow the last of several": {
			sheet: "list: [{cue: 1, do: [{play: half.wav}, {at: 95ms, play: short.wav, every: 30ms, times: 2}], then: follow}, {cue: 2, play: short.wav}]\ngoes: [0]",
			wants: "0 started half.wav/0, 95 started short.wav/1, 100 ended half.wav/0, 115 ended short.wav/1, " +
				"125 started short.wav/1, 145 ended short.wav/1, 145 started short.wav/2, 165 ended short.wav/2",
		},
		"follow a steal": {
			sheet: "voices: 1\ncues: [{at: 33ms, play: short.wav}]\nlist: [{cue: 1, play: quiet.wav, then: follow}, {cue: 2, play: short.wav, priority: 1}]\ngoes: [0]",
			wants: "0 started quiet.wav/1, 33 stolen quiet.wav/1, 33 started short.wav/0, 33 stolen short.wav/0, " +
				"33 started short.wav/2, 53 ended short.wav/2",
		},
		"follow a fade": {
			sheet: "cues: [{at: 33ms, stop: a, over: 11ms}]\nlist: [{cue: 1, play: half.wav, id: a, then: follow}, {cue: 2, play: short.wav}]\ngoes: [0]",
			wants: "0 started half.wav/1, 44 stopped half.wav/1, 44 started short.wav/2, 64 ended short.wav/2",
		},
		"follow what is refused at once": {
			sheet: "voices: 1\noverflow: reject\ncues: [{at: 0, play: half.wav}]\nlist: [{cue: 1, play: short.wav, then: follow}, {cue: 2, stop: all}]\ngoes: [7ms]",
			wants: "0 started half.wav/0, 7 rejected short.wav/1, 7 stopped half.wav/0",
		},
		"follow what plays nothing at once": {
			sheet: "list: [{cue: 1, stop: all, then: follow}, {cue: 2, play: short.wav}]\ngoes: [7ms]",
			wants: "7 started short.wav/1, 27 ended short.wav/1",
		},
		"follow a for, a pause and a pitch": {
			sheet: "cues: [{at: 20ms, pause: a}, {at: 60ms, resume: a}]\nlist: [{cue: 1, play: half.wav, id: a, for: 50ms, then: follow}, " +
				"{cue: 2, play: half.wav, speed: 2, then: follow}, {cue: 3, play: short.wav}]\ngoes: [0]",
			wants: "0 started half.wav/2, 90 ended half.wav/2, 90 started half.wav/3, 140 ended half.wav/3, 140 started short.wav/4, 160 ended short.wav/4",
		},
		"end of an id": {
			sheet: "list: [{cue: 1, play: half.wav, loop: true, id: house}, {cue: 2, do: [{at: 9ms, play: short.wav, id: s, every: 40ms, times: 2}, " +
				"{at: end of s, stop: house, over: 10ms}]}]\ngoes: [0, 10ms]",
			wants: "0 started half.wav/0, 19 started short.wav/1, 39 ended short.wav/1, 59 started short.wav/1, 79 ended short.wav/1, 89 stopped half.wav/0",
		},
		"the end of what is released": {
			sheet: "list: [{cue: 1, do: [{play: short.wav, loop: true, id: v}, {at: end of v, play: half.wav}]}, {cue: 2, release: v}]\ngoes: [0, 65ms]",
			wants: "0 started short.wav/0, 80 ended short.wav/0, 80 started half.wav/1, 180 ended half.wav/1",
		},
		"the timeline starts with a cue": {
			sheet: "list: [{cue: 1, play: short.wav, then: follow}, {cue: 2, start: timeline}]\ncues: [{at: 5ms, play: short.wav}]\ngoes: [10ms]",
			wants: "10 started short.wav/1, 30 ended short.wav/1, 35 started short.wav/0, 55 ended short.wav/0",
		},
		"a cue that is not armed": {
			sheet: "list: [{cue: 1, play: short.wav, then: continue, wait: 5ms}, {cue: 2, play: half.wav, arm: false}, {cue: 3, play: short.wav}]\ngoes: [0]",
			wants: "0 started short.wav/0, 5 started short.wav/2, 20 ended short.wav/0, 25 ended short.wav/2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var want []pcm.Frame
			for _, block := range []int{512, 1, 7, 64} {
				p := f.player(c.sheet, play.Options{Events: true})
				out := readAll(t, p, block)
				r := p.Report()
				f.identities(r)
				if got := events(r); got != c.wants {
					t.Fatalf("blocks of %d:\ngot  %s\nwant %s", block, got, c.wants)
				}
				if want == nil {
					want = out
				}
				if !slices.Equal(out, want) {
					t.Errorf("blocks of %d give other frames", block)
				}
			}
		})
	}
}

// TestFollowOracle compares a chain of follow-ons with a timed sheet, bit for bit. Each time is the frame of
// the end of the predecessor in a mix of the earlier cues.
func TestFollowOracle(t *testing.T) {
	f := newFolder(t)
	head, timeline, _ := strings.Cut(strings.TrimSuffix(busySheet, "  - {at: 600ms, stop: m, over: 20ms}\n  - {at: 3s, stop: m}\n"), "cues:")
	// The shuffle differs from the timeline's, because a list chooses files independently.
	shuffled := "  l: {files: [half.wav, quiet.wav, short.wav], pick: shuffle, gain: [-9, 3], pitch: [-2, 2], bus: sfx, limit: 3, cooldown: 8ms}\n"
	head = strings.Replace(head, "sounds:\n", "sounds:\n"+shuffled, 1)
	timeline = "cues:" + timeline + "  - {at: 2s, stop: m}\n"
	before := strings.Count(timeline, "\n  - ")
	for seed := range rounds(5, 12) {
		draw := rand.New(rand.NewPCG(seed, 1))
		var plays []string
		for range 6 {
			play := fmt.Sprintf("play: %s", []string{"half.wav", "quiet.wav", "short.wav", "l"}[draw.IntN(4)])
			play += fmt.Sprintf(", gain: %d, speed: %.2f, priority: %d", -draw.IntN(12), 0.5+draw.Float64(), draw.IntN(3)-1)
			if draw.IntN(2) == 0 {
				play += fmt.Sprintf(", every: %dms, times: %d", 1+draw.IntN(40), 1+draw.IntN(4))
			}
			plays = append(plays, play)
		}
		first := draw.IntN(50)
		list := "list:\n"
		for i, play := range plays {
			list += fmt.Sprintf("  - {cue: %d, %s, then: %s}\n", i, play, map[bool]string{true: "follow", false: "wait"}[i < len(plays)-1])
		}
		p := f.player(fmt.Sprintf("%s%s%sgoes: [%dms]\n", head, timeline, list, first), play.Options{Events: true})
		got := readAll(t, p, 1+draw.IntN(300))
		r := p.Report()

		at, slow := int64(first), timeline
		var want []pcm.Frame
		var told *report.Report
		for i, play := range plays {
			slow += fmt.Sprintf("  - {at: %dms, %s}\n", at, play)
			want, told = f.play(head + slow)
			for _, e := range told.Events {
				if e.Cue == before+i && e.Kind.String() != "started" && e.Kind.String() != "coalesced" {
					at = e.Frame
				}
			}
		}
		if events(r) != events(told) {
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, events(r), events(told))
		}
		if !slices.Equal(got, want) {
			t.Errorf("seed %d: other frames than by time", seed)
		}
	}
}
