package voice

// To change the number of loop rounds, a stream switches to another buffer. The new buffer starts a little
// before the end of the loop and continues with the new rounds. Until that end both buffers have equal
// frames, so the switch between them is inaudible.

// SwitchLead is the number of frames before the end of the loop at which the new buffer starts. A shorter
// loop is buffered as a whole.
const SwitchLead = 64

// SwitchBuffer switches a stream to another buffer at the next end of its loop. The buffer begins SwitchLead frames
// before that end, or at the beginning of a shorter loop. A stream behind its loop drops the buffer. An earlier
// buffer that has not been switched to is dropped.
func (v *Voice) SwitchBuffer(buffer *StreamBuffer) {
	loop, c := v.sound.loop, &v.buffer.playRange
	at, size := c.From+v.played, loop.Frames()
	ahead := loop[1] - at
	if ahead <= 0 {
		if at >= c.LoopExit() {
			buffer.Drop()
			return
		}
		ahead = size - -ahead%size
	}
	if v.nextBuffer != nil {
		v.nextBuffer.Drop()
	}
	v.nextBuffer, v.switchAt = buffer, v.played+ahead-(loop[1]-buffer.playRange.From)
	v.jumps = max(v.jumps, 0)
}

// Rounds returns how many times a buffer that starts before the end of the loop plays the loop; -1: without end.
// Without a loop it is 1.
func (f *StreamBuffer) Rounds() int {
	switch c := &f.playRange; {
	case c.endless():
		return -1
	case c.Loop.Frames() > 0:
		return int(c.Rounds)
	}
	return 1
}

// switchDueBuffer switches to nextBuffer if it is time and that buffer has enough frames. It returns how many of the
// next n frames of the mix come before the next switch; n if no switch is near or pending.
func (v *Voice) switchDueBuffer(n int64) int64 {
	if v.nextBuffer == nil {
		return n
	}
	if ahead := v.switchAt + streamReach - v.played; ahead > 0 {
		if ahead < 1<<30 {
			n = min(n, (ahead<<32-v.pos+v.step-1)/v.step)
		}
		return n
	}
	c := &v.buffer.playRange
	end := c.From + v.switchAt + v.sound.loop[1] - v.nextBuffer.playRange.From
	if end < c.LoopExit() && !v.nextBuffer.canSwitch() { // the new buffer is late: play the loop once more
		v.switchAt += c.Loop.Frames()
		return v.switchDueBuffer(n)
	}
	v.pastBuffer, v.buffer = v.buffer, v.nextBuffer
	v.played -= v.switchAt
	v.nextBuffer = nil
	return n
}

// canSwitch reports whether a buffer has ended or has enough frames for a switch to it: 4096, or half of its
// capacity.
func (f *StreamBuffer) canSwitch() bool {
	return f.ended.Load() || f.written.Load() >= min(int64(len(f.ring))/2, 4096)
}

// closeOtherBuffers closes the buffers other than v.buffer.
func (v *Voice) closeOtherBuffers() {
	for _, f := range [...]*StreamBuffer{v.nextBuffer, v.pastBuffer} {
		if f != nil {
			f.Drop()
		}
	}
	v.nextBuffer, v.pastBuffer = nil, nil
}
