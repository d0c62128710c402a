package sounds

// bounds are what a file may have.
type bounds struct {
	frames, memory   int64 // memory: bytes of samples, four each
	channels         int
	minRate, maxRate int
}

// shape checks what a header says before a byte is decoded.
func (b bounds) shape(channels int, rate int64) error {
	switch {
	case channels < 1:
		return broken("the header says %d channels", channels)
	case channels > b.channels:
		return beyond("%d channels, at most %d are read", channels, b.channels)
	case rate < int64(b.minRate) || rate > int64(b.maxRate):
		return beyond("a rate of %d Hz is not in %d..%d", rate, b.minRate, b.maxRate)
	}
	return nil
}

// length checks how many frames there are, or are so far.
func (b bounds) length(frames int64, channels int) error {
	switch {
	case frames > b.frames:
		return beyond("more than %d frames", b.frames)
	case frames > b.memory/int64(4*channels):
		return beyond("its samples take more than %d bytes", b.memory)
	}
	return nil
}
