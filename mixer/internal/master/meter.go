package master

import (
	"math"
	"sync/atomic"

	"voicepool/internal/dsp"
	"voicepool/internal/loudness"
	"voicepool/mixer/internal/publish"
	"voicepool/pcm"
)

// meterSteps is the window of peak and RMS in steps of 100 ms.
const meterSteps = 4

// Meter measures the frames of a bus and publishes the results at the end of every step of 100 ms, on the
// absolute grid of frames. Feed or Skip must receive all frames in order. Audio side; any goroutine may call
// Shown.
type Meter struct {
	step  int64 // frames
	at    int64 // frames of the present step
	frame int64 // number of the next frame

	peak  float32 // of the present step
	power float64 // sum of its squares
	peaks [meterSteps]float32
	sums  [meterSteps]float64
	index int
	short loudness.ShortTerm

	shown publish.SeqCell[[4]atomic.Uint64] // a Shown
}

// NewMeter returns a meter for a sample rate in Hz. Its next frame has the number 0.
func NewMeter(rate int) *Meter {
	return &Meter{step: loudness.StepFrames(rate), short: loudness.NewShortTerm(rate)}
}

// Feed measures frames, the next frames of the bus. It publishes results at the end of each step of 100 ms that ends
// within them. A frame beyond MaxPeak, or with NaN or an infinity, counts as silence. Audio side.
func (m *Meter) Feed(frames []pcm.Frame) {
	for len(frames) > 0 {
		n := min(int64(len(frames)), m.step-m.at)
		m.measure(frames[:n])
		m.pass(n)
		frames = frames[n:]
	}
}

// measure adds frames to the peak, the power and the loudness of the present step of 100 ms. It does not advance the
// position of the meter. frames must not reach beyond the end of the step. A frame beyond MaxPeak, or with NaN or an
// infinity, counts as silence.
func (m *Meter) measure(frames []pcm.Frame) {
	peak := dsp.Peak(frames)
	if !(peak <= MaxPeak) {
		if len(frames) == 1 {
			frames, peak = stillness[:1], 0
		} else {
			for i := range frames {
				m.measure(frames[i : i+1])
			}
			return
		}
	}
	m.peak = max(m.peak, peak)
	power := m.power
	for _, x := range frames {
		left, right := float64(x[0]), float64(x[1])
		power += float64(left*left) + float64(right*right)
	}
	m.power = power
	m.short.Write(frames)
}

// Skip measures n frames of silence, with the same results as Feed. Once the loudness filters are at rest, it takes
// constant time for each step of 100 ms. Audio side.
func (m *Meter) Skip(n int64) {
	for n > 0 {
		k := min(n, m.step-m.at)
		if !m.short.Resting() {
			k = min(k, int64(len(stillness)))
			m.short.Write(stillness[:k])
		}
		m.pass(k)
		n -= k
	}
}

var stillness [64]pcm.Frame

// Rests reports whether the whole window of the meter is silent, including the state of its filters. Further silent
// frames then do not change its results.
func (m *Meter) Rests() bool {
	return m.peak == 0 && m.power == 0 && m.peaks == [meterSteps]float32{} && m.sums == [meterSteps]float64{} && m.short.Silent()
}

// Leap measures n frames of silence in constant time. It publishes only the results of the last step of 100 ms that
// ends within them. The caller must have checked that Rests returns true.
func (m *Meter) Leap(n int64) {
	steps := (m.at + n) / m.step
	m.at, m.frame = (m.at+n)%m.step, m.frame+n
	if steps > 0 {
		m.index = int((int64(m.index) + steps) % meterSteps)
		m.short.Leap(steps)
		m.show(m.frame - m.at)
	}
}

// pass advances the position by n frames, which must not lead beyond the end of the present step of 100 ms. At the
// end of the step it stores the peak and power of the step, publishes the results and begins a new step.
func (m *Meter) pass(n int64) {
	m.at += n
	m.frame += n
	if m.at < m.step {
		return
	}
	m.short.EndStep()
	m.peaks[m.index], m.sums[m.index] = m.peak, m.power
	m.index = (m.index + 1) % meterSteps
	m.at, m.peak, m.power = 0, 0, 0
	m.show(m.frame)
}

// show publishes the results of the meter: peak and mean square of the last four steps of 100 ms, and the power of the
// last 3 s. frame is the number of the first frame after these steps.
func (m *Meter) show(frame int64) {
	peak, sum := float32(0), 0.0
	for i := range meterSteps { // oldest first
		k := (m.index + i) % meterSteps
		peak = max(peak, m.peaks[k])
		sum += m.sums[k]
	}
	square := sum / float64(2*meterSteps*m.step)
	m.shown.Write([]uint64{uint64(frame), math.Float64bits(float64(peak)), math.Float64bits(square), math.Float64bits(m.short.Power())})
}

// Shown is the result of a meter at the end of a step.
type Shown struct {
	Frame  int64   // first frame after the step; 0: no complete step yet
	Peak   float64 // largest sample of either channel in the last four steps
	Square float64 // mean square of both channels in the last four steps
	Power  float64 // K-weighted power of the last 3 s, ungated; unweighted below 8 kHz
}

// Shown returns the results that were published last, at the end of a step of 100 ms. They are zero before the end of
// the first step. During a write it repeats the read until the write is complete. Any goroutine may call it; it does
// not allocate.
func (m *Meter) Shown() Shown {
	var words [4]uint64
	for !m.shown.Read(words[:]) {
	}
	return Shown{int64(words[0]), math.Float64frombits(words[1]), math.Float64frombits(words[2]), math.Float64frombits(words[3])}
}
