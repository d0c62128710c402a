package main

import (
	"math"

	"github.com/gopxl/beep/v2"
)

// impurity plays a sine at the pitch of the cases and returns, in dB of what comes,
// what is not that sine so many times higher.
func (c testCase) impurity(hertz float64) float64 {
	sine := make([][2]float64, frames)
	for i := range sine {
		sine[i][0] = math.Sin(2 * math.Pi * hertz * float64(i) / rate)
	}
	r := beep.ResampleRatio(c.quality, speed, loop(&memory{samples: sine}))
	block := make([][2]float64, blockSize)
	r.Stream(block)
	r.Stream(block)
	w := 2 * math.Pi * hertz * speed / rate
	var cc, ss, cs, yc, ys, yy float64
	for i, f := range block {
		sin, cos := math.Sincos(w * float64(i))
		y := f[0]
		cc, ss, cs = cc+cos*cos, ss+sin*sin, cs+cos*sin
		yc, ys, yy = yc+y*cos, ys+y*sin, yy+y*y
	}
	det := cc*ss - cs*cs
	a, b := (yc*ss-ys*cs)/det, (ys*cc-yc*cs)/det
	return 10 * math.Log10((yy-a*yc-b*ys)/yy)
}
