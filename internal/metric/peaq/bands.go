package peaq

import (
	"math"

	"voicepool/internal/fourier"
	"voicepool/internal/metric"
	"voicepool/pcm"
)

const (
	frameSize = 2048                        // samples per analysis frame
	hop       = frameSize / 2               // samples from one frame to the next
	bins      = frameSize/2 + 1             // frequencies of a spectrum
	frameRate = float64(metric.Rate) / hop  // frames per second
	binWidth  = float64(metric.Rate) / 2048 // Hz
	bands     = 109                         // critical bands of a quarter of a Bark
	bandWidth = 0.25                        // Bark
	lags      = 256                         // in the correlation of spectra
	spreadSum = 0.4                         // exponent of spread energies in their sum
)

// band holds the constants of one critical band.
type band struct {
	first, last           int     // bins
	firstShare, lastShare float64 // shares of these bins that belong to the band

	noise         float64 // energy of the ear's internal noise
	upperSlope    float64 // log2 of the spread to the next higher band, at an energy of 1
	lowerSum      float64 // energy spread to the band and to all lower bands
	logSpreadUnit float64 // log2 of the spread excitation if all bands have an energy of 1

	smear, adapt    float64 // coefficients of the recursive filters, per frame
	threshold, rise float64 // excitation at the threshold of hearing, and threshold index
	loudnessScale   float64 // sone
	noisePower      float64 // noise^0.3
	maskingOffset   float64 // power ratio of mask to excitation
}

// tables holds the constants of the ear model.
type tables struct {
	window   [frameSize]float64
	ear      [bins]float64 // power response of the outer and middle ear
	bands    [bands]band
	spectrum *fourier.Transform

	lagWindow   [lags]float64
	correlation *fourier.Transform
	harmonics   *fourier.Transform
}

// newTables computes the constants. The formulas are from ITU-R BS.1387-1, sections 2.1 to 4.8, in the reading of
// Kabal, "An Examination and Interpretation of ITU-R BS.1387", McGill University, 2002.
func newTables() *tables {
	t := &tables{spectrum: fourier.New(frameSize), correlation: fourier.New(2 * lags), harmonics: fourier.New(lags)}
	scale := windowScale()
	for i := range t.window {
		t.window[i] = float64(scale * hann(i, frameSize))
	}
	for i := range t.lagWindow {
		t.lagWindow[i] = float64(hann(i, lags) * math.Sqrt(8.0/3) / lags)
	}
	for k := 1; k < bins; k++ {
		kHz := float64(k) * binWidth / 1000
		decibels := float64(-2.184*pow(kHz, -0.8)) + float64(6.5*exp(-0.6*float64((kHz-3.3)*(kHz-3.3)))) - float64(0.001*pow(kHz, 3.6))
		t.ear[k] = powerRatio(decibels)
	}
	for m := range t.bands {
		t.bands[m] = newBand(m)
	}
	var unit, spread, logs [bands]float64
	for m := range unit {
		unit[m] = 1
	}
	t.spread(&unit, &spread, &logs)
	for m := range t.bands {
		t.bands[m].logSpreadUnit = logs[m]
	}
	return t
}

// hann returns element i of a Hann window of n elements whose first and last element are 0.
func hann(i, n int) float64 { return float64(0.5 * (1 - pcm.CosPi(2*float64(i)/float64(n-1)))) }

// windowScale returns the factor of the window that maps a sine of 1019.5 Hz at a full scale of 32768 to a power of
// 92 dB in its largest bin. The sine's frequency is between two bins, which lowers that bin.
func windowScale() float64 {
	const fraction = 1019.5/binWidth - 43 // of the distance from bin 43 to bin 44
	const offset = fraction * (frameSize - 1) / frameSize
	const zeros = math.Pi * offset * (1 - offset*offset)
	peak := pcm.SinPi(offset) / zeros
	return pow(10, 92.0/20) / float64(peak*(32768/4*(frameSize-1)))
}

// newBand returns the constants of band m, except logSpreadUnit.
func newBand(m int) band {
	lowest, highest := bark(80), bark(18000)
	low := lowest + float64(bandWidth*float64(m))
	high := min(low+bandWidth, highest)
	center, from, to := hertz((low+high)/2), hertz(low), hertz(high)
	// The table of the standard has misprints in these frequencies. The reference program uses them.
	switch m {
	case 28:
		to = 933.113
	case 66:
		from = 3853.817
	case 70:
		to = 4643.482
	case 100:
		center = 13294.850
	}
	b := band{first: int(from/binWidth + 0.5), last: int(math.Ceil(to/binWidth+0.5)) - 1}
	share := func(bin int) float64 {
		return min(to/binWidth, float64(bin)+0.5) - max(from/binWidth, float64(bin)-0.5)
	}
	b.firstShare = share(b.first)
	if b.last != b.first {
		b.lastShare = share(b.last)
	}
	curve := pow(center/1000, -0.8)
	b.noise = powerRatio(1.456 * curve)
	b.upperSlope = float64((-2.4 - 23/center) * (bandWidth * log2of10))
	lower := pow(10, -2.7*bandWidth)
	b.lowerSum = (1 - pow(lower, float64(m+1))) / (1 - lower)
	coefficient := func(low, at100 float64) float64 { // of a time constant in seconds
		return exp(-1 / float64(frameRate*(low+float64(100/center*(at100-low)))))
	}
	b.smear, b.adapt = coefficient(0.008, 0.030), coefficient(0.008, 0.050)
	b.threshold = powerRatio(3.64 * curve)
	b.rise = powerRatio(-2 - float64(2.05*atan(center/4000)) - float64(0.75*atan(float64(center/1600*(center/1600)))))
	b.loudnessScale = float64(1.07664 * pow(b.threshold/float64(b.rise*1e4), 0.23))
	b.noisePower = pow(b.noise, 0.3)
	b.maskingOffset = powerRatio(-3)
	if m > 12/bandWidth {
		b.maskingOffset = powerRatio(-0.25 * float64(m) * bandWidth)
	}
	return b
}

// bark returns the critical-band rate of a frequency in Hz, 7 asinh(f/650), and hertz is its inverse.
func bark(hertz float64) float64 {
	x := hertz / 650
	return float64(7 * math.Ln2 * pcm.Log2(x+math.Sqrt(float64(x*x)+1)))
}

func hertz(bark float64) float64 {
	x := exp(bark / 7)
	return float64(325 * (x - 1/x))
}

const (
	log2of10 = math.Ln10 / math.Ln2
	log2ofE  = 1 / math.Ln2
)

// The functions below have the same bits on every machine. pow returns x to the power of y, for x > 0.
func pow(x, y float64) float64       { return pcm.Exp2(float64(y * pcm.Log2(x))) }
func exp(x float64) float64          { return pcm.Exp2(float64(x * log2ofE)) }
func powerRatio(dB float64) float64  { return pcm.Exp2(float64(dB * (log2of10 / 10))) }
func decibels(power float64) float64 { return float64(pcm.Log2(power) * (10 / log2of10)) }

// atan returns the arc tangent of x by halving the angle four times, and then by its series.
func atan(x float64) float64 {
	for range 4 {
		x /= 1 + math.Sqrt(1+float64(x*x))
	}
	square, sum := float64(x*x), 0.0
	for k := 19; k > 0; k -= 2 {
		sum = 1/float64(k) - float64(sum*square)
	}
	return float64(16 * x * sum)
}
