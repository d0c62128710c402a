package peaq

import (
	"math"

	"voicepool/pcm"
)

const (
	delay      = 24 // frames from the start of the file, 0.5 s, that no modulation difference counts
	afterLoud  = 3  // frames, 50 ms, after which the noise loudness counts
	windowSize = 4  // frames, 100 ms, of the windowed modulation difference
)

// averages adds up the differences of frames.
type averages struct {
	frames   int
	loud     int // number of the first loud frame, if anyLoud
	anyLoud  bool
	channels [2]channelSums

	detection, peak float64 // filtered probability of detection, and its maximum
	detected        mean    // just noticeable steps in frames with a detected difference
}

// channelSums holds the sums of one channel.
type channelSums struct {
	bandwidth, testBandwidth, noiseToMask, harmonics mean
	distorted                                        int // frames with a noise-to-mask ratio above 1.5 dB

	change1, change2, weight float64
	roots                    [windowSize]float64 // of the latest modulation differences
	delayed                  int                 // frames after the delay
	windows                  mean
	noise                    mean // squares of the noise loudness
}

// mean is a running average.
type mean struct {
	sum   float64
	count int
}

func (m *mean) add(x float64) { m.sum, m.count = m.sum+x, m.count+1 }

// value returns the average, or 0 of no values.
func (m *mean) value() float64 { return m.sum / float64(max(m.count, 1)) }

// add adds the frame with the given number, counted from the start of the file.
func (a *averages) add(number int, frames []frame, channels []channel) {
	undetected, steps := 1.0, 0.0
	for m := range bands {
		p, q := 0.0, 0.0
		for i := range channels {
			p, q = max(p, channels[i].detection[m]), max(q, channels[i].steps[m])
		}
		undetected = float64(undetected * (1 - p))
		steps += q
	}
	detection := 1 - undetected
	a.detection = float64(0.9*a.detection) + float64((1-0.9)*detection)
	a.peak = max(a.peak, a.detection)
	if detection > 0.5 {
		a.detected.add(steps)
	}
	for _, f := range frames {
		if f.loud && !a.anyLoud {
			a.anyLoud, a.loud = true, a.frames
		}
	}
	noisy := a.anyLoud && a.frames >= a.loud+afterLoud
	for i := range frames {
		a.channels[i].add(&frames[i], number >= delay, noisy)
	}
	a.frames++
}

// add adds a frame. delayed is set if its modulation difference counts, and noisy if its noise loudness may, too.
func (s *channelSums) add(f *frame, delayed, noisy bool) {
	if f.bandwidth >= 0 {
		s.bandwidth.add(f.bandwidth)
	}
	if f.testBandwidth >= 0 {
		s.testBandwidth.add(f.testBandwidth)
	}
	if f.harmonics >= 0 {
		s.harmonics.add(f.harmonics)
	}
	s.noiseToMask.add(f.noiseToMask)
	if f.maxNoiseToMask > 1.4125375446227544 {
		s.distorted++
	}
	if !delayed {
		return
	}
	s.change1 += float64(f.weight * f.change1)
	s.change2 += float64(f.weight * f.change2)
	s.weight += f.weight
	s.roots[s.delayed%windowSize] = math.Sqrt(f.change1)
	if s.delayed++; s.delayed >= windowSize {
		sum := 0.0
		for _, root := range s.roots {
			sum += root
		}
		square := float64(sum / windowSize * (sum / windowSize))
		s.windows.add(float64(square * square))
	}
	if noisy {
		s.noise.add(float64(f.noiseLoudness * f.noiseLoudness))
	}
}

// outputs returns the averages over n channels.
func (a *averages) outputs(n int) (o Outputs) {
	for i := range a.channels[:n] {
		s := &a.channels[i]
		o.BandwidthRef += s.bandwidth.value() / float64(n)
		o.BandwidthTest += s.testBandwidth.value() / float64(n)
		o.TotalNMR += decibels(s.noiseToMask.value()) / float64(n)
		o.RelDistFrames += float64(s.distorted) / float64(a.frames*n)
		o.EHS += float64(1000*s.harmonics.value()) / float64(n)
		o.WinModDiff1 += math.Sqrt(s.windows.value()) / float64(n)
		if s.weight > 0 {
			o.AvgModDiff1 += s.change1 / s.weight / float64(n)
			o.AvgModDiff2 += s.change2 / s.weight / float64(n)
		}
		o.RmsNoiseLoud += math.Sqrt(s.noise.value()) / float64(n)
	}
	o.MFPD = a.peak
	switch {
	case a.detected.sum > 0:
		o.ADB = pcm.Log2(a.detected.value()) / log2of10
	case a.detected.count > 0:
		o.ADB = -0.5
	}
	return o
}
