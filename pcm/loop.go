package pcm

// Loop is a region of a sound that repeats, in frames: the first frame, and the first frame after it. The
// zero Loop means the whole sound or no loop, as each user documents.
type Loop [2]int64

// Frames returns the length of the loop; 0 for the zero Loop.
func (l Loop) Frames() int64 { return l[1] - l[0] }

// Inside reports whether the loop is not empty and lies within a sound of the given length.
func (l Loop) Inside(frames int64) bool { return l[0] >= 0 && l[0] < l[1] && l[1] <= frames }

// At returns the frame that is heard n frames after the start of a sound that repeats the loop. An empty
// loop is ignored.
func (l Loop) At(n int64) int64 {
	if size := l.Frames(); size > 0 && n >= l[1] {
		return l[0] + (n-l[1])%size
	}
	return n
}
