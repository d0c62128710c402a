package figurestyle

import (
	"fmt"
	"math"
)

// TimeStep returns the interval in seconds between the lines of a time axis. The lines are then at least 80 pixels
// apart, so that labels fit. perSecond is the width of a second in pixels and must be positive.
func TimeStep(perSecond float64) float64 {
	for _, step := range [...]float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600} {
		if step*perSecond >= 80 {
			return step
		}
	}
	step := 7200.0
	for step*perSecond < 80 {
		step *= 2
	}
	return step
}

// TimeLabel returns the label of the time at, in seconds, on an axis with a line every step seconds. Below a minute
// the label is for example "0.25 s", with as many decimals as step needs, at most 3. From a minute on, or if step is a
// minute or more, it has minutes and whole seconds: "1:05".
func TimeLabel(at, step float64) string {
	if at >= 60 || step >= 60 {
		return fmt.Sprintf("%d:%02d", int(at+1e-9)/60, int(math.Round(at))%60)
	}
	digits := 0
	for s := step; digits < 3 && math.Abs(s-math.Round(s)) > 1e-9; s *= 10 {
		digits++
	}
	return fmt.Sprintf("%.*f s", digits, at)
}
