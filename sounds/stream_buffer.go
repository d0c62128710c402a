package sounds

import (
	"math/bits"
	"sync/atomic"

	"voicepool/internal/dsp"
	"voicepool/internal/playable"
	"voicepool/pcm"
)

// StreamBuffer is a single-producer, single-consumer ring buffer that carries the frames of a stream from the
// decoding goroutine to the audio side. Neither side waits for the other. It holds the frames of the stream's
// range that have been written and not released yet.
type StreamBuffer struct {
	ring      []pcm.Frame // frame i of the range is at index i & (len-1)
	playRange PlayRange
	written   atomic.Int64 // number of frames written
	read      atomic.Int64 // frames before this one are released
	ended     atomic.Bool  // no frames follow the written ones
	broken    atomic.Bool  // ended early because of an error
	closed    atomic.Bool  // the reader has left
	wake      chan struct{}
	arrived   chan struct{}
}

// PlayRange is the part of a stream that a buffer plays, in frames at the mixer's rate. It starts at From and
// jumps back to Loop[0] each time it reaches Loop[1]. A zero Loop repeats no part. The loop plays Rounds
// times, and the rest of the stream follows. If Rounds is 0, the loop repeats without end.
type PlayRange struct {
	From   int64
	Loop   pcm.Loop
	Rounds int64
}

// FrameAt converts n, a frame number that counts from the start of the range with all repetitions of the loop, to a
// frame number of the stream. The range has no end, so the result may lie behind the end of the stream.
func (c *PlayRange) FrameAt(n int64) int64 {
	if n += c.From; n >= c.LoopExit() {
		return n - c.RepeatFrames()
	}
	return c.Loop.At(n)
}

// RepeatFrames returns how many frames the repetitions of the loop add to the range. The first round does not count. It
// returns 2^62 for an endless loop and 0 without a loop.
func (c *PlayRange) RepeatFrames() int64 {
	switch size := c.Loop.Frames(); {
	case size <= 0:
		return 0
	case c.Rounds <= 0:
		return 1 << 62
	default:
		return (c.Rounds - 1) * size
	}
}

// LoopExit returns the position where the range leaves its loop for the last time: Loop[1] plus the frames of all
// repetitions. FrameAt(n) is behind the loop if From + n is this position or later. Without a loop the result is 0.
func (c *PlayRange) LoopExit() int64 { return c.Loop[1] + c.RepeatFrames() }

// Endless reports whether the range repeats its loop without end.
func (c *PlayRange) Endless() bool { return c.Loop.Frames() > 0 && c.Rounds <= 0 }

// SwitchLead is the distance in frames from the start of a buffer to the end of the loop, if the buffer replaces
// another one at that end. If the loop is shorter, the buffer begins at the start of the loop.
const SwitchLead = 64

// minBuffer is the minimum capacity of a buffer in frames. A voice keeps some frames around its position and
// needs some to fade out if the stream is late.
const minBuffer = 8192

// maxBuffer limits a buffer to half a gigabyte, 23 minutes at 48 kHz.
const maxBuffer = 1 << 26

// NewStreamBuffer returns an empty buffer for the frames of the range c. Its capacity is frames, rounded up to a power
// of two. It is at least 8192 and at most 2^26 frames.
func NewStreamBuffer(frames int, c PlayRange) *StreamBuffer {
	size := 1 << bits.Len(uint(min(max(frames, minBuffer), maxBuffer)-1))
	return &StreamBuffer{ring: make([]pcm.Frame, size), playRange: c, wake: make(chan struct{}, 1), arrived: make(chan struct{}, 1)}
}

// Write copies the first frames of src into the buffer, as many as fit, and returns their number. It never blocks, and
// it wakes a goroutine in Wait. Only the decoding goroutine may call it. Samples must be finite and within
// -65536..65536.
func (f *StreamBuffer) Write(src []pcm.Frame) int {
	at := f.written.Load()
	n := int(min(int64(len(src)), f.read.Load()+int64(len(f.ring))-at))
	for done := 0; done < n; {
		done += copy(f.ring[(at+int64(done))&int64(len(f.ring)-1):], src[done:n])
	}
	f.written.Store(at + int64(n))
	signal(f.arrived)
	return n
}

// Free returns how many frames Write would accept now. Only the decoding goroutine may call it.
func (f *StreamBuffer) Free() int { return int(f.read.Load() + int64(len(f.ring)) - f.written.Load()) }

// Capacity returns the capacity of the buffer in frames.
func (f *StreamBuffer) Capacity() int { return len(f.ring) }

// End marks the range as complete: no frames follow the written ones. It wakes a goroutine in Wait. Only the decoding
// goroutine may call it.
func (f *StreamBuffer) End() {
	f.ended.Store(true)
	signal(f.arrived)
}

// Fail ends the buffer like End, but marks the stream as broken before its end, for Failed. It wakes a goroutine
// in Wait. Only the decoding goroutine may call it.
func (f *StreamBuffer) Fail() {
	f.broken.Store(true)
	f.End()
}

// Reopen undoes End, because more frames follow. The caller must be the decoding goroutine or hold the lock under
// which that goroutine calls End. The mark of Fail stays. A voice that has already ended stays ended and closes the
// buffer.
func (f *StreamBuffer) Reopen() { f.ended.Store(false) }

// Closed reports whether Close or Drop was called, so that decoding can stop. Any goroutine.
func (f *StreamBuffer) Closed() bool { return f.closed.Load() }

// Wake returns a channel that receives a value when the control side waits for frames or closes the buffer.
// The audio side sends no value, so a decoding goroutine must also check the buffer from time to time.
func (f *StreamBuffer) Wake() <-chan struct{} { return f.wake }

// GuaranteedFrames returns for how many frames of the mix a buffer lasts at least, if it is three quarters full. The
// result holds for any speed of the voice. rate is the sample rate of the mix in Hz. Room for a tail of the voice and
// for a fade-out at an underrun is subtracted. The result is at least 1.
func (f *StreamBuffer) GuaranteedFrames(rate int) int {
	fade := max((rate+199)/200, playable.MinFade<<playable.MaxOctaves)
	rest := len(f.ring)/4*3 - int(playable.TailReserve(len(f.ring))) - fade - 2*playable.StreamReach
	return max(rest>>playable.MaxOctaves-1, 1)
}

// Rounds returns how many times the buffer's range plays its loop. It is -1 if the loop repeats without end, and 1
// without a loop.
func (f *StreamBuffer) Rounds() int {
	switch c := &f.playRange; {
	case c.Endless():
		return -1
	case c.Loop.Frames() > 0:
		return int(c.Rounds)
	}
	return 1
}

// Close marks the buffer as closed, so that the decoding goroutine can end. It wakes that goroutine and a goroutine in
// Wait. It may be called twice. Control side; the audio side uses Drop.
func (f *StreamBuffer) Close() {
	f.closed.Store(true)
	signal(f.wake)
	signal(f.arrived)
}

// Drop marks the buffer as closed like Close, but wakes no goroutine. The decoding goroutine finds Closed true later.
// Audio side.
func (f *StreamBuffer) Drop() { f.closed.Store(true) }

// Wait blocks until the buffer holds n frames that are written and not released, and wakes the decoding goroutine to
// write them. It returns earlier if the buffer is full, has ended or was closed. Control side, by one goroutine at a
// time, and not while the audio side reads.
func (f *StreamBuffer) Wait(n int64) {
	n = min(n, int64(len(f.ring)))
	for f.written.Load()-f.read.Load() < n && !f.ended.Load() && !f.closed.Load() {
		signal(f.wake)
		<-f.arrived
	}
}

// Range returns the range of the buffer, which must not be changed. Any goroutine.
func (f *StreamBuffer) Range() *PlayRange { return &f.playRange }

// Written returns the number of frames written since the start of the range. Any goroutine.
func (f *StreamBuffer) Written() int64 { return f.written.Load() }

// Ended reports whether no frames follow the written ones, after End or Fail. To find the last frame, load Ended before
// Written, which is then final. Any goroutine.
func (f *StreamBuffer) Ended() bool { return f.ended.Load() }

// Failed reports whether Fail was called: the stream is broken before its end. Any goroutine.
func (f *StreamBuffer) Failed() bool { return f.broken.Load() }

// Release makes room for new frames: the frames before the given number, counted from the start of the range, are no
// longer read. Audio side.
func (f *StreamBuffer) Release(before int64) { f.read.Store(before) }

// CopyTo fills dst with interleaved stereo samples from frame number first of the buffer on. Frames before 0 and frames
// that are not written yet are silent. Samples below 2^-80 become 0. Frames from first on must not be released yet. It
// reports whether all samples are finite and within -65536..65536. Audio side.
func (f *StreamBuffer) CopyTo(dst []float32, first int64) bool {
	ring := dsp.Interleaved(f.ring)
	// From here on counts are in samples, two per frame.
	from, to, largest := 2*first, 2*f.written.Load(), float32(0)
	for len(dst) > 0 {
		n := int64(len(dst))
		switch {
		case from < 0:
			n = min(n, -from)
			clear(dst[:n])
		case from >= to:
			clear(dst)
		default:
			at := from & int64(len(ring)-1)
			n = min(n, to-from, int64(len(ring))-at)
			largest = max(largest, dsp.FlushTiny(dst[:n], ring[at:]))
		}
		dst, from = dst[n:], from+n
	}
	return largest <= playable.MaxSample
}

// signal sends a value on c without blocking. If c is full, the value is dropped.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
