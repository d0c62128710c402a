package voice

// Place returns the position, 32.32 in frames of the sound.
func (v *Voice) Place() int64 { return v.pos }

// Level returns the level of the version that is read, -1 for none, and whether
// the voice comes from another one.
func (v *Voice) Level() (level int, crossing bool) {
	if v.now.version == nil {
		return -1, v.over > 0
	}
	return v.now.version.level, v.over > 0
}

// Unsettle has the voice find out anew how it goes on.
func (v *Voice) Unsettle() {
	v.steady, v.toAt, v.known, v.glide = steady{}, never, known{}, glide{}
}

// Steady returns for how many frames more it surely goes on as it does.
func (v *Voice) Steady() int64 { return v.steady.left }

// Ready reports whether a bank has filtered what the voice gives next.
func (v *Voice) Ready() bool { return v.filter != nil && v.filter.ready != nil }
