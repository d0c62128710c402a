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

// newTrack returns a silent track, a buffer for mixing, of the given length in seconds. It has one or two channels
// and does not loop.
func newTrack(channels int, seconds float64) *track {
	t := &track{}
	for range channels {
		t.channels = append(t.channels, make([]float64, frames(seconds)))
	}
	return t
}

// newLoop returns a silent track, a buffer for mixing, of the given length in seconds, which loops. It has one or two
// channels.
func newLoop(channels int, seconds float64) *track {
	t := newTrack(channels, seconds)
	t.loop = true
	return t
}

// play returns a track of the given length in seconds, filled with the next samples of signals. Each signal, one or
// two, becomes a channel. The track does not loop.
func play(seconds float64, signals ...Signal) *track {
	t := newTrack(len(signals), seconds)
	for i, s := range signals {
		fill(t.channels[i], s)
	}
	return t
}

// lap returns a track of the given length in seconds that loops, filled with one signal per channel. The signals must
// repeat after that time. lap reads them twice: the first time only settles their filters, and the second time is
// kept.
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

// put mixes the next samples of s into t, in the center, and returns t. They begin at the time start and last length,
// both in seconds. In a loop, samples past the end continue at the beginning; otherwise they are cut off.
func (t *track) put(start, length float64, s Signal) *track {
	return t.pan(0, start, length, s)
}

// pan mixes the next samples of s into t at a pan position and returns t. place is the position, -1 (left) to +1
// (right); a mono track ignores it. The samples begin at the time start and last length, both in seconds. In a loop,
// samples past the end continue at the beginning; otherwise they are cut off.
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

// reverb adds a reverb to t and returns t. The reverb r processes the mono mix of t, and wet is the gain of its output
// in dB. A loop first runs through r once, so that its beginning contains the reverb of its end. The state of r
// changes.
func (t *track) reverb(wet pcm.Decibels, r *reverb) *track {
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

// finish returns the channels of t as 16-bit samples. It scales them so that the largest sample has the level peak,
// in dB relative to full scale. Before that it changes t: it removes DC, and fades a sound that does not loop to zero
// at both ends. t must not be silent.
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

// level removes DC from channel, in place, by subtracting a slow wave. The wave is zero at both ends, so the fades of
// the sound stay exact.
func level(channel []float64) {
	last := float64(len(channel) - 1)
	mean := 2 * sum(channel) / last // the mean of the wave itself is one half
	for i := range channel {
		x := 2 * float64(i) / last
		channel[i] -= float64(mean * raised(min(x, 2-x)))
	}
}

// edges fades channel in and out, in place, so that it is exactly zero at both ends. The fades take fadeIn and at
// most fadeOut seconds.
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
