package pcm

// Loop is a region of a sound that repeats, in frames: the index of its first frame, and of the first frame
// after it. The zero Loop means either the whole sound or no loop, as documented where it is used.
type Loop [2]int64

// Frames returns the length of the loop in frames; 0 for the zero Loop.
func (l Loop) Frames() int64 { return l[1] - l[0] }

// Inside reports whether the loop is not empty and lies within a sound whose length is the parameter frames.
func (l Loop) Inside(frames int64) bool { return l[0] >= 0 && l[0] < l[1] && l[1] <= frames }

// At returns the index of the frame that is heard n frames after the start of a sound that repeats the loop
// endlessly. With an empty loop this is n. n is not negative.
func (l Loop) At(n int64) int64 {
	if size := l.Frames(); size > 0 && n >= l[1] {
		return l[0] + (n-l[1])%size
	}
	return n
}
