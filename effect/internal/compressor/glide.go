package compressor

// glide is a factor that moves without a bend: the mean of the last 32 frames of the straight lines
// that moves ask for, which is a quadratic B-spline. It arrives 64 frames after the move began
// and never leaves the range of the last three targets.
//
// A factor acts on samples at once, unlike what the detector smooths. Straight lines alone would
// be heard: 48 dB within 10 ms left -53 dB above 2 kHz.
type glide struct {
	before, last, target float64 // of the moves before, of the last one, and of this one
}

// begin takes the target of the next 32 frames.
func (g *glide) begin(target float64) { g.before, g.last, g.target = g.last, g.target, target }

// at returns the factor after n frames of the 32.
func (g *glide) at(n int) float64 {
	was, is := float64((g.last-g.before)/moving), float64((g.target-g.last)/moving) // steps per frame
	turn := float64((is - was) * (float64(n) / (2 * moving)))
	return float64((g.before+g.last)/2) + float64((was+turn)*float64(n))
}

// still reports whether it has arrived.
func (g *glide) still() bool { return g.before == g.target && g.last == g.target }
