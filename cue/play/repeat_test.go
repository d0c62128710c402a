package play_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/play"
)

// TestRepeat compares a repeating sheet with a sheet that contains all rounds, in a render and in real time,
// from the beginning and from other places.
func TestRepeat(t *testing.T) {
	f := newFolder(t)
	for seed := range rounds(12, 40) {
		draw := rand.New(rand.NewPCG(seed, 8))
		const rounds, last = 5, 2300
		period := 300 + draw.IntN(300)
		head := "voices: 6\nsounds: {s: {files: [half.wav, quiet.wav, short.wav], pick: round}}\n"
		sheet, long := head+fmt.Sprintf("length: %dms\nrepeat: true\ncues:\n", period), head+fmt.Sprintf("length: %dms\ncues:\n", last)
		var cues []string
		for range 1 + draw.IntN(6) {
			line := []string{"play: s, id: x", "play: half.wav, id: x, speed: 0.7", "fade: x, to: -9, over: 40ms", "stop: x, over: 30ms", "play: quiet.wav, loop: true, for: 250ms, id: y"}[draw.IntN(5)]
			if draw.IntN(2) == 0 {
				line += fmt.Sprintf(", every: %dms, times: %d", 1+draw.IntN(100), 1+draw.IntN(4))
			}
			cues = append(cues, line)
		}
		cues = append(cues, "play: half.wav, id: x", "play: half.wav, id: y", "play: short.wav, every: 130ms, times: 90")
		at := make([]int, len(cues))
		for i := range at {
			at[i] = draw.IntN(period)
			sheet += fmt.Sprintf("  - {at: %dms, %s}\n", at[i], cues[i])
		}
		for k := range 2 * rounds {
			for i, line := range cues {
				if head, rest, found := strings.Cut(line, ", every: "); found { // repetitions after the length are dropped
					var every, times int
					fmt.Sscanf(rest, "%dms, times: %d", &every, &times)
					line = fmt.Sprintf("%s, every: %dms, times: %d", head, every, min(times, (period-at[i]-1)/every+1))
				}
				long += fmt.Sprintf("  - {at: %dms, %s}\n", at[i]+k*period, line)
			}
		}
		read := func() *cue.Sheet {
			s := f.sheet(rate, sheet)
			end := rules.FrameTime(last, rate)
			s.Length = &end
			return s
		}
		// For two cues at one frame, the order of an earlier and a later round differs between the two
		// sheets.
		if clash(at, cues, period) {
			continue
		}
		want, _ := f.play(long)
		got := readAll(t, f.playerOf(read(), play.Options{}), 1+draw.IntN(300))
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: other frames than written out\n%s", seed, sheet)
		}
		from := draw.IntN(len(want))
		if got := readAll(t, f.playerOf(read(), play.Options{From: rules.FrameTime(int64(from), rate)}), 77); !slices.Equal(got, want[from:]) {
			t.Errorf("seed %d: from %d it is not the end of the whole", seed, from)
		}
		p := f.playerOf(read(), play.Options{Block: 20})
		live, latency := playLive(t, p, 20, func(int) {}), int(p.Mixer().LatencyFrames())
		if !slices.Equal(live[latency:latency+len(want)], want) {
			t.Errorf("seed %d: on a device it sounds otherwise", seed)
		}
	}
}

// clash reports whether cues of two rounds may act at one frame.
func clash(at []int, cues []string, period int) bool {
	seen := map[int]bool{}
	for i, a := range at {
		every, times := 0, 1
		if _, rest, found := strings.Cut(cues[i], "every: "); found {
			fmt.Sscanf(rest, "%dms, times: %d", &every, &times)
			times = min(times, (period-a-1)/every+1)
		}
		for k := range times {
			place := a + k*every
			if place >= period || seen[place] {
				return true
			}
			seen[place] = true
		}
	}
	return false
}

// TestRepeatDraws checks that each round has its own random choices, which are reproducible.
func TestRepeatDraws(t *testing.T) {
	f := newFolder(t)
	s := f.sheet(rate, "length: 1s\nrepeat: true\nseed: 4\ncues:\n  - {at: 0, play: short.wav, every: [40ms, 200ms], until: 900ms, chance: 0.5}\n")
	schedule := play.NewSchedule(s, rate, s.Seed)
	var rounds [20]string
	for {
		a, more := schedule.Next()
		if !more {
			t.Fatal("it ends")
		}
		k := int(a.Frame / rate)
		if k >= len(rounds) {
			break
		}
		rounds[k] += fmt.Sprintf("%d %v,", a.Frame%rate, a.Skipped)
	}
	different := map[string]bool{}
	for _, round := range rounds {
		different[round] = true
	}
	if len(different) != len(rounds) {
		t.Errorf("only %d of %d rounds are different", len(different), len(rounds))
	}
}
