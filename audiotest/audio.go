package audiotest

import (
	"fmt"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Audio is a mixer under test, its clock, and a recording of its output.
type Audio struct {
	mixRecording
	mixer      *mixer.Mixer
	config     mixer.Config
	elapsed    time.Duration   // the sum of all steps
	inCallback bool            // a function of Do is running
	scheduled  []scheduledCall // sorted by frame
	stems      map[mixer.Stem]*track
	declared   []string // the names passed to Knows
	block      []pcm.Frame
	reader     *mixer.EventReader
	polled     []mixer.Event
	events     []mixer.Event
	voices     []*voiceHistory          // in the order of their starts
	numbers    map[uint64]*voiceHistory // by voice number
	refused    []mixer.Event
	save       string // folder for the output of a failed test; "": none
}

// scheduledCall is a function to be called at a frame.
type scheduledCall struct {
	frame int64
	call  func()
}

// New returns an Audio with a new mixer, at frame 0. It sets Config.Stems. If Config.Clock is nil, the clock
// of the mixer advances only with Step and the like. An invalid configuration ends the test, and so does a
// mixer with several outputs, because Audio records stereo. The mixer is closed at the end of the test.
func New(t testing.TB, c mixer.Config) *Audio {
	t.Helper()
	c.Stems = true
	var m *mixer.Mixer
	if c.Clock == nil {
		c.Clock = func() time.Duration { return pcm.Duration(m.Now(), m.Rate()) }
	}
	m, err := mixer.New(c)
	if err != nil {
		t.Fatalf("audiotest: %v", err)
	}
	if err := requireStereo(m); err != nil {
		m.Close()
		t.Fatalf("audiotest: %v", err)
	}
	a := &Audio{
		mixRecording: mixRecording{t: t, rate: m.Rate(), latency: m.LatencyFrames(), update: *update},
		mixer:        m, config: c, save: *save, reader: m.Engine().NewEventReader(),
		stems: map[mixer.Stem]*track{}, numbers: map[uint64]*voiceHistory{},
		block: make([]pcm.Frame, max(m.Rate()/50, 1)), polled: make([]mixer.Event, 256),
	}
	a.drawTimeline, a.describeVoices, a.describeChange = a.timeline, a.describeVoicesAt, a.describeChangedVoices
	t.Cleanup(func() {
		if n := len(a.scheduled); n > 0 && !t.Failed() && !t.Skipped() {
			t.Errorf("audiotest: %s of Do not called: the first was for %v, and %v were played", words.Count(n, "function"), pcm.Duration(a.scheduled[0].frame, a.rate), pcm.Duration(a.frames, a.rate))
		}
		if t.Failed() && a.save != "" {
			a.saveOutput()
		}
		m.Close()
	})
	return a
}

// requireStereo returns an error if a source has several outputs.
func requireStereo(src device.Source) error {
	if n := device.OutputsOf(src); n > 1 {
		return fmt.Errorf("the mixer has %d outputs, want 1: fold them (Config.Fold)", n)
	}
	return nil
}

// Mixer returns the mixer under test.
func (a *Audio) Mixer() *mixer.Mixer { return a.mixer }

// Step renders audio of duration d, at least 0. Commands that the game issued before take effect at the
// first frame. Rounding to frames does not add up: sixty steps of 1/60 s render one second.
func (a *Audio) Step(d time.Duration) {
	a.t.Helper()
	if d < 0 {
		a.t.Fatalf("audiotest: a step of %v goes back", d)
	}
	a.elapsed += d
	a.renderTo(pcm.Frames(a.elapsed, a.rate))
}

// Sleep is Step for a game that uses timers of package time: until d has passed, it renders 1 ms and then
// calls time.Sleep for 1 ms. Inside testing/synctest it takes no real time, and a command that the game
// issues at a whole millisecond takes effect exactly at the frame of that millisecond.
func (a *Audio) Sleep(d time.Duration) {
	a.t.Helper()
	for waitForGoroutines(); d > 0; waitForGoroutines() {
		piece := min(d, time.Millisecond)
		a.Step(piece)
		time.Sleep(piece)
		d -= piece
	}
}

// waitForGoroutines waits, inside testing/synctest, until all goroutines that are due now have run.
func waitForGoroutines() {
	defer func() { _ = recover() }() // outside of synctest, Wait panics
	synctest.Wait()
}

// Do schedules a function call for the time at, counted from frame 0. A later Step calls the function just
// before it renders that frame, so the commands of the function take effect exactly there. Functions for the
// same time are called in the order of Do. They may call Do and make assertions, but not Step. A time that
// is already rendered ends the test, and a test that ends before the call fails.
func (a *Audio) Do(at time.Duration, call func()) {
	a.t.Helper()
	frame := pcm.Frames(at, a.rate)
	if at < 0 || frame < a.frames {
		a.t.Fatalf("audiotest: %v is over: the next frame is at %s", at, a.formatFrame(a.frames))
	}
	after := slices.IndexFunc(a.scheduled, func(p scheduledCall) bool { return p.frame > frame })
	if after < 0 {
		after = len(a.scheduled)
	}
	a.scheduled = slices.Insert(a.scheduled, after, scheduledCall{frame, call})
}

// renderTo renders up to a frame, and calls the functions of Do on the way.
func (a *Audio) renderTo(to int64) {
	a.t.Helper()
	if a.inCallback {
		a.t.Fatal("audiotest: a function of Do steps the clock that has called it")
	}
	for a.frames < to {
		for len(a.scheduled) > 0 && a.scheduled[0].frame <= a.frames {
			call := a.scheduled[0].call
			a.scheduled = a.scheduled[1:]
			a.inCallback = true
			func() {
				defer func() { a.inCallback = false }()
				call()
			}()
		}
		n := min(to-a.frames, int64(len(a.block)), int64(a.mixer.Prepare()))
		if len(a.scheduled) > 0 {
			n = min(n, a.scheduled[0].frame-a.frames)
		}
		a.mixer.Render(a.block[:n])
		a.mix.write(a.frames, a.block[:n])
		for of, part := range a.mixer.Engine().Stems(int(n)) {
			if a.stems[of] == nil {
				a.stems[of] = &track{}
			}
			a.stems[of].write(a.frames, part)
		}
		a.frames += n
		for e := range a.newEvents() {
			a.recordEvent(e)
		}
	}
}

// newEvents iterates over the new events.
func (a *Audio) newEvents() iter.Seq[*mixer.Event] {
	return func(yield func(*mixer.Event) bool) {
		for {
			n := a.reader.Events(a.polled)
			if n == 0 {
				return
			}
			a.events = append(a.events, a.polled[:n]...)
			for i := range n {
				if !yield(&a.polled[i]) {
					return
				}
			}
		}
	}
}

// Mix returns a copy of the mix so far, after the limiter.
func (a *Audio) Mix() []pcm.Frame { return a.mix.read(0, a.frames) }

// Stem returns a copy of the contribution of one sound to the mix: the sum of all its voices with their
// tails, after all gains, pans and ducking, but before effects and the limiter, see mixer.Engine.Stems. It is
// as long as the mix. The look-ahead of the limiter delays the mix against it. If the name is unknown, Stem
// fails the test and returns nil.
func (a *Audio) Stem(name string) []pcm.Frame {
	a.t.Helper()
	stems, ok := a.stemsOf(name)
	if !ok {
		return nil
	}
	return a.sumOf(stems).read(0, a.frames)
}
