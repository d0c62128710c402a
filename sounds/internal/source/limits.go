package source

// Limits are what a file may have.
type Limits struct {
	Frames, Memory   int64 // memory: bytes of samples, four each
	Channels         int
	MinRate, MaxRate int
}

// Shape checks what a header says before a byte is decoded.
func (b Limits) Shape(channels int, rate int64) error {
	switch {
	case channels < 1:
		return Broken("the header says %d channels", channels)
	case channels > b.Channels:
		return Beyond("%d channels, at most %d are read", channels, b.Channels)
	case rate < int64(b.MinRate) || rate > int64(b.MaxRate):
		return Beyond("a rate of %d Hz is not in %d..%d", rate, b.MinRate, b.MaxRate)
	}
	return nil
}

// Length checks how many frames there are, or are so far.
func (b Limits) Length(frames int64, channels int) error {
	switch {
	case frames > b.Frames:
		return Beyond("more than %d frames", b.Frames)
	case frames > b.Memory/int64(4*channels):
		return Beyond("its samples take more than %d bytes", b.Memory)
	}
	return nil
}
