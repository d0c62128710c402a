package play_test

import (
	"io"
	"testing"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// TestReadReturnsInSilence checks that Read returns during a silence of thirty years.
func TestReadReturnsInSilence(t *testing.T) {
	sheet, err := cue.Parse("s.yaml", []byte("cues: [{at: 1000000000s, play: blip}]"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := play.NewPlayer(t.Context(), sheet, library.NewLibrary(library.Options{}), play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	block := make([]pcm.Frame, 512)
	for range 3 {
		if n, err := p.Read(block); n != 0 || err != nil {
			t.Errorf("%d frames, error %v; want none of both", n, err)
		}
	}
}

// TestReadAcrossSilence checks that sound after a long silence is complete.
func TestReadAcrossSilence(t *testing.T) {
	sheet, err := cue.Parse("s.yaml", []byte("master: {limiter: false}\ncues: [{at: 20s, play: blip}]"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := play.NewPlayer(t.Context(), sheet, library.NewLibrary(library.Options{}), play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	frames, first := 0, -1
	block := make([]pcm.Frame, 64)
	for {
		n, err := p.Read(block)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range block[:n] {
			if first < 0 && x != (pcm.Frame{}) {
				first = frames + i
			}
		}
		frames += n
	}
	if first < 20*48000 || first > 20*48000+100 || frames < first {
		t.Errorf("the first sample is in frame %d of %d", first, frames)
	}
}
