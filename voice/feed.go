package voice

import (
	"math/bits"
	"sync/atomic"

	"voicepool/pcm"
)

// Feed carries the frames of a stream from the goroutine that decodes them to
// the audio side. One goroutine writes and one reads; neither ever waits for the
// other. It holds a part of the stream's course: what has been written and is
// not let go of yet.
type Feed struct {
	ring    []pcm.Frame // the frame i of the course stands at i & (len-1)
	course  Course
	written atomic.Int64 // frames of the course, from 0
	read    atomic.Int64 // frames before it are not needed any more
	ended   atomic.Bool  // nothing follows what is written
	broken  atomic.Bool  // ... although more was to come
	closed  atomic.Bool  // nobody reads any more
	wake    chan struct{}
	more    chan struct{}
}

// Course is where in its stream a feed begins and what it repeats, in frames of
// the mixer's rate: the frames From, From+1, ... and, each time Loop[1] has come,
// on from Loop[0]. A zero Loop repeats nothing. With Rounds the loop is played so
// often, and then what is behind it; 0: without end.
type Course struct {
	From   int64
	Loop   pcm.Loop
	Rounds int64
}

// At returns the frame of the stream that is the nth of the course.
func (c *Course) At(n int64) int64 {
	if n += c.From; n >= c.Out() {
		return n - c.Again()
	}
	return c.Loop.At(n)
}

// Again returns how many frames the loop adds to the stream; many where it is without end.
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

// Out returns at which place the course leaves its loop for good, counted as if From were 0.
func (c *Course) Out() int64 { return c.Loop[1] + c.Again() }

// endless reports whether the course never ends.
func (c *Course) endless() bool { return c.Loop.Frames() > 0 && c.Rounds <= 0 }

// leastFeed is how many frames a feed holds at least: a voice keeps some around
// its place, and fades out over others when no more come.
const leastFeed = 8192

// mostFeed bounds a feed to half a gigabyte, 23 minutes at 48 kHz.
const mostFeed = 1 << 26

// NewFeed returns an empty feed that holds at least so many frames, but at most
// 2^26.
func NewFeed(frames int, c Course) *Feed {
	size := 1 << bits.Len(uint(min(max(frames, leastFeed), mostFeed)-1))
	return &Feed{ring: make([]pcm.Frame, size), course: c, wake: make(chan struct{}, 1), more: make(chan struct{}, 1)}
}

// Write takes as many frames as there is room for and returns how many.
// The decoding goroutine alone. Frames must be finite and within -65536..65536.
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

// Room returns how many frames Write would take now. The decoding goroutine
// alone.
func (f *Feed) Room() int { return int(f.read.Load() + int64(len(f.ring)) - f.written.Load()) }

// Size returns how many frames the feed holds at most.
func (f *Feed) Size() int { return len(f.ring) }

// End says that nothing follows what has been written. The decoding goroutine
// alone.
func (f *Feed) End() {
	f.ended.Store(true)
	signal(f.more)
}

// Fail is End of what broke: more was to come. The decoding goroutine alone.
func (f *Feed) Fail() {
	f.broken.Store(true)
	f.End()
}

// Reopen says that something follows after all. The decoding goroutine, or who
// holds the lock under which it calls End. A voice that has come to the end
// already stays ended, and closes the feed.
func (f *Feed) Reopen() { f.ended.Store(false) }

// Closed reports whether nobody needs the rest: time to stop decoding.
func (f *Feed) Closed() bool { return f.closed.Load() }

// Wake returns a channel on which something comes when somebody waits for
// frames, or has closed the feed from the control side. The audio side only
// moves on, so a decoding goroutine looks now and then by itself too.
func (f *Feed) Wake() <-chan struct{} { return f.wake }

// Prepared returns how many frames of a mix the feed surely serves when three
// quarters of it are full, whatever the speed of the voice: with the tail that it may
// leave at any of them, and without a fade for want of frames.
func (f *Feed) Prepared(rate int) int {
	fade := max((rate+199)/200, leastFade<<maxOctaves)
	rest := len(f.ring)/4*3 - int(f.tailRoom()) - fade - 2*streamReach
	return max(rest>>maxOctaves-1, 1)
}

// tailRoom returns how many frames of the feed are kept for a tail of its voice.
func (f *Feed) tailRoom() int64 { return max(int64(len(f.ring))/8, leastFade<<maxOctaves) }

// Close says that nobody will read any more. Control side; see also Drop.
func (f *Feed) Close() {
	f.closed.Store(true)
	signal(f.wake)
	signal(f.more)
}

// Drop is Close for the audio side: the decoding goroutine is not woken.
func (f *Feed) Drop() { f.closed.Store(true) }

// Wait returns when n more frames can be read, or all that the feed can hold,
// or when it has ended or was closed. Control side, one goroutine at a time;
// not while the audio side reads.
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
