package library

import (
	"math"
	"sync"

	"voicepool/pcm"
)

// The resampler's filter: a sinc under a Kaiser window. All lengths are in frames of the slower of the two
// rates, all frequencies in units of its Nyquist frequency. From 44.1 to 48 kHz the filter is flat to 20 kHz
// and rejects by more than 120 dB above 22.05 kHz.
const (
	kernelHalf   = 84     // half of its length
	kernelShape  = 12.5   // the beta of the Kaiser window: -125 dB
	kernelCutoff = 0.9535 // the frequency of half amplitude
)

// kernelPeak is the largest value of the Kaiser window before it is divided.
var kernelPeak = bessel(kernelShape)

// kernel returns the impulse response of the resampling filter at the distance x from its center. x is in frames of
// the slower rate and may be negative. The response is a sinc under a Kaiser window. It is 0 from the distance
// kernelHalf, 84 frames, on.
func kernel(x float64) float64 {
	r := math.Abs(x) / kernelHalf
	if r >= 1 {
		return 0
	}
	y := float64(kernelCutoff * x)
	sinc := 1.0
	if y != 0 {
		sinc = pcm.SinPi(y) / float64(math.Pi*y)
	}
	return float64(float64(kernelCutoff*sinc)*bessel(float64(kernelShape*math.Sqrt(1-float64(r*r))))) / kernelPeak
}

// bessel returns the modified Bessel function of the first kind of order 0, I0(y), computed by its series. I0(0) is
// 1.
func bessel(y float64) float64 {
	q := float64(y*y) / 4
	sum, term := 1.0, 1.0
	for n := 1.0; term > float64(sum*1e-18); n++ {
		term = float64(term*q) / float64(n*n)
		sum += term
	}
	return sum
}

// filter is a kernel, tabulated by phase: row r holds the taps for a position r/rows of a frame after a whole
// source frame. The taps begin before frames earlier. Immutable.
type filter struct {
	before, width int64
	rows          int64
	table         []float64 // rows+1 rows, or rows if each phase has its own
}

// row returns the taps of row r, for the phase r/rows of a frame. They alias the table and must not be changed.
func (f *filter) row(r int64) []float64 { return f.table[r*f.width : (r+1)*f.width] }

// filterRows is the number of rows for which linear interpolation between rows has an error below -130 dB, if
// the kernel is not stretched. It is also the number of grid points per frame of the slower rate.
const filterRows = 2048

// maxExact is the largest filter, in taps, that is computed point by point.
const maxExact = 1 << 17

// newGrid returns a table of one half of the resampling kernel, from its center to the distance kernelHalf, with
// 2,048 points per frame.
func newGrid() []float64 {
	grid := make([]float64, kernelHalf*filterRows+2)
	for i := range grid {
		grid[i] = kernel(float64(i) / filterRows)
	}
	return grid
}

// sharedGrid holds the result of newGrid, 1.4 MB, from the first call of kernelGrid on.
var sharedGrid struct {
	once   sync.Once
	points []float64
}

// kernelGrid returns the shared result of newGrid, which it computes at the first call. Callers must not change it.
// Any goroutine.
func kernelGrid() []float64 {
	sharedGrid.once.Do(func() { sharedGrid.points = newGrid() })
	return sharedGrid.points
}

// interpolateGrid returns the resampling kernel at the distance x from its center, interpolated linearly between the
// points of grid. grid is a result of newGrid. x is in frames of the slower rate and may be negative. From the
// distance kernelHalf on the result is 0.
func interpolateGrid(grid []float64, x float64) float64 {
	x = float64(math.Abs(x) * filterRows)
	if x >= kernelHalf*filterRows {
		return 0
	}
	i := int(x)
	return grid[i] + float64((grid[i+1]-grid[i])*(x-float64(i)))
}

// newFilter returns the table of filter taps for resampling by the ratio r. The kernel is stretched to the slower of
// the two rates. adjusted means that r was adjusted to a loop. If r was not adjusted, a ratio with few phases gets a
// row of taps for each phase. Otherwise the table has enough rows to interpolate any phase. Large tables are
// interpolated from the tabulated kernel that grid returns; grid is called only for them.
func newFilter(r ratio, adjusted bool, grid func() []float64) *filter {
	stretch := 1.0 // source frames per frame of the slower rate
	if r.in > r.out {
		stretch = float64(r.in) / float64(r.out)
	}
	half := int64(math.Ceil(float64(kernelHalf * stretch)))
	f := &filter{before: half - 1, width: 2 * half, rows: max(int64(filterRows/stretch), 8)}
	if !adjusted && r.out <= f.rows {
		f.rows = r.out
	}
	h := kernel
	if (f.rows+1)*f.width > maxExact {
		points := grid()
		h = func(x float64) float64 { return interpolateGrid(points, x) }
	}
	f.table = make([]float64, (f.rows+1)*f.width)
	for row := range f.rows + 1 {
		f.fill(f.row(row), float64(row)/float64(f.rows), stretch, h)
	}
	return f
}

// fill computes the filter taps for an output frame that lies fraction, 0..1, of a frame after a whole source frame.
// It writes them to taps, a row of the table. h is the impulse response as a function of the distance in frames of
// the slower rate. stretch is the number of source frames per such frame. The taps are normalized to a sum of one, so
// that a constant signal is preserved.
func (f *filter) fill(taps []float64, fraction, stretch float64, h func(float64) float64) {
	sum := 0.0
	for i := range taps {
		taps[i] = h((float64(int64(i)-f.before) - fraction) / stretch)
		sum += taps[i]
	}
	for i := range taps {
		taps[i] /= sum
	}
}

// filterCache caches filters by ratio. The zero value is empty; any goroutine.
type filterCache struct {
	mu      sync.Mutex
	filters map[filterKey]func() *filter
}

// filterKey identifies a filter; adjusted means that the ratio is adjusted for a loop.
type filterKey struct {
	ratio
	adjusted bool
}

// get returns the filter for the ratio r. adjusted means that r was adjusted to a loop. The first call for both values
// makes the filter and stores it in the cache, and concurrent calls with the same values wait for it. Any goroutine.
func (f *filterCache) get(r ratio, adjusted bool) *filter {
	f.mu.Lock()
	once, ok := f.filters[filterKey{r, adjusted}]
	if !ok {
		if f.filters == nil {
			f.filters = map[filterKey]func() *filter{}
		}
		once = sync.OnceValue(func() *filter { return newFilter(r, adjusted, kernelGrid) })
		f.filters[filterKey{r, adjusted}] = once
	}
	f.mu.Unlock()
	return once()
}
