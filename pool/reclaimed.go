package pool

// Reclaimed is what an object is filled with when its slot is free, in programs
// built with the tag pooldebug: every number in it, however nested, has this
// pattern in each of its 32-bit words (a shorter one has the lower part), bools
// are true, and all that refers to something, strings and slices too, is nil.
// So whoever reads an object after its release finds 501,930,763 instead of
// something that looks right, and whoever writes to it is counted by
// Counters.Scribbled. The next owner gets a zero T all the same. Objects that
// are kept (Config.Keep) are left alone.
const Reclaimed = 0x1deadb0b
