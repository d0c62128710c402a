// Package pauseclock converts between the two clocks of a show that can be paused. The output always advances. The
// mixer stops during a pause, but only after the output has faded out:
//
//	clock := pauseclock.New(rate)
//	clock.SetPaused(48000, true)       // a pause begins at this frame of the output
//	clock.SetPaused(96000, false)      // and ends here
//	frame := clock.OutputFrame(50000)  // the frame of the output for a frame of the mixer
//
// The package calls neither the mixer nor the output. A Clock is plain data for one goroutine at a time.
package pauseclock

import (
	"time"

	"voicepool/pcm"
)

// Never is the length in frames of a stop without an end.
const Never = 1<<63 - 1

// Clock maps mixer frames to output frames. Its input is the output frames of the beginnings and ends of pauses,
// alternately. Read its fields, but change them only by its methods.
type Clock struct {
	Output       int64 // the current frame of the output
	Stopped      int64 // total frames of all stops until Output
	Paused       bool
	FadeProgress int64 // frames of the fade at Output: 0 is the full level, FadeFrames is silence

	fade  int64 // length of a fade, in frames
	stops []stop
}

// stop is an interval during which the mixer does not advance, in frames.
type stop struct {
	at     int64 // frame of the mixer
	output int64 // frame of the output
	frames int64 // duration; Never: it does not end
}

// New returns a clock at frame 0 of the output, without a pause. rate is the sample rate in Hz.
func New(rate int) *Clock { return &Clock{fade: FadeFrames(rate)} }

// FadeFrames returns the length in frames of the fades at the beginning and end of a pause: 10 ms, but at least 1
// frame. rate is in Hz.
func FadeFrames(rate int) int64 { return max(pcm.Frames(10*time.Millisecond, rate), 1) }

// AdvanceTo advances the clock to the frame output of the output, which must not be before c.Output. During a pause the
// output first fades out, and then the mixer stops. AdvanceTo records the frames of that stop.
func (c *Clock) AdvanceTo(output int64) {
	n := output - c.Output
	if !c.Paused {
		c.FadeProgress -= min(n, c.FadeProgress)
	} else {
		k := min(n, c.fade-c.FadeProgress)
		if c.FadeProgress += k; n > k {
			c.addStop(c.Output+k, n-k)
		}
	}
	c.Output = output
}

// addStop records that the mixer does not advance for the given number of frames, from the frame output of the output
// on.
func (c *Clock) addStop(output, frames int64) {
	c.stops = append(c.stops, stop{output - c.Stopped, output, frames})
	c.Stopped += frames
}

// SetPaused begins a pause at the frame output of the output if on is true, and otherwise ends the pause. It has no
// effect if the clock is in that state already. Calls must be in the order of frames.
func (c *Clock) SetPaused(output int64, on bool) {
	if c.Paused != on {
		c.AdvanceTo(output)
		c.Paused = on
	}
}

// PauseForever lets the current pause last forever. Without a current pause it has no effect. The clock must not
// advance afterwards.
func (c *Clock) PauseForever() {
	if c.Paused {
		c.addStop(c.Output+c.fade-c.FadeProgress, Never)
	}
}

// OutputFrame converts frame, a frame of the mixer, to a frame of the output. The mixer does not advance during a stop,
// but the output does. OutputFrame therefore adds the lengths of the recorded stops up to frame. A frame at the
// beginning of a stop is converted to the end of the stop.
func (c *Clock) OutputFrame(frame int64) int64 {
	output := frame
	for _, s := range c.stops {
		if s.at <= frame {
			output += s.frames
		}
	}
	return output
}

// MixerFrame converts output, a frame of the output, to a frame of the mixer. A frame during a stop is converted to the
// beginning of the stop.
func (c *Clock) MixerFrame(output int64) int64 {
	frame := output
	for _, s := range c.stops {
		if s.output <= output {
			frame -= min(s.frames, output-s.output)
		}
	}
	return frame
}

// Stops reports whether the mixer has stopped in any pause.
func (c *Clock) Stops() bool { return len(c.stops) > 0 }
