package dsp

// The taps in the layout of the kernels: middle, sum and difference for each tap of the first half.
// quarterRows has each four times. eighthRows has the middle, three sums and three differences, for two taps
// twice each. The last element of peakGroupTaps is padding for vector loads.
var (
	quarterRows   = rows()
	peakGroupTaps = narrowed()
	eighthRows    = fineRows()
)

// rows returns the taps for quarterRows.
func rows() (r [QuarterTaps / 2][3][4]float64) {
	for k := range r {
		for i, x := range [...]float64{quarterMiddle[k], quarter.sum[k], quarter.difference[k]} {
			r[k][i] = [...]float64{x, x, x, x}
		}
	}
	return r
}

// narrowed returns the taps for peakGroupTaps, as float32.
func narrowed() (taps [QuarterTaps/2*3 + 1]float32) {
	for k := range quarterRows {
		for i := range quarterRows[k] {
			taps[3*k+i] = float32(quarterRows[k][i][0])
		}
	}
	return taps
}

// fineRows returns the taps for eighthRows.
func fineRows() (r [EighthTaps / 4][7][4]float64) {
	for k := range r {
		rows := &r[k]
		two := func(h *[EighthTaps / 2]float64) [4]float64 { return [...]float64{h[2*k], h[2*k], h[2*k+1], h[2*k+1]} }
		rows[0] = two(&eighthMiddle)
		for i := range eighth {
			rows[1+i], rows[4+i] = two(&eighth[i].sum), two(&eighth[i].difference)
		}
	}
	return r
}
