package spectrum

import (
	"voicepool/internal/fourier"
	"voicepool/internal/loudness"
	"voicepool/internal/stretch"
	"voicepool/pcm"
)

// Sound is the input of Measure.
type Sound struct {
	Samples  []float32 // interleaved
	Channels int       // 1 or 2
	Rate     int
	Hop      int64    // frames, at least 1
	Loop     pcm.Loop // repeated part; empty: no loop
}

// aheadSeconds is how far the stretches of a loop extend into its repetitions.
const aheadSeconds = 2

// Measure returns the hops of a sound that plays to its end or, if looped is true, repeats its loop; then the
// hops end at the loop's end. It takes about a thousandth of the sound's duration.
func Measure(s *Sound, looped bool) []Hop {
	frames := int64(len(s.Samples) / s.Channels)
	hops, ahead := int((frames+s.Hop-1)/s.Hop), 0
	if looped = looped && s.Loop.Inside(frames); looped {
		ahead = int(max((aheadSeconds*int64(s.Rate)+s.Hop-1)/s.Hop, stretch.Least))
		hops = int((s.Loop[1] + s.Hop - 1) / s.Hop)
	}
	m, energies := newMeter(s, looped), make([][Bands]float64, hops+ahead)
	for h := 0; h < len(energies); h += m.each {
		m.measure(energies[h:min(h+m.each, len(energies))])
	}
	sums := make([][Bands]float64, len(energies)+1) // sums from each hop to the end
	for h := len(energies) - 1; h >= 0; h-- {
		for b, e := range energies[h] {
			sums[h][b] = sums[h+1][b] + e
		}
	}
	out, whole, k := make([]Hop, hops), make([]float64, hops), make([]float64, len(energies))
	for i, part := range [Stretches][2]int{{0, Bands}, {0, Bands / 3}, {Bands / 3, 2 * Bands / 3}, {2 * Bands / 3, Bands}} {
		for h := range k {
			k[h] = sum(energies[h][part[0]:part[1]])
		}
		var ends []int
		if looped {
			_, ends = stretch.Loop(k, hops, ahead)
		} else {
			_, ends = stretch.Once(k)
		}
		for h := range out {
			var e [Bands]float64
			for b := range e {
				e[b] = max(sums[h][b]-sums[ends[h]][b], 0) / float64(max(ends[h]-h, stretch.Least))
			}
			if i == 0 {
				whole[h] = sum(e[:])
				out[h].Now.setPowers(&energies[h], k[h])
			}
			out[h].Ahead[i].setPowers(&e, whole[h])
		}
	}
	for h := range out { // silence has no spectrum of its own; if the index is not silent there, it counts as pink
		if whole[h] == 0 {
			out[h].Ahead = Pink.Ahead
		}
		if sum(energies[h][:]) == 0 {
			out[h].Now = Pink.Now
		}
	}
	return out
}

// meter measures windows of a sound: a Hann window of at least two hops, with its hop in the middle. A window
// of one hop leaks so much that the estimate for a low-pass at 100 Hz was wrong by 5 dB. The input is
// K-weighted first, because a DC offset of the sound would leak into the lowest band.
type meter struct {
	*Sound
	looped  bool
	each    int // hops per transform: two for a mono sound
	filters []loudness.Filter
	ready   [2][]float64 // filtered samples by channel, starting at frame from
	from    int64
	fft     *fourier.Transform
	window  []float64
	band    []int // by bin

	spectrum []complex128
}

// newMeter returns a meter of s from its first hop on. With looped it repeats the loop of s endlessly.
func newMeter(s *Sound, looped bool) *meter {
	n := 2
	for int64(n) < 2*s.Hop {
		n *= 2
	}
	m := &meter{Sound: s, looped: looped, each: 3 - s.Channels, fft: fourier.New(n), window: make([]float64, n), band: make([]int, n/2), spectrum: make([]complex128, n)}
	for range s.Channels {
		m.filters = append(m.filters, loudness.NewFilter(s.Rate))
	}
	m.from = (s.Hop - int64(n)) / 2
	for c := range m.ready {
		m.ready[c] = make([]float64, -m.from, n+int(s.Hop)) // silence before the sound
	}
	for i := range n {
		m.window[i] = 0.5 - float64(0.5*pcm.CosPi(2*(float64(i)+0.5)/float64(n)))
	}
	b := 0
	for i := range m.band {
		for b+1 < Bands && float64(float64(i)/float64(n)*float64(s.Rate)) >= edge(b+1) {
			b++
		}
		m.band[i] = b
	}
	return m
}

// measure adds the energy per band of the next hops to energies, one element per hop. One transform covers two
// hops of a mono sound, or a single hop of a stereo sound.
func (m *meter) measure(energies [][Bands]float64) {
	n, hop := len(m.window), int(m.Hop)
	m.fill()
	x, y := m.ready[0], m.ready[1]
	if m.Channels == 1 {
		y = x[hop:]
	}
	for i, w := range m.window {
		m.spectrum[i] = complex(float64(x[i]*w), float64(y[i]*w))
	}
	m.fft.Apply(m.spectrum)
	// One transform contains two real signals: the sum of a bin and its conjugated mirror image belongs to
	// the first, their difference to the second.
	last := &energies[len(energies)-1]
	for i, b := range m.band {
		z, mirror := m.spectrum[i], m.spectrum[(n-i)%n]
		energies[0][b] += square(real(z)+real(mirror), imag(z)-imag(mirror))
		if m.Channels == 2 || len(energies) == 2 {
			last[b] += square(imag(z)+imag(mirror), real(mirror)-real(z))
		}
	}
	m.from += int64(len(energies) * hop)
	for c := range m.ready {
		m.ready[c] = m.ready[c][:copy(m.ready[c], m.ready[c][min(len(energies)*hop, len(m.ready[c])):])]
	}
}

// fill appends K-weighted samples to the buffer of each channel until it holds the input of the next transform.
func (m *meter) fill() {
	for c := range m.Channels {
		for len(m.ready[c]) < len(m.window)+int(m.Hop) {
			x := 0.0
			if at := m.at(m.from + int64(len(m.ready[c]))); at >= 0 {
				x = float64(m.Samples[at*int64(m.Channels)+int64(c)])
			}
			m.ready[c] = append(m.ready[c], m.filters[c].Next(x))
		}
		m.filters[c].FlushTiny()
	}
}

// at returns the frame of the sound that plays at a frame of time; -1 for silence, before the sound or after its
// end.
func (m *meter) at(frame int64) int64 {
	switch {
	case frame < 0:
		return -1
	case m.looped && frame >= m.Loop[1]:
		return m.Loop.At(frame)
	case frame >= int64(len(m.Samples)/m.Channels):
		return -1
	}
	return frame
}

// sum returns the sum of the numbers in x, added in their order.
func sum(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

// square returns the squared magnitude of x + iy.
func square(x, y float64) float64 { return float64(x*x) + float64(y*y) }
