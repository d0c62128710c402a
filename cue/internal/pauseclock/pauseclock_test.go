package pauseclock_test

import (
	"testing"

	"voicepool/cue/internal/pauseclock"
)

// TestClock checks the conversions against a count of single frames.
func TestClock(t *testing.T) {
	const rate = 1000 // a fade of 10 frames
	pauses := []int64{5, 30, 34, 40, 41, 60, 90, 95}
	clock := pauseclock.New(rate)
	var frames []int64 // of the mixer, by frame of the output
	mixer, fade, paused := int64(0), int64(0), false
	for output := range int64(200) {
		for _, at := range pauses {
			if at == output {
				paused = !paused
				clock.SetPaused(output, paused)
			}
		}
		frames = append(frames, mixer)
		switch {
		case paused && fade < pauseclock.FadeFrames(rate):
			fade++
			mixer++
		case !paused:
			fade = max(fade-1, 0)
			mixer++
		}
	}
	clock.AdvanceTo(200)
	if !clock.Stops() || clock.Paused || clock.FadeProgress != 0 || clock.Output-clock.Stopped != mixer {
		t.Errorf("at the end the clock is %+v, and the mixer at %d", clock, mixer)
	}
	for output, frame := range frames {
		if got := clock.MixerFrame(int64(output)); got != frame {
			t.Errorf("output frame %d is mixer frame %d, want %d", output, got, frame)
		}
		last := output+1 == len(frames) || frames[output+1] != frame // the last output frame of this mixer frame
		if got := clock.OutputFrame(frame); last && got != int64(output) {
			t.Errorf("mixer frame %d is output frame %d, want %d", frame, got, output)
		}
	}
}

// TestPauseForever checks that a pause without an end stops the mixer after its fade.
func TestPauseForever(t *testing.T) {
	clock := pauseclock.New(1000)
	if clock.PauseForever(); clock.Stops() {
		t.Error("a clock without a pause stops")
	}
	clock.SetPaused(100, true)
	clock.PauseForever()
	if got := clock.MixerFrame(1 << 40); got != 110 {
		t.Errorf("the mixer stops at %d, want 110", got)
	}
}
