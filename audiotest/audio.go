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

// Audio is a mixer, the clock that it goes by, and what it has played so far.
type Audio struct {
	take
	mixer   *mixer.Mixer
	config  mixer.Config
	elapsed time.Duration // the time that was stepped
	doing   bool          // a function of Do is running
	planned []plan        // in the order of their frames
	stems   map[mixer.Stem]*track
	may     []string // what Knows was told
	block   []pcm.Frame
	reader  *mixer.EventReader
	polled  []mixer.Event
	events  []mixer.Event
	voices  []*life          // in the order of their starts
	numbers map[uint64]*life // by their numbers
	refused []mixer.Event
	save    string // where a failed test leaves what it heard; "": nowhere
}

// plan is a call of the game at a frame.
type plan struct {
	frame int64
	call  func()
}

// New returns a mixer of a configuration, at frame 0. Config.Stems is set for it, and
// Config.Clock, where there is none, goes by the steps. A configuration that is wrong ends
// the test, and so do several outputs: what is heard here is stereo. The mixer is closed with the
// test.
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
	if err := stereo(m); err != nil {
		m.Close()
		t.Fatalf("audiotest: %v", err)
	}
	a := &Audio{
		take:  take{t: t, rate: m.Rate(), update: *update},
		mixer: m, config: c, save: *save, reader: m.NewEventReader(),
		stems: map[mixer.Stem]*track{}, numbers: map[uint64]*life{},
		block: make([]pcm.Frame, max(m.Rate()/50, 1)), polled: make([]mixer.Event, 256),
	}
	a.picture, a.around = a.timeline, a.sounding
	t.Cleanup(func() {
		if n := len(a.planned); n > 0 && !t.Failed() && !t.Skipped() {
			t.Errorf("audiotest: %s of Do not called: the first was for %v, and %v were played", words.Count(n, "function"), pcm.Duration(a.planned[0].frame, a.rate), pcm.Duration(a.frames, a.rate))
		}
		if t.Failed() && a.save != "" {
			a.leave()
		}
		m.Close()
	})
	return a
}

// stereo returns an error where a source has several outputs.
func stereo(src device.Source) error {
	if n := device.OutputsOf(src); n > 1 {
		return fmt.Errorf("the mixer has %d outputs, want 1: fold them (Config.Fold)", n)
	}
	return nil
}

// Mixer returns the mixer, for the game.
func (a *Audio) Mixer() *mixer.Mixer { return a.mixer }

// Step plays so long, at once. What the game has asked for acts from the first frame on.
// Frames are counted from the sum of all steps, so that steps of a sixtieth of a second do
// not drift.
func (a *Audio) Step(d time.Duration) {
	a.t.Helper()
	if d < 0 {
		a.t.Fatalf("audiotest: a step of %v goes back", d)
	}
	a.elapsed += d
	a.play(pcm.Frames(a.elapsed, a.rate))
}

// Sleep is Step for a game that goes by the clock of package time: it plays 1 ms, sleeps
// 1 ms, and so on. Inside testing/synctest that takes no time, and what the game does at a
// whole millisecond of that clock acts at the frame of it, whatever the scheduler does.
func (a *Audio) Sleep(d time.Duration) {
	a.t.Helper()
	for settle(); d > 0; settle() {
		piece := min(d, time.Millisecond)
		a.Step(piece)
		time.Sleep(piece)
		d -= piece
	}
}

// settle waits, inside testing/synctest, until all that is due now has been done.
func settle() {
	defer func() { _ = recover() }() // outside of it there is nothing to wait for
	synctest.Wait()
}

// Do has a function called when at has passed since frame 0, before the frame there is
// played: what it asks of the mixer acts at that very frame. Functions of the same time are
// called in the order of Do. They may call Do and make assertions, but not Step. A test that ends
// before one of them is called fails.
func (a *Audio) Do(at time.Duration, call func()) {
	a.t.Helper()
	frame := pcm.Frames(at, a.rate)
	if at < 0 || frame < a.frames {
		a.t.Fatalf("audiotest: %v is over: the next frame is at %s", at, a.when(a.frames))
	}
	after := slices.IndexFunc(a.planned, func(p plan) bool { return p.frame > frame })
	if after < 0 {
		after = len(a.planned)
	}
	a.planned = slices.Insert(a.planned, after, plan{frame, call})
}

// play goes on to a frame.
func (a *Audio) play(to int64) {
	a.t.Helper()
	if a.doing {
		a.t.Fatal("audiotest: a function of Do steps the clock that has called it")
	}
	for a.frames < to {
		for len(a.planned) > 0 && a.planned[0].frame <= a.frames {
			call := a.planned[0].call
			a.planned = a.planned[1:]
			a.doing = true
			func() {
				defer func() { a.doing = false }()
				call()
			}()
		}
		n := min(to-a.frames, int64(len(a.block)), int64(a.mixer.Prepare()))
		if len(a.planned) > 0 {
			n = min(n, a.planned[0].frame-a.frames)
		}
		a.mixer.Render(a.block[:n])
		a.mix.write(a.frames, a.block[:n])
		for of, part := range a.mixer.Stems(int(n)) {
			if a.stems[of] == nil {
				a.stems[of] = &track{}
			}
			a.stems[of].write(a.frames, part)
		}
		a.frames += n
		for e := range a.poll() {
			a.live(e)
		}
	}
}

// poll goes through the events that have come.
func (a *Audio) poll() iter.Seq[*mixer.Event] {
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

// Mix returns what was heard so far, after the limiter: a copy.
func (a *Audio) Mix() []pcm.Frame { return a.mix.read(0, a.frames) }

// Stem returns what the starts of a name alone put into the mix so far, tails included,
// through all gains, places and ducks: a copy, as long as the mix. It comes before the
// limiter, whose look-ahead delays the mix, and before effects: see mixer.Mixer.Stems.
// Of a name that nothing has it fails the test and returns nil.
func (a *Audio) Stem(name string) []pcm.Frame {
	a.t.Helper()
	stems, ok := a.known(name)
	if !ok {
		return nil
	}
	return a.sum(stems).read(0, a.frames)
}

// Sound asserts that anything is heard, and returns all of the mix, from its first sound
// to its last. A sound is a sample above -84 dBFS.
func (a *Audio) Sound() *Heard {
	a.t.Helper()
	return a.sound()
}

// Silent asserts that nothing is heard in the mix from one time to another: no sample is
// above -84 dBFS.
func (a *Audio) Silent(from, to time.Duration) {
	a.t.Helper()
	a.silent(from, to)
}
