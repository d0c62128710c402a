package voice

// Release lets a looping voice go on beyond the end of its loop, to that of its
// sound. It moves nothing that is heard. Streams are not released.
func (v *Voice) Release() { v.SetRounds(0) }

// SetRounds has the voice go back so many times more when it comes to the end of
// its loop; less than 0: always. One that is beyond the end already plays on.
func (v *Voice) SetRounds(more int32) {
	if v.feed != nil {
		return
	}
	from, to := v.sound.loop[0], v.sound.loop[1]
	switch at := v.pos >> 32; {
	case to <= from || !v.Looping() && at >= to || v.unrolls() && at >= v.unrolled(to):
		return
	case more < 0:
		v.jumps = -1
	default:
		v.jumps = more
		if at >= to { // in the seam, some rounds have been begun
			v.jumps += int32((at-to)/(to-from)) + 1
		}
	}
	v.loop, v.steady.left = v.jumps != 0, 0
	v.wrap()
	v.stale()
}

// Returns reports whether a voice that loops is not in its last round yet.
func (v *Voice) Returns() bool { return v.Looping() && v.jumps != 0 }

// countBegun counts the rounds that have been begun beyond the end of the loop,
// where the voice has not gone back yet.
func (v *Voice) countBegun() {
	from, to := v.sound.loop[0], v.sound.loop[1]
	if at := v.pos >> 32; v.Looping() && v.jumps >= 0 && at >= to {
		v.jumps = max(v.jumps-int32((at-to)/(to-from))-1, 0)
		v.loop = v.jumps > 0
	}
}

// SeekTo goes to a frame of the sound, from silence up over some frames. A stream
// goes on with what another feed brings.
func (v *Voice) SeekTo(frame, to, fade int64, feed *Feed) {
	v.countBegun()
	v.pos, v.again = to<<32, false
	v.restart()
	if v.feed != nil {
		v.feed.Drop()
		v.feed, v.pos, v.heard, v.waits = feed, 0, 0, true
	}
	v.wrap()
	v.Return(frame, fade)
}
