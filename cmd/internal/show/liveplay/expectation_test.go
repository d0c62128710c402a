package liveplay

import (
	"strings"
	"testing"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/internal/expect"
	"voicepool/internal/listening"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// TestTap records blocks of 16 outputs, whose sum grows from block to block, and drains the ring every 1000 blocks. Then
// it records without drains, until audio is lost. Lost audio and lost events fail, even if all rules hold.
func TestTap(t *testing.T) {
	const outputs, length, unit = 16, 16, 1.0 / (1 << 16) // length is the number of frames of a block
	sheet, err := cue.Parse("s", []byte("rate: 1000\ncues: [{at: 0s, play: coin}]"))
	if err != nil {
		t.Fatal(err)
	}
	player, err := play.NewPlayer(t.Context(), sheet, library.NewLibrary(library.Options{Rate: sheet.Rate}), play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := expect.Parse("r", []byte("expect: [{peak: 60}]"))
	if err != nil {
		t.Fatal(err)
	}
	x := &expectation{rules: list}
	tap := x.begin(player)
	tap.outputs = outputs
	n := 0
	record := func() {
		player.Mixer().Render(make([]pcm.Frame, length))
		n++
		block := make([]pcm.Frame, outputs*length)
		for i := range block {
			block[i] = pcm.Frame{unit * float32(i%outputs*n), -unit * float32(n)}
		}
		tap.record(block)
	}
	finish := func(r *report.Report) (string, error) {
		var said strings.Builder
		err := x.finish(quietly(&said), r)
		return said.String(), err
	}
	for range 2 {
		for range 1000 {
			record()
		}
		x.drain()
	}
	late := player.Mixer().LatencyFrames()
	for _, i := range []int64{0, 7, 1234, 1999} {
		from := i*length - late + length/2
		if got, want := x.evidence.Audio.Peak(listening.Span{From: from, To: from + 1}), float32(i+1)*outputs*unit*(outputs-1)/2; got != want {
			t.Errorf("block %d has the peak %v, want %v", i, got, want)
		}
	}
	end := x.evidence.Audio.Range().To
	if end != 2000*length-late {
		t.Errorf("the recording ends at frame %d", end)
	}
	if said, err := finish(&report.Report{Rate: 1000, Frames: end}); err != nil || said != "voicepool: r: 1 rule holds\n" {
		t.Errorf("%v, %q", err, said)
	}
	const lost = "voicepool: r: the rules cannot be checked, because this computer was too slow and lost "
	said, err := finish(&report.Report{Rate: 1000, Frames: end, Totals: report.Totals{EventsLost: 2}})
	if want := lost + "2 events; run the show again\n"; console.ExitCode(err) != console.ExitFailed || said != want {
		t.Errorf("lost events: %v, %q", err, said)
	}
	for !tap.lost.Load() && n < 5000 {
		record()
	}
	said, err = finish(&report.Report{Rate: 1000, Frames: end})
	if want := lost + "audio; run the show again\n"; console.ExitCode(err) != console.ExitFailed || said != want {
		t.Errorf("lost audio: %v, %q", err, said)
	}
}
