package voice

// Place returns the position, 32.32 in frames of the sound.
func (v *Voice) Place() int64 { return v.pos }

// Level returns the mip level in use, -1 without one, and whether the voice crossfades from another level.
func (v *Voice) Level() (level int, crossing bool) {
	if v.mip.level == nil {
		return -1, v.crossfadeFrames > 0
	}
	return v.mip.level.Level, v.crossfadeFrames > 0
}

// Unsettle discards cached state, so that the voice works it out again.
func (v *Voice) Unsettle() {
	v.fast, v.toAt, v.gainCache, v.rampSpan = fastPath{}, never, gainCache{}, rampSpan{}
}

// Steady returns the number of frames that the voice surely continues without a change.
func (v *Voice) Steady() int64 { return v.fast.left }

// Ready reports whether a batch has filtered the voice's next frames.
func (v *Voice) Ready() bool { return v.filter != nil && v.filter.batched != nil }
