package codecs

import (
	"math"
	"math/cmplx"
)

// The comparison of RFC 6716, section 6, confirmed by RFC 8251: power spectra every 2.5 ms, weighted by
// masking. It ignores phases and masked errors.
const (
	spectrumSize = 480
	spectrumStep = 120
	spectrumBins = 200 // relevant bins of 100 Hz each
)

// barks are the edges of the bands.
var barks = [...]int{0, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 68, 80, 96, 120, 156, spectrumBins}

const barkCount = len(barks) - 1

// powers is the spectrum of one or two channels.
type powers [2][spectrumBins]float64

// spectra returns the power spectra of a sound at 48 kHz, in 16-bit units.
func spectra(samples []float32, channels int) (list []powers) {
	block, bins := make([]complex128, spectrumSize), make([]complex128, spectrumSize)
	window := make([]float64, spectrumSize)
	for i := range window {
		window[i] = 32768 * (0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/(spectrumSize-1)))
	}
	for at := 0; at+spectrumSize <= len(samples)/channels; at += spectrumStep {
		var p powers
		for c := range channels {
			for i := range block {
				block[i] = complex(window[i]*float64(samples[(at+i)*channels+c]), 0)
			}
			transform(bins, block, 1)
			for k, x := range bins[:spectrumBins] {
				p[c][k] = real(x)*real(x) + imag(x)*imag(x) + 100000
			}
		}
		list = append(list, p)
	}
	return list
}

// transform sets out to the discrete Fourier transform of every stride-th element of x.
func transform(out, x []complex128, stride int) {
	n := len(out)
	if n%2 == 1 {
		for k := range out {
			out[k] = 0
			for i := range n {
				out[k] += x[i*stride] * root(k*i, n)
			}
		}
		return
	}
	even, odd := out[:n/2], out[n/2:]
	transform(even, x, 2*stride)
	transform(odd, x[stride:], 2*stride)
	for k := range n / 2 {
		turned := odd[k] * root(k, n)
		even[k], odd[k] = even[k]+turned, even[k]-turned
	}
}

// roots are the roots of unity; root returns an n-th root, where n divides their number.
var roots = func() (list [960]complex128) {
	for i := range list {
		list[i] = cmplx.Rect(1, -2*math.Pi*float64(i)/float64(len(list)))
	}
	return list
}()

func root(k, n int) complex128 { return roots[k*(len(roots)/n)%len(roots)] }

// masks returns the masking of each spectrum in each band, including spread to lower and higher bands and
// over time.
func masks(list []powers, channels int) [][2][barkCount]float64 {
	out := make([][2][barkCount]float64, len(list))
	for i := range list {
		m := &out[i]
		for c := range channels {
			for b := range barkCount {
				for _, x := range list[i][c][barks[b]:barks[b+1]] {
					m[c][b] += x / float64(barks[b+1]-barks[b])
				}
			}
			for b := 1; b < barkCount; b++ { // 10 dB per band upwards
				m[c][b] += 0.1 * m[c][b-1]
			}
			for b := barkCount - 2; b >= 0; b-- { // 15 dB per band downwards
				m[c][b] += 0.03 * m[c][b+1]
			}
			for b := range barkCount { // 3 dB in 2.5 ms
				if i > 0 {
					m[c][b] += 0.5 * out[i-1][c][b]
				}
			}
		}
		for b := 0; b < barkCount && channels == 2; b++ { // 20 dB below the other channel
			l, r := m[0][b], m[1][b]
			m[0][b], m[1][b] = l+0.01*r, r+0.01*l
		}
	}
	return out
}

// quality returns the similarity of a sound with one or two channels to the reference by RFC 8251: 100 is
// equal, and below 0 fails.
func quality(ours, want []float32, channels int) float64 {
	x, y := spectra(want, channels), spectra(ours, channels)
	hidden := masks(x, channels)
	for i := range x {
		for c := range channels {
			for b := range barkCount {
				for k := barks[b]; k < barks[b+1]; k++ {
					x[i][c][k] += 0.1 * hidden[i][c][b]
					y[i][c][k] += 0.1 * hidden[i][c][b]
				}
			}
		}
	}
	sum := 0.0
	for i := range x {
		frame := 0.0
		for b := range barkCount {
			band := 0.0
			for k := barks[b]; k < barks[b+1]; k++ {
				weight := 1.0
				switch k { // around the edge between speech and music, filters may differ
				case 79, 81:
					weight = 0.1
				case 80:
					weight = 0.01
				}
				for c := range channels {
					before := max(i-1, 0)
					p, q := x[i][c][k], y[i][c][k]
					if i > 0 { // two consecutive spectra are added
						p, q = p+x[before][c][k], q+y[before][c][k]
					}
					ratio := q / p
					band += weight * (ratio - math.Log(ratio) - 1)
				}
			}
			band /= float64((barks[b+1] - barks[b]) * channels)
			frame += band * band
		}
		frame /= float64(barkCount)
		sum += math.Pow(frame, 4)
	}
	err := math.Pow(sum/float64(len(x)), 1./16)
	return 100 * (1 - 0.5*math.Log1p(err)/math.Log(1.13))
}

// coherence returns the coherence of two channels between 100 and 3,000 Hz: 1 if one is a filtered copy of
// the other, regardless of phases. level is the difference in level in dB.
func coherence(ours, want []float32) (coherence, level float64) {
	const size, step, first, end = 960, 240, 2, 60 // bins of 50 Hz
	var cross [end]complex128
	var powers [end][2]float64
	x, y := make([]complex128, size), make([]complex128, size)
	a, b := make([]complex128, size), make([]complex128, size)
	for at := 0; at+size <= len(want); at += step {
		for i := range size {
			w := 0.5 - 0.5*real(root(i, size))
			x[i], y[i] = complex(w*float64(ours[at+i]), 0), complex(w*float64(want[at+i]), 0)
		}
		transform(a, x, 1)
		transform(b, y, 1)
		for k := first; k < end; k++ {
			cross[k] += a[k] * cmplx.Conj(b[k])
			powers[k][0] += real(a[k] * cmplx.Conj(a[k]))
			powers[k][1] += real(b[k] * cmplx.Conj(b[k]))
		}
	}
	alike, all, p := 0.0, 0.0, 0.0
	for k := first; k < end; k++ {
		c := cmplx.Abs(cross[k])
		alike += c * c / powers[k][0]
		all += powers[k][1]
		p += powers[k][0]
	}
	return alike / all, 10 * math.Log10(p/all)
}
