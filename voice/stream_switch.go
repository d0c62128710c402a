package voice

// To change the number of loop rounds, a stream switches to another buffer. The new buffer starts a little
// before the end of the loop and continues with the new rounds. Until that end both buffers have equal
// frames, so the switch between them is inaudible.

// SwitchLead is the number of frames before the end of the loop at which the buffer for SwitchBuffer must
// begin. If the loop is shorter, the buffer begins at the start of the loop.
const SwitchLead = 64

// SwitchBuffer makes a stream continue with another buffer at the next end of its loop. buffer must begin SwitchLead
// frames before that end, or at the loop's start if the loop is shorter. If buffer has too few decoded frames then and
// the loop still repeats, the switch waits for the next end of the loop. A buffer from an earlier call that still waits
// for its switch is dropped. If the stream has left its loop for the last time, buffer itself is dropped, and the
// stream does not change.
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

// Rounds returns how many times the buffer's range plays its loop. It is -1 if the loop repeats without end, and 1
// without a loop.
func (f *StreamBuffer) Rounds() int {
	switch c := &f.playRange; {
	case c.endless():
		return -1
	case c.Loop.Frames() > 0:
		return int(c.Rounds)
	}
	return 1
}

// switchDueBuffer replaces the buffer of a stream by v.nextBuffer if the position for the switch is reached. If the new
// buffer has too few frames then and the loop still repeats, the switch waits for the next end of the loop. The result
// counts the frames of the mix before the next switch, at most n. It is n if no switch is due within n frames, and
// after a switch. The old buffer is kept as v.pastBuffer until Commit.
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

// canSwitch reports whether the buffer has enough decoded frames for a voice to switch to it: 4096 frames, or half of
// its capacity if that is less, or all frames until its end.
func (f *StreamBuffer) canSwitch() bool {
	return f.ended.Load() || f.written.Load() >= min(int64(len(f.ring))/2, 4096)
}

// closeOtherBuffers drops the buffer that waits for its switch and the buffer that was replaced last. The present
// buffer of the stream stays open.
func (v *Voice) closeOtherBuffers() {
	for _, f := range [...]*StreamBuffer{v.nextBuffer, v.pastBuffer} {
		if f != nil {
			f.Drop()
		}
	}
	v.nextBuffer, v.pastBuffer = nil, nil
}
