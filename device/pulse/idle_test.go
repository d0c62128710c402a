//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package pulse

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jfreymuth/pulse/proto"

	"voicepool/device"
	"voicepool/pcm"
)

// sleeper is a source that is silent, except for requested frames.
type sleeper struct {
	asked chan struct{}

	mu     sync.Mutex
	frames int64 // rendered and passed
	loud   int   // remaining frames that are not silence
	busy   bool  // it does not sleep
	slept  time.Time
	sleeps int
}

func newSleeper() *sleeper { return &sleeper{asked: make(chan struct{}, 1)} }

func (d *sleeper) Render(dst []pcm.Frame) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.slept.IsZero() {
		panic("it is rendered in its sleep")
	}
	for i := range dst {
		dst[i] = pcm.Frame{}
		if d.loud > 0 {
			dst[i] = pcm.Frame{float32(d.loud), 1}
			d.loud--
		}
	}
	d.frames += int64(len(dst))
}

func (d *sleeper) Sleep(at time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.busy || d.loud > 0 {
		return false
	}
	d.slept = at
	d.sleeps++
	return true
}

func (d *sleeper) Asked() <-chan struct{} { return d.asked }

func (d *sleeper) Wake(at time.Time) int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := pcm.Frames(at.Sub(d.slept), 48000)
	d.slept = time.Time{}
	d.frames += n
	return n
}

// play requests frames that are not silence.
func (d *sleeper) play(frames int) {
	d.mu.Lock()
	d.loud = frames
	d.mu.Unlock()
	d.asked <- struct{}{}
}

func (d *sleeper) state() (frames int64, sleeps int, busy bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.frames, d.sleeps, d.busy
}

var _ device.Sleeper = (*sleeper)(nil)

// within reports whether a number of frames matches a time, up to one or two blocks, and one more per corking,
// because the test's server resumes at its own ticks.
func within(s *server, frames int64, since time.Duration) bool {
	want := pcm.Frames(since, 48000)
	_, corks := s.corking()
	return frames >= want-1000 && frames <= want+buffered+1000+480*int64(corks)
}

// idling returns a device that has just started to play a source that may sleep.
func idling(t *testing.T) (*server, *sleeper, *Device) {
	s, src := &server{}, newSleeper()
	d := ready(t, s, Config{})
	if err := d.Start(src); err != nil {
		t.Fatal(err)
	}
	return s, src, d
}

// TestIdle checks that a source that has been silent for a second and sleeps is not pulled, except for a moment
// every 4 s. It keeps time, and a new sound is sent at once and completely.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, src, d := idling(t)
		defer d.Close()
		begin := time.Now()
		time.Sleep(900 * time.Millisecond)
		if corked, _ := s.corking(); corked {
			t.Error("it rests before a second is over")
		}
		time.Sleep(200 * time.Millisecond)
		if corked, _ := s.corking(); !corked {
			t.Error("it does not rest after a second")
		}
		time.Sleep(time.Minute)
		if _, corks := s.corking(); corks < 13 || corks > 17 {
			t.Errorf("it was stopped %d times in a minute, want some 15", corks)
		}
		if sent := len(s.taken()); sent > 3*48000 {
			t.Errorf("%d frames were sent in a minute of sleep", sent)
		}
		if frames := d.Frames(); !within(s, frames, time.Since(begin)) {
			t.Errorf("%d frames after %v", frames, time.Since(begin))
		}
		for i := range 20 {
			time.Sleep(time.Duration(1000+271*i) * time.Millisecond)
			synctest.Wait()
			before := len(s.taken())
			src.play(300)
			synctest.Wait()
			time.Sleep(20 * time.Millisecond)
			synctest.Wait()
			if corked, _ := s.corking(); corked {
				t.Fatal("it rests while there is something to play")
			}
			next := float32(300)
			for _, f := range s.taken()[before:] {
				if f != (pcm.Frame{}) {
					if f[0] != next {
						t.Fatalf("frame %v, want %v", f[0], next)
					}
					next--
				}
			}
			if next != 0 {
				t.Fatalf("%v of 300 frames were not sent within 20 ms", next)
			}
			if frames, _, _ := src.state(); !within(s, frames, time.Since(begin)) {
				t.Fatalf("the source is at %d after %v", frames, time.Since(begin))
			}
		}
		synctest.Wait()
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestNotIdle checks that a source that does not sleep, or is not a Sleeper, is pulled as usual.
func TestNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, src := &server{}, newSleeper()
		src.busy = true
		d := ready(t, s, Config{})
		if err := d.Start(src); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if _, corks := s.corking(); corks != 0 || !within(s, int64(len(s.taken())), 10*time.Second) {
			t.Errorf("stopped %d times, %d frames sent", corks, len(s.taken()))
		}
		d.Close()
	})
}

// TestIdleEnds checks that a server that does not answer a cork or uncork does not delay the source, and Close
// ends a sleep at once.
func TestIdleEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, src, d := idling(t)
		defer d.Close()
		begin := time.Now()
		time.Sleep(500 * time.Millisecond)
		s.mute(proto.OpCorkPlaybackStream)
		for range 20 {
			time.Sleep(700 * time.Millisecond)
			if frames, _, _ := src.state(); frames < pcm.Frames(time.Since(begin)-time.Second, 48000) {
				t.Fatalf("the source is at %d after %v", frames, time.Since(begin))
			}
		}
		if _, sleeps, _ := src.state(); sleeps == 0 {
			t.Error("it never slept")
		}
		closing := time.Now()
		if d.Close(); time.Since(closing) > 10*time.Millisecond {
			t.Errorf("Close took %v", time.Since(closing))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s, src, d := idling(t)
		time.Sleep(2 * time.Second)
		closing := time.Now()
		if d.Close(); time.Since(closing) > 10*time.Millisecond {
			t.Errorf("Close took %v in a rest", time.Since(closing))
		}
		if frames, _, _ := src.state(); !within(s, frames, 2*time.Second) {
			t.Errorf("the source is at %d", frames)
		}
	})
}
