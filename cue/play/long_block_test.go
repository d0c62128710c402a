package play_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/device/wav"
	"voicepool/mixer"
	"voicepool/pcm"
)

// TestLongBlockLosesNoEvents renders ten minutes with frequent restores of virtual voices in one block. The
// report must equal the one of short blocks.
func TestLongBlockLosesNoEvents(t *testing.T) {
	f := newFolder(t)
	for i, name := range []string{"even.wav", "odd.wav"} {
		w, err := wav.Create(filepath.Join(f.path, name), wav.Config{Rate: rate, Format: wav.F32})
		if err != nil {
			t.Fatal(err)
		}
		block := make([]pcm.Frame, 4000)
		for k := range block {
			x := float32(1e-4)
			if k/100%2 == i {
				x = 0.1 * float32(1-2*(k%2))
			}
			block[k] = pcm.Frame{x, x}
		}
		if err := errors.Join(w.Write(block), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
	var sheet strings.Builder
	sheet.WriteString("voices: 8\nvirtual: 40\nlength: 600s\ncues:\n")
	for i := range 40 {
		fmt.Fprintf(&sheet, "- {at: 0, play: %s.wav, loop: true}\n", []string{"even", "odd"}[i%2])
	}
	report := func(block int) *report.Report {
		p := f.player(sheet.String(), play.Options{Events: true})
		readAll(t, p, block)
		r := p.Report()
		r.Seconds = 0
		return r
	}
	want, got := report(1000), report(600000)
	back := 0
	for _, e := range want.Events {
		if e.Kind == mixer.EventReal {
			back++
		}
	}
	if back < 40000 || want.Totals.EventsLost != 0 {
		t.Errorf("voices come back %d times, %d events are lost in short blocks: it proves too little", back, want.Totals.EventsLost)
	}
	if got.Totals.EventsLost != 0 || !reflect.DeepEqual(got.Totals, want.Totals) || len(got.Events) != len(want.Events) {
		t.Errorf("in one block %d events, %d lost; want %d", len(got.Events), got.Totals.EventsLost, len(want.Events))
	}
}

// TestLengthWithDCGuard checks that a render with the DC guard has the same length for all block lengths,
// with and without the limiter.
func TestLengthWithDCGuard(t *testing.T) {
	for _, master := range []string{"{dc_guard: true}", "{dc_guard: true, limiter: false}"} {
		f := newFolder(t)
		w, err := wav.Create(filepath.Join(f.path, "dc.wav"), wav.Config{Rate: 8000, Format: wav.F32})
		if err != nil {
			t.Fatal(err)
		}
		block := make([]pcm.Frame, 20100)
		for i := range block {
			block[i] = pcm.Frame{0.3, 0.25}
		}
		if err := errors.Join(w.Write(block), w.Close()); err != nil {
			t.Fatal(err)
		}
		render := func(block int) []pcm.Frame {
			return readAll(t, f.playerAt(8000, "master: "+master+"\ncues: [{at: 10ms, play: dc.wav}]", play.Options{}), block)
		}
		want := render(100000)
		if len(want) < 24000 || want[len(want)-1] == (pcm.Frame{}) {
			t.Errorf("%s: %d frames, the last of them is %v", master, len(want), want[len(want)-1])
		}
		for _, n := range []int{1, 7, 64, 512, 4096} {
			if got := render(n); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %d frames in blocks of %d, %d as a whole", master, len(got), n, len(want))
			}
		}
	}
}
