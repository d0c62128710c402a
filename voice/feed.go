package voice

import (
	"math/bits"
	"sync/atomic"

	"voicepool/pcm"
)

// Feed is a single-producer, single-consumer ring buffer that carries the frames of a stream from the
// decoding goroutine to the audio side. Neither side waits for the other. It holds the frames of the stream's
// course that have been written and not released yet.
type Feed struct {
	ring    []pcm.Frame // frame i of the course is at index i & (len-1)
	course  Course
	written atomic.Int64 // number of frames written
	read    atomic.Int64 // frames before this one are released
	ended   atomic.Bool  // no frames follow the written ones
	broken  atomic.Bool  // ended early because of an error
	closed  atomic.Bool  // the reader has left
	wake    chan struct{}
	more    chan struct{}
}

// Course is the part of a stream that a feed plays, in frames at the mixer's rate. It starts at From and
// jumps back to Loop[0] each time it reaches Loop[1]. A zero Loop repeats no part. The loop plays Rounds
// times, and the rest of the stream follows; 0: without end.
type Course struct {
	From   int64
	Loop   pcm.Loop
	Rounds int64
}

// At returns the frame of the stream at index n of the course.
func (c *Course) At(n int64) int64 {
	if n += c.From; n >= c.Out() {
		return n - c.Again()
	}
	return c.Loop.At(n)
}

// Again returns how many frames the loop adds to the stream: a huge number for an endless loop.
func (c *Course) Again() int64 {
	switch size := c.Loop.Frames(); {
	case size <= 0:
		return 0
	case c.Rounds <= 0:
		return 1 << 62
	default:
		return (c.Rounds - 1) * size
	}
}

// Out returns the index at which the course leaves its loop for good, counted as if From were 0.
func (c *Course) Out() int64 { return c.Loop[1] + c.Again() }

// endless reports whether the course never ends.
func (c *Course) endless() bool { return c.Loop.Frames() > 0 && c.Rounds <= 0 }

// leastFeed is the minimum capacity of a feed in frames. A voice keeps some frames around its position and
// needs some to fade out if no more arrive.
const leastFeed = 8192

// mostFeed limits a feed to half a gigabyte, 23 minutes at 48 kHz.
const mostFeed = 1 << 26

// NewFeed returns an empty feed with room for at least the given number of frames, at most 2^26.
func NewFeed(frames int, c Course) *Feed {
	size := 1 << bits.Len(uint(min(max(frames, leastFeed), mostFeed)-1))
	return &Feed{ring: make([]pcm.Frame, size), course: c, wake: make(chan struct{}, 1), more: make(chan struct{}, 1)}
}

// Write copies as many frames as there is room for and returns how many. Only the decoding goroutine may call
// it. Samples must be finite and within -65536..65536.
func (f *Feed) Write(src []pcm.Frame) int {
	at := f.written.Load()
	n := int(min(int64(len(src)), f.read.Load()+int64(len(f.ring))-at))
	for done := 0; done < n; {
		done += copy(f.ring[(at+int64(done))&int64(len(f.ring)-1):], src[done:n])
	}
	f.written.Store(at + int64(n))
	signal(f.more)
	return n
}

// Room returns how many frames Write would accept now. Only the decoding goroutine may call it.
func (f *Feed) Room() int { return int(f.read.Load() + int64(len(f.ring)) - f.written.Load()) }

// Size returns the capacity of the feed in frames.
func (f *Feed) Size() int { return len(f.ring) }

// End marks the written frames as the last ones. Only the decoding goroutine may call it.
func (f *Feed) End() {
	f.ended.Store(true)
	signal(f.more)
}

// Fail is End for a stream that broke before its end. Only the decoding goroutine may call it.
func (f *Feed) Fail() {
	f.broken.Store(true)
	f.End()
}

// Reopen takes back End, because more frames follow. The caller is the decoding goroutine or holds the lock
// under which that goroutine calls End. A voice that has already ended stays ended and closes the feed.
func (f *Feed) Reopen() { f.ended.Store(false) }

// Closed reports whether the reader needs no more frames, so that decoding can stop.
func (f *Feed) Closed() bool { return f.closed.Load() }

// Wake returns a channel that receives a value when the control side waits for frames or closes the feed. The
// audio side sends no value, so a decoding goroutine must also check the feed from time to time.
func (f *Feed) Wake() <-chan struct{} { return f.wake }

// Prepared returns how many frames of a mix the feed can serve for sure if it is three quarters full. The
// number holds at any speed of the voice, includes the tail that the voice may leave, and excludes a fade for
// lack of frames.
func (f *Feed) Prepared(rate int) int {
	fade := max((rate+199)/200, leastFade<<maxOctaves)
	rest := len(f.ring)/4*3 - int(f.tailRoom()) - fade - 2*streamReach
	return max(rest>>maxOctaves-1, 1)
}

// tailRoom returns how many frames of the feed are kept for a tail of its voice.
func (f *Feed) tailRoom() int64 { return max(int64(len(f.ring))/8, leastFade<<maxOctaves) }

// Close tells the decoding goroutine that no more frames will be read, and wakes it. Control side; see also
// Drop.
func (f *Feed) Close() {
	f.closed.Store(true)
	signal(f.wake)
	signal(f.more)
}

// Drop is Close for the audio side: it does not wake the decoding goroutine.
func (f *Feed) Drop() { f.closed.Store(true) }

// Wait returns when n more frames can be read, when the feed is full, or when it has ended or was closed.
// Control side, one goroutine at a time, and not while the audio side reads.
func (f *Feed) Wait(n int64) {
	n = min(n, int64(len(f.ring)))
	for f.written.Load()-f.read.Load() < n && !f.ended.Load() && !f.closed.Load() {
		signal(f.wake)
		<-f.more
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
