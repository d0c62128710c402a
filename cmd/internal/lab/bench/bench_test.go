package bench

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// BenchmarkMix measures the cases of the command.
func BenchmarkMix(b *testing.B) {
	for _, bc := range cases {
		sounds, err := noises(16, bc.channels, bc.compact)
		if err != nil {
			b.Fatal(err)
		}
		for _, n := range []int{32, 256, 1024, 4096} {
			b.Run(fmt.Sprintf("%s/%d", bc.name, n), func(b *testing.B) {
				m, move, err := bc.stage(sounds, n)
				if err != nil {
					b.Fatal(err)
				}
				m.Prepare()
				block := make([]pcm.Frame, Block)
				for range 3 {
					m.Render(block)
				}
				number := 0
				for b.Loop() {
					move(number)
					m.Render(block)
					number++
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/Block/float64(n), "ns/voice-frame")
			})
		}
	}
}

// TestBenchMoves checks that the moving cases change the sound in each block.
func TestBenchMoves(t *testing.T) {
	sounds, err := noises(16, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	const blocks = 20
	render := func(motion motionKind, moves bool) []pcm.Frame {
		m, move, err := mixCase{channels: 1, speed: 1, motion: motion}.stage(sounds, 4)
		if err != nil {
			t.Fatal(err)
		}
		out := make([]pcm.Frame, blocks*Block)
		for number := range blocks {
			if moves {
				move(number)
			}
			m.Render(out[number*Block:][:Block])
		}
		return out
	}
	for name, pair := range map[string][2][]pcm.Frame{
		"gains":  {render(atRest, true), render(movingGains, true)},
		"places": {render(movingPositions, false), render(movingPositions, true)},
	} {
		for number := 1; number < blocks; number++ { // the first block is silent, because the limiter looks ahead
			at := number * Block
			if slices.Equal(pair[0][at:][:Block], pair[1][at:][:Block]) {
				t.Errorf("%s: nothing moves in block %d", name, number)
			}
		}
	}
}

// TestApart checks the copy case: it copies as much as the pitched voices read, from inside the
// sounds.
func TestApart(t *testing.T) {
	if !longtest.Enabled() {
		t.Skip("it takes half a gigabyte")
	}
	rows, err := separateSounds(func(name string) bool { return name == copySeparate }, func(string, ...any) {})
	if err != nil || len(rows) != 1 || rows[0].Case != copySeparate || len(rows[0].Samples) != Runs || !(*rows[0].NsPerVoiceFrame > 0.001) {
		t.Errorf("%+v, %v", rows, err)
	}
	if rows, err = separateSounds(func(string) bool { return false }, nil); rows != nil || err != nil {
		t.Errorf("nothing that is asked for has the rows %v, %v", rows, err)
	}
}

// TestBench measures a little, and checks that the figures are possible.
func TestBench(t *testing.T) {
	var names []string
	for _, c := range cases {
		names = append(names, c.name)
	}
	if got := strings.Join(names, " "); got != "mono mono-linear mono-cubic mono-best stereo stereo-linear stereo-cubic stereo-best mono-16bit mono-linear-16bit mono-cubic-16bit stereo-16bit mono-gains-move mono-places-move mono-lowpass mono-send" {
		t.Errorf("the cases are %s", got)
	}
	sounds, err := noises(16, 2, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, least := range []bool{false, true} {
		ns, _, err := cases[7].measure(sounds, 32, 0, least)
		if err != nil || !(ns > 0.01) || ns > 10000 {
			t.Errorf("%v ns, %v", ns, err)
		}
	}
	rows, err := measureCalls(sounds, 32)
	if err != nil || len(rows) != 4 {
		t.Fatalf("%v, %v", rows, err)
	}
	for i, name := range []string{"play", "start-steal", "start-steal-unheard", "stop"} {
		if r := rows[i]; r.Case != name || r.Voices != 32 || r.Ns == nil || *r.Ns <= 0 || r.NsPerVoiceFrame != nil {
			t.Errorf("row %d is %+v", i, r)
		}
	}
	text, err := json.Marshal(rows[0])
	if err != nil || strings.Contains(string(text), "ns_per_voice_frame") || !strings.Contains(string(text), `"ns":`) {
		t.Errorf("%s, %v", text, err)
	}
	if got := Median([]float64{7, 1, 3, 2}); got != 2.5 {
		t.Errorf("the median is %v, want 2.5", got)
	}
}
