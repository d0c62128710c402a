package play_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cue/play"
	"voicepool/device/null"
	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
)

// staller is a source whose device stalls at a frame, for a time or permanently.
type staller struct {
	player *play.Player
	at     int64 // in frames
	stands time.Duration
	done   int64
	free   chan struct{} // ends a permanent stall
}

// Render renders dst, but first waits at frame s.at until a time has passed or s.free is closed.
func (s *staller) Render(dst []pcm.Frame) {
	if s.done <= s.at && s.at < s.done+int64(len(dst)) {
		select {
		case <-time.After(s.stands):
		case <-s.free:
		}
	}
	s.done += int64(len(dst))
	s.player.Render(dst)
}

const forever = 1000 * time.Hour

// stalled plays a sheet on a stalling device until ctx ends. It returns the error and the duration of Run.
func stalled(t *testing.T, p *play.Player, at int64, stands, until time.Duration) (took time.Duration, err error) {
	if err := p.Prime(); err != nil {
		t.Fatal(err)
	}
	d := null.NewPaced(null.Config{Rate: rate, Block: 20})
	s := &staller{player: p, at: at, stands: stands, free: make(chan struct{})}
	ctx, cancel := context.WithTimeout(t.Context(), until)
	defer cancel()
	begin := time.Now()
	if err := d.Start(s); err != nil {
		t.Fatal(err)
	}
	err = p.Run(ctx)
	took = time.Since(begin)
	close(s.free)
	if closed := d.Close(); closed != nil {
		t.Error(closed)
	}
	return took, err
}

// TestRunOfStallingDevice checks that Run catches up after a stall of seconds. All actions happen, late or
// not, all events are reported, and the sums are consistent.
func TestRunOfStallingDevice(t *testing.T) {
	f := newFolder(t)
	next := longtest.Every(2)
	for _, stands := range []time.Duration{50 * time.Millisecond, time.Second, 7 * time.Second, time.Minute} {
		for _, at := range []int64{0, 19, 130, 1000, 4990} {
			if !next() {
				continue
			}
			p := f.player("voices: 4\ncues: [{at: 0, play: half.wav, every: 10ms, times: 500}]", play.Options{Events: true, Record: true})
			synctest.Test(t, func(t *testing.T) {
				took, err := stalled(t, p, at, stands, 10*time.Minute)
				if err != nil || took > 6*time.Second+stands {
					t.Errorf("a stall of %v at %d: %v after %v", stands, at, err, took)
				}
			})
			r := p.Report()
			f.identities(r)
			if r.Totals.Asked != 500 || r.Totals.Playing != 0 || r.Totals.EventsLost != 0 {
				t.Errorf("a stall of %v at %d: %+v", stands, at, r.Totals)
			}
			count := map[mixer.EventKind]int64{}
			for i, e := range r.Events {
				if count[e.Kind]++; i > 0 && e.Frame < r.Events[i-1].Frame {
					t.Errorf("event %+v comes after %+v", e, r.Events[i-1])
				}
			}
			if c := r.Totals; count[mixer.EventStarted] != c.Started || count[mixer.EventStolen] != c.Stolen || count[mixer.EventEnded] != c.Ended {
				t.Errorf("a stall of %v at %d: the events are %v, the totals %+v", stands, at, count, c)
			}
			if recorder, err := p.Recorder(); err != nil || recorder.Cues() < 500 {
				t.Errorf("a stall of %v at %d: %d cues are recorded, %v", stands, at, recorder.Cues(), err)
			}
		}
	}
}

// TestRunOfStoppedDevice checks that a permanently stalled device does not delay the end, whether the end is
// requested before, during or after the beginning of the stall. The sums are consistent.
func TestRunOfStoppedDevice(t *testing.T) {
	f := newFolder(t)
	for _, text := range []string{
		"cues: [{at: 0, play: half.wav, loop: true, every: 10ms, times: 500}]",
		"length: 1100ms\ncues: [{at: 0, play: half.wav, loop: true, every: 10ms, times: 500}]",
		"cues: [{at: 0, play: half.wav, loop: true}, {at: 0, pause: all}, {at: 0.9, stop: all}]",
	} {
		for _, at := range []int64{0, 500, 999, 1010, 1150} {
			p := f.player(text, play.Options{Events: true})
			synctest.Test(t, func(t *testing.T) {
				took, err := stalled(t, p, at, forever, time.Second)
				if err != nil && !errors.Is(err, context.DeadlineExceeded) || took > 2500*time.Millisecond {
					t.Errorf("%s, stopped at %d: %v after %v", text, at, err, took)
				}
			})
			r := p.Report()
			f.identities(r)
			if r.Totals.EventsLost != 0 {
				t.Errorf("%s, stopped at %d: %+v", text, at, r.Totals)
			}
		}
	}
}
