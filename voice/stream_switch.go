package voice

import (
	"voicepool/internal/playable"
	"voicepool/sounds"
)

// To change the number of loop rounds, a stream switches to another buffer. The new buffer starts a little
// before the end of the loop and continues with the new rounds. Until that end both buffers have equal
// frames, so the switch between them is inaudible.

// SwitchBuffer makes a stream continue with another buffer at the next end of its loop. buffer must begin
// sounds.SwitchLead frames before that end, or at the loop's start if the loop is shorter. If buffer has too few
// decoded frames then and the loop still repeats, the switch waits for the next end of the loop. A buffer from an
// earlier call that still waits for its switch is dropped. If the stream has left its loop for the last time, buffer
// itself is dropped, and the stream does not change.
func (v *Voice) SwitchBuffer(buffer *sounds.StreamBuffer) {
	loop, c := v.data().Loop, v.buffer.Range()
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
	v.nextBuffer, v.switchAt = buffer, v.played+ahead-(loop[1]-buffer.Range().From)
	v.jumps = max(v.jumps, 0)
}

// switchDueBuffer replaces the buffer of a stream by v.nextBuffer if the position for the switch is reached. If the new
// buffer has too few frames then and the loop still repeats, the switch waits for the next end of the loop. The result
// counts the frames of the mix before the next switch, at most n. It is n if no switch is due within n frames, and
// after a switch. The old buffer is kept as v.pastBuffer until Commit.
func (v *Voice) switchDueBuffer(n int64) int64 {
	if v.nextBuffer == nil {
		return n
	}
	if ahead := v.switchAt + playable.StreamReach - v.played; ahead > 0 {
		if ahead < 1<<30 {
			n = min(n, (ahead<<32-v.pos+v.step-1)/v.step)
		}
		return n
	}
	c := v.buffer.Range()
	end := c.From + v.switchAt + v.data().Loop[1] - v.nextBuffer.Range().From
	if end < c.LoopExit() && !canSwitch(v.nextBuffer) { // the new buffer is late: play the loop once more
		v.switchAt += c.Loop.Frames()
		return v.switchDueBuffer(n)
	}
	v.pastBuffer, v.buffer = v.buffer, v.nextBuffer
	v.played -= v.switchAt
	v.nextBuffer = nil
	return n
}

// canSwitch reports whether the buffer f has enough decoded frames for a voice to switch to it: 4096 frames, or half of
// its capacity if that is less, or all frames until its end.
func canSwitch(f *sounds.StreamBuffer) bool {
	return f.Ended() || f.Written() >= min(int64(f.Capacity())/2, 4096)
}

// closeOtherBuffers drops the buffer that waits for its switch and the buffer that was replaced last. The present
// buffer of the stream stays open.
func (v *Voice) closeOtherBuffers() {
	for _, f := range [...]*sounds.StreamBuffer{v.nextBuffer, v.pastBuffer} {
		if f != nil {
			f.Drop()
		}
	}
	v.nextBuffer, v.pastBuffer = nil, nil
}
