package pcm

// Loop is a region of a sound that repeats, in frames: its first frame, and the one after
// its last. The zero Loop says nothing of it: the whole sound, or no loop, as its user
// documents.
type Loop [2]int64

// Frames returns how long the loop is; 0 for the zero Loop.
func (l Loop) Frames() int64 { return l[1] - l[0] }

// Inside reports whether the loop has a frame and lies inside so many frames.
func (l Loop) Inside(frames int64) bool { return l[0] >= 0 && l[0] < l[1] && l[1] <= frames }

// At returns the frame that is heard after n frames of a course that begins at 0 and
// goes back at the end of the loop. A loop without a frame repeats nothing.
func (l Loop) At(n int64) int64 {
	if size := l.Frames(); size > 0 && n >= l[1] {
		return l[0] + (n-l[1])%size
	}
	return n
}
