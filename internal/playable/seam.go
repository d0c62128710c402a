package playable

// Seam holds the samples around the end of a loop in playing order: those before the end, then those after
// the loop's start. A looping voice switches from the samples to the seam at From. At Wrap it jumps back by
// Back frames to a position with the same neighbours. Kernels therefore need no code for loops, and a loop is
// exact at any pitch and with any interpolation.
type Seam struct {
	Samples Store // its frame 0 is frame From-GuardBefore of the sound
	From    int64 // positions from here on are read from Samples
	Wrap    int64 // first position that is no longer read
	Back    int64 // a multiple of the loop length
}

// ShortLoop is the length in frames below which a loop is repeated within its seam. This limits the number of
// jumps per block.
const ShortLoop = 64

// NewSeam returns a copy of the samples around the end of the sound's loop, in playing order: the end of the loop, then
// its beginning. d.Samples, d.Channels and d.Loop must be set. If the loop is empty, the result is the zero Seam.
// Control side.
func NewSeam(d *Data) Seam {
	length := d.Loop.Frames()
	if length <= 0 {
		return Seam{}
	}
	m := Seam{
		From: max(d.Loop[1]-GuardAfter, 0),
		Wrap: d.Loop[1] + GuardBefore,
		Back: length,
	}
	if length < ShortLoop {
		m.Back = (ShortLoop + length - 1) / length * length
		m.Wrap += m.Back
	}
	first := m.From - GuardBefore
	c := int64(d.Channels)
	m.Samples = d.Samples.gather((m.Wrap+GuardAfter-first)*c, func(i int64) int64 {
		return (d.Loop.At(first+i/c)+GuardBefore)*c + i%c
	})
	return m
}
