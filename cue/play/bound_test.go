package play_test

import (
	"errors"
	"strings"
	"testing"

	"voicepool/cue/play"
	"voicepool/mixer"
	"voicepool/pcm"
)

// TestReadEnds checks that a render ends with an error if a voice plays on after the end of the sheet,
// because it would fill the disk. Here the test itself holds a voice on the mixer.
func TestReadEnds(t *testing.T) {
	f := newFolder(t)
	for _, text := range []string{
		"cues: [{at: 0, play: half.wav}]",
		"cues: [{at: 0, play: half.wav, loop: true, id: a}, {at: 1s, set: a, loop: 2}]",
		"cues: [{at: 0, play: half.wav, loop: 3, pitch: -12}]",
		"cues: [{at: 0, play: half.wav, loop: true, for: 3s}]",
	} {
		p := f.player(text, play.Options{})
		if err := p.Mixer().Engine().At(50).Pause(mixer.TargetAll()); err != nil {
			t.Fatal(err)
		}
		dst, frames := make([]pcm.Frame, 100), 0
		var err error
		for err == nil && frames < 60*rate {
			var n int
			n, err = p.Read(dst)
			frames += n
		}
		if !errors.Is(err, play.ErrEndless) || frames > 6*rate {
			t.Errorf("%s: after %d frames: %v", text, frames, err)
		} else if text := err.Error(); !strings.HasSuffix(text, "but 1 still play; set a length, such as `length: 60s`") {
			t.Errorf("the error is %v", err)
		}
	}
	p := f.player("length: 9s\ncues: [{at: 0, play: half.wav}]", play.Options{})
	if err := p.Mixer().Engine().At(50).Pause(mixer.TargetAll()); err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, p, 100); len(got) != 9*rate {
		t.Errorf("with a length there are %d frames, want %d", len(got), 9*rate)
	}
}
