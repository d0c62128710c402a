package synth

import (
	"math"

	"voicepool/pcm"
)

// track is a mono or stereo buffer for mixing a sound. On a loop, audio past the end wraps around to the
// beginning.
type track struct {
	channels [][]float64
	loop     bool
}

// newTrack returns a silent track of seconds with one or two channels, which does not loop.
func newTrack(channels int, seconds float64) *track {
	t := &track{}
	for range channels {
		t.channels = append(t.channels, make([]float64, frames(seconds)))
	}
	return t
}

// newLoop returns a silent loop of seconds with one or two channels.
func newLoop(channels int, seconds float64) *track {
	t := newTrack(channels, seconds)
	t.loop = true
	return t
}

// play returns a track of seconds that does not loop, filled with one signal per channel, one or two. It reads the
// signals from their present state.
func play(seconds float64, signals ...Signal) *track {
	t := newTrack(len(signals), seconds)
	for i, s := range signals {
		fill(t.channels[i], s)
	}
	return t
}

// lap returns a loop of seconds, filled with one signal per channel, which must repeat after seconds. It reads two
// laps: the first only settles the filters; the second is kept.
func lap(seconds float64, signals ...Signal) *track {
	play(seconds, signals...)
	t := play(seconds, signals...)
	t.loop = true
	return t
}

// fill sets all samples of channel, in place, to the next values of s.
func fill(channel []float64, s Signal) {
	for i := range channel {
		channel[i] = s()
	}
}

// put adds the next length seconds of s to t from the time start, in seconds, in the center. In a loop they continue
// at the beginning; otherwise the rest is cut off. It returns t.
func (t *track) put(start, length float64, s Signal) *track {
	return t.pan(0, start, length, s)
}

// pan adds the next length seconds of s to t from the time start, in seconds, at the pan place, -1 left .. +1 right;
// a mono track ignores place. In a loop they continue at the beginning; otherwise the rest is cut off. It returns t.
func (t *track) pan(place, start, length float64, s Signal) *track {
	gains := []float64{1}
	if len(t.channels) == 2 {
		gains = []float64{pcm.CosPi((place + 1) / 4), pcm.SinPi((place + 1) / 4)}
	}
	first, size := frames(start), len(t.channels[0])
	for i := first; i < first+frames(length); i++ {
		v := s()
		at := i
		if t.loop {
			at %= size
		} else if i >= size {
			break
		}
		for c, g := range gains {
			t.channels[c][at] += float64(v * g)
		}
	}
	return t
}

// reverb adds the reverb of the mono mix of t, made by r with the gain wet in dB, to t, and returns t. A loop runs
// through the reverb once before, so that its beginning contains the tail of its end. It changes the state of r.
func (t *track) reverb(wet pcm.Decibels, r *room) *track {
	size := len(t.channels[0])
	gain := wet.Linear()
	dry := make([]float64, size)
	for _, c := range t.channels {
		for i, v := range c {
			dry[i] += v / float64(len(t.channels))
		}
	}
	if t.loop {
		for _, v := range dry {
			r.next(v)
		}
	}
	for i, v := range dry {
		left, right := r.next(v)
		if len(t.channels) == 1 {
			t.channels[0][i] += float64(gain * (left + right) / 2)
			continue
		}
		t.channels[0][i] += float64(gain * left)
		t.channels[1][i] += float64(gain * right)
	}
	return t
}

// fadeIn and fadeOut are the maximum fades in seconds of a sound that does not loop.
const (
	fadeIn  = 0.0005
	fadeOut = 0.04
)

// finish returns the channels as 16-bit samples, scaled to peak, in dB relative to full scale. It first removes DC,
// and fades a sound that does not loop to zero at both ends, both in t itself. t must not be silent.
func (t *track) finish(peak pcm.Decibels) [][]int16 {
	top := 0.0
	for _, c := range t.channels {
		if t.loop {
			centre(c)
		} else {
			fill(c, byFrame(func(i int) float64 { return c[i] }).highpass(16))
			edges(c)
			level(c)
		}
		for _, v := range c {
			top = max(top, math.Abs(v))
		}
	}
	scale := float64(32767*peak.Linear()) / top
	out := make([][]int16, len(t.channels))
	for i, c := range t.channels {
		out[i] = make([]int16, len(c))
		for j, v := range c {
			out[i][j] = int16(math.Floor(float64(v*scale) + 0.5))
		}
	}
	return out
}

// sum returns the sum of the samples of a channel.
func sum(channel []float64) (sum float64) {
	for _, v := range channel {
		sum += v
	}
	return sum
}

// centre subtracts the mean of channel from its samples, in place.
func centre(channel []float64) {
	mean := sum(channel) / float64(len(channel))
	for i := range channel {
		channel[i] -= mean
	}
}

// level removes, in place, the DC that the fades of a short sound have left in channel, by subtracting a slow wave
// that is zero at both ends.
func level(channel []float64) {
	last := float64(len(channel) - 1)
	mean := 2 * sum(channel) / last // the mean of the wave itself is one half
	for i := range channel {
		x := 2 * float64(i) / last
		channel[i] -= float64(mean * raised(min(x, 2-x)))
	}
}

// edges fades channel in and out in place, over fadeIn and at most fadeOut seconds, to exact zero at both ends.
func edges(channel []float64) {
	last := len(channel) - 1
	in, out := frames(fadeIn), min(frames(fadeOut), len(channel)/3)
	for i := range in {
		channel[i] = float64(channel[i] * raised(float64(i)/float64(in)))
	}
	for i := range out {
		channel[last-i] = float64(channel[last-i] * raised(float64(i)/float64(out)))
	}
}
