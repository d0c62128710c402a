package record_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/record"
	"voicepool/pcm"
)

// recordedSheet returns a sheet whose starts may lie after the end of their sound or of the sheet, through
// delays of layers, offsets, loops, gains, fades, stops and lengths.
func recordedSheet(draw *rand.Rand) string {
	ms := func(most int) string { return fmt.Sprintf("%dms", draw.IntN(most)) }
	maybe := func(format string, values ...any) string {
		if draw.IntN(2) == 0 {
			return ""
		}
		return fmt.Sprintf(format, values...)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "rate: 8000\nmaster: {limiter: %t}\n", draw.IntN(2) == 0)
	b.WriteString(maybe("length: %s\n", ms(1500)))
	fmt.Fprintf(&b, "sounds:\n  one: {file: coin%s%s%s}\n  two: {file: click%s}\n",
		maybe(", loop: {from: %s, to: 700ms}", ms(600)), maybe(", gain: -3"), maybe(", pan: 0.5"), maybe(", limit: 2"))
	fmt.Fprintf(&b, "  both: {layers: [one, {sound: two, delay: %s}, {sound: one, delay: %s}]}\n", ms(100), ms(2000))
	fmt.Fprintf(&b, "cues:\n")
	for i := range 1 + draw.IntN(5) {
		loop := maybe(", loop: true, for: %dms", 1+draw.IntN(400))
		if loop == "" {
			loop = maybe(", for: %dms", 1+draw.IntN(900))
		}
		fmt.Fprintf(&b, "  - {at: %s, play: %s, id: v%d%s%s%s%s%s}\n", ms(1200), []string{"one", "two", "both"}[draw.IntN(3)], i,
			loop, maybe(", from: %s", ms(1100)), maybe(", fade_in: %s", ms(80)), maybe(", speed: 1.5"), maybe(", every: 150ms, times: 3"))
		if draw.IntN(3) == 0 {
			fmt.Fprintf(&b, "  - {at: %s, %s: v%d}\n", ms(1500), []string{"stop", "pause"}[draw.IntN(2)], i)
		}
	}
	return b.String()
}

// TestRecordingHasAllFrames checks that the recording of a sheet renders to exactly the same frames.
func TestRecordingHasAllFrames(t *testing.T) {
	libs := libraries{}
	seeds := int(rounds(30, 600))
	tried, silent := 0, 0
	texts := []string{ // layers after the length
		"rate: 8000\nsounds: {bell: {}, both: {layers: [{sound: bell, delay: 1500ms}]}}\ncues: [{at: 0, play: both}]\nlength: 1s\n",
		"rate: 8000\nsounds: {bell: {}, coin: {}, both: {layers: [coin, {sound: bell, delay: 1500ms}]}}\ncues: [{at: 0, play: both}]\nlength: 1200ms\n",
		"rate: 8000\nmaster: {effects: [{reverb: {time: 0.2}}]}\nsounds: {bell: {}, coin: {}, both: {layers: [coin, {sound: bell, delay: 8s}]}}\ncues: [{at: 0, play: both}]\nlength: 6s\n",
		"rate: 8000\ncues: [{at: 0, play: coin}, {at: 1300ms, play: coin, from: 20s}]\n", // after the end of its sound
	}
	for seed := range uint64(seeds) {
		texts = append(texts, recordedSheet(rand.New(rand.NewPCG(seed, 19))))
	}
	for seed, text := range texts {
		s, err := cue.Parse("s.yaml", []byte(text))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if play.CheckRender(s) != nil {
			continue
		}
		tried++
		played, recorder := framesOf(t, s, libs, text, 512, true)
		var out bytes.Buffer
		if _, err := recorder.WriteTo(&out); err != nil {
			t.Fatal(err)
		}
		again, err := cue.Parse("recorded.yaml", out.Bytes())
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, out.String())
		}
		got, _ := framesOf(t, again, libs, out.String(), 64, false)
		if len(got) != len(played) {
			t.Errorf("seed %d: the recording has %d frames, want %d\n%s\nrecorded as\n%s", seed, len(got), len(played), text, out.String())
			continue
		}
		for i := range got {
			if got[i] != played[i] {
				t.Errorf("seed %d: frame %d of the recording is %v, want %v\n%s\nrecorded as\n%s", seed, i, got[i], played[i], text, out.String())
				break
			}
		}
		if n := len(played); n == 0 || played[n-1] == (pcm.Frame{}) {
			silent++
		}
	}
	t.Logf("%d sheets, of which %d end in silence", tried, silent)
	if tried < seeds/2 {
		t.Errorf("%d sheets are too few", tried)
	}
}

// framesOf renders a sheet in blocks of a size. If recording is true, it also returns the recording.
func framesOf(t *testing.T, s *cue.Sheet, libs libraries, text string, size int, recording bool) (all []pcm.Frame, recorder *record.Recorder) {
	t.Helper()
	p, err := play.NewPlayer(t.Context(), s, libs.of(s.Rate), play.Options{Record: recording})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	defer p.Close()
	block := make([]pcm.Frame, size*p.Outputs())
	for {
		n, err := p.Read(block)
		all = append(all, block[:n]...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	if recorder, err = p.Recorder(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return all, recorder
}
