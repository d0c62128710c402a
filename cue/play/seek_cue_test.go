package play_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"voicepool/cue"
	"voicepool/cue/play"
)

// TestWithin checks that a GO with an offset gives the same frames as the cue at that offset after its GO,
// except for the 5 ms in which sounds fade in.
func TestWithin(t *testing.T) {
	f := newFolder(t)
	for seed := range rounds(36, 120) {
		draw := rand.New(rand.NewPCG(seed, 3))
		var do []string
		for range 1 + draw.IntN(5) {
			play := fmt.Sprintf("{at: %dms, play: %s, gain: -%d", draw.IntN(200), []string{"half.wav", "quiet.wav", "short.wav", "l"}[draw.IntN(4)], draw.IntN(9))
			switch draw.IntN(6) {
			case 0:
				play += fmt.Sprintf(", loop: %d", 1+draw.IntN(6))
			case 1:
				play += fmt.Sprintf(", loop: true, for: %dms", 1+draw.IntN(900))
			case 2:
				play += fmt.Sprintf(", every: %dms, times: %d", 1+draw.IntN(90), 1+draw.IntN(7))
			case 3:
				play += fmt.Sprintf(", speed: %d", 1+draw.IntN(2))
			case 4:
				play += fmt.Sprintf(", loop: true, for: 700ms, from: %dms", draw.IntN(50))
			}
			do = append(do, play+"}")
		}
		list := "voices: 64\nsounds: {h: {file: half.wav}, s: {file: short.wav}, l: {layers: [h, {sound: s, delay: 90ms}]}}\nlist:\n" +
			fmt.Sprintf("  - {cue: 1, pre: %dms, then: continue, wait: %dms, do: [%s]}\n", draw.IntN(2)*30, draw.IntN(300), strings.Join(do, ", ")) +
			"  - {cue: 2, do: [{play: half.wav, loop: 4}, {at: 80ms, play: quiet.wav}]}\n"
		from := 64 * draw.IntN(8) // the grid of fades
		read := func(goes string) *cue.Sheet {
			s := f.sheet(rate, list)
			if err := s.ReadGoes("goes", []byte(goes)); err != nil {
				t.Fatal(err)
			}
			return s
		}
		want := readAll(t, f.playerOf(read("0 1"), play.Options{}), 64)
		got := readAll(t, f.playerOf(read(fmt.Sprintf("0 1 from %dms", from)), play.Options{}), 64)
		differ := -1
		for i := from + 25; i < len(want) || i-from < len(got); i++ { // plus the tails of earlier sounds
			a, b := float32(0), float32(0)
			if i < len(want) {
				a = want[i][0]
			}
			if i-from < len(got) {
				b = got[i-from][0]
			}
			if d := a - b; d > 1e-6 || d < -1e-6 {
				differ = i
				break
			}
		}
		if differ >= 0 {
			t.Fatalf("seed %d, from %d ms: frame %d of the whole differs: %v, want %v\n%s", seed, from, differ, got[differ-from], want[differ], list)
		}
	}
}

// TestWithinLive compares a live GO with an offset with a render of its recording.
func TestWithinLive(t *testing.T) {
	f := newFolder(t)
	const list = "list: [{cue: 1, play: half.wav, loop: 9, then: follow}, {cue: 2, do: [{play: half.wav, id: a, fade_in: 300ms, every: 70ms, times: 5}, {at: end of a, play: short.wav}]}]"
	p := f.player(list, play.Options{Live: true, Block: 20})
	steps := 0
	got := playLive(t, p, 20, func(int) {
		switch steps++; steps {
		case 5:
			_ = p.FireFrom(0, 450*time.Millisecond)
		case 9:
			_ = p.FireFrom(1, 120*time.Millisecond)
		case 100:
			p.Finish()
		}
	})
	var goes strings.Builder
	s := f.sheet(rate, list)
	if err := s.WriteGoes(&goes, p.Goes()); err != nil || !strings.Contains(goes.String(), " 1 from 0.45s\n") {
		t.Fatal(err, goes.String())
	}
	if err := s.ReadGoes("goes", []byte(goes.String())); err != nil {
		t.Fatal(err)
	}
	want := readAll(t, f.playerOf(s, play.Options{}), 64)
	latency := int(p.Mixer().LatencyFrames())
	for i := range want {
		if got[latency+i] != want[i] {
			t.Fatalf("frame %d of %d differs", i, len(want))
		}
	}
}

// TestWithinFades checks that only the remaining part of a fade-in is played.
func TestWithinFades(t *testing.T) {
	f := newFolder(t)
	s := f.sheet(rate, "list: [{cue: 1, play: half.wav, loop: true, for: 1s, fade_in: 300ms}]")
	if err := s.ReadGoes("goes", []byte("0 1 from 100ms")); err != nil {
		t.Fatal(err)
	}
	out := readAll(t, f.playerOf(s, play.Options{}), 64)
	full := out[500][0]
	if half := out[100][0] / full; len(out) < 900 || half < 0.49 || half > 0.51 || out[210][0] != full || out[190][0] == full {
		t.Errorf("%d frames; half way of 200 ms it is %v of %v, at 210 %v", len(out), half, full, out[210][0])
	}
}
