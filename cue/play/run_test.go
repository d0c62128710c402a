package play_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cue/play"
	"voicepool/device/null"
	"voicepool/internal/leak"
	"voicepool/pcm"
)

// perform plays a sheet on a device in real time.
func perform(t *testing.T, p *play.Player, ctx context.Context, block int) error {
	t.Helper()
	if err := p.Prime(); err != nil {
		t.Fatal(err)
	}
	d := null.NewPaced(null.Config{Rate: rate, Block: block})
	if err := d.Start(p); err != nil {
		t.Fatal(err)
	}
	err := p.Run(ctx)
	if closed := d.Close(); closed != nil {
		t.Error(closed)
	}
	return err
}

// TestRun checks that real time gives the same events as a render, and that no command is late.
func TestRun(t *testing.T) {
	defer leak.Check(t)
	f := newFolder(t)
	rendered := f.player(busySheet, play.Options{Events: true})
	readAll(t, rendered, 512)
	want := rendered.Report()
	for _, block := range []int{1, 20, 64, 500} {
		p := f.player(busySheet, play.Options{Events: true, Block: block})
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			if err := perform(t, p, t.Context(), block); err != nil {
				t.Error(err)
			}
			if d := time.Since(begin); d < 500*time.Millisecond-time.Duration(block)*time.Millisecond || d > 1100*time.Millisecond {
				t.Errorf("0.62 seconds took %v", d)
			}
		})
		got := p.Report()
		if got.Totals != want.Totals || events(got) != events(want) {
			t.Errorf("in blocks of %d got\n%+v\n%s\nwant\n%+v\n%s", block, got.Totals, events(got), want.Totals, events(want))
		}
		if got.Peak != want.Peak {
			t.Errorf("a peak of %v, want %v", got.Peak, want.Peak)
		}
		if left, right := p.Levels(); left <= 0 || right <= 0 {
			t.Errorf("the levels are %v, %v", left, right)
		}
		if left, right := p.Levels(); left != 0 || right != 0 {
			t.Errorf("the levels are %v, %v when they were read", left, right)
		}
	}
}

// TestRunLong plays a quarter of an hour with a start every second, without waiting.
func TestRunLong(t *testing.T) {
	f := newFolder(t)
	p := f.player("cues: [{at: 0, play: short.wav, every: 1s, times: 900}]", play.Options{})
	synctest.Test(t, func(t *testing.T) {
		if err := perform(t, p, t.Context(), 50); err != nil {
			t.Error(err)
		}
	})
	if r := p.Report(); r.Totals.Ended != 900 || r.Totals.Late != 0 {
		t.Errorf("%+v", r.Totals)
	}
}

// TestRunIsCut checks that Run ends at the length of the sheet and that Render is silent afterwards.
func TestRunIsCut(t *testing.T) {
	f := newFolder(t)
	p := f.player("length: 333ms\nmaster: {limiter: true}\ncues: [{at: 0, play: half.wav, loop: true}, {at: 333ms, play: half.wav}]", play.Options{})
	synctest.Test(t, func(t *testing.T) {
		if err := perform(t, p, t.Context(), 50); err != nil {
			t.Error(err)
		}
	})
	if r := p.Report(); r.Frames != 333+int64(p.Mixer().LatencyFrames()) || r.Totals.Asked != 1 || r.Totals.Playing != 1 {
		t.Errorf("%d frames, %+v", r.Frames, r.Totals)
	}
	block := []pcm.Frame{{1, 1}, {1, 1}}
	if p.Render(block); block[0] != (pcm.Frame{}) || block[1] != (pcm.Frame{}) {
		t.Errorf("after the cut comes %v", block)
	}
}

// TestRunIsCancelled checks that everything fades out, including starts handed over before, and that the
// error is the context's.
func TestRunIsCancelled(t *testing.T) {
	defer leak.Check(t)
	f := newFolder(t)
	p := f.player("cues: [{at: 0, play: half.wav, loop: true, every: 40ms, times: 1000}, {at: 10ms, pause: all}, {at: 20ms, resume: all}]", play.Options{Events: true})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		if err := perform(t, p, ctx, 20); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Run gave %v", err)
		}
		// The fade takes 300 ms, all of it mixed; the last block of 20 ms is mixed ahead of time.
		d, st := time.Since(begin), p.Mixer().Stats()
		if st.SilentFrom < 1300 || st.Frame < st.SilentFrom || d < 1280*time.Millisecond || d > 1400*time.Millisecond {
			t.Errorf("it took %v to end after a second, silent from frame %d on, at frame %d", d, st.SilentFrom, st.Frame)
		}
	})
	r := p.Report()
	f.identities(r)
	if r.Totals.Playing != 0 || r.Totals.Started < 25 || r.Totals.Started > 31 {
		t.Errorf("%+v", r.Totals)
	}
	if last := r.Events[len(r.Events)-1]; last.Kind.String() != "stopped" {
		t.Errorf("the last event is %+v", last)
	}
}

// TestRunOfDeadDevice checks that Run ends when cancelled even if the device does not render.
func TestRunOfDeadDevice(t *testing.T) {
	f := newFolder(t)
	p := f.player("cues: [{at: 0, play: half.wav}]", play.Options{})
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begin := time.Now()
		if err := p.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Run gave %v", err)
		}
		if d := time.Since(begin); d > time.Minute+2*time.Second {
			t.Errorf("it took %v", d)
		}
	})
}

// TestRenderDoesNotAllocate checks Render with starts, steals and the limiter.
func TestRenderDoesNotAllocate(t *testing.T) {
	f := newFolder(t)
	p := f.player(strings.Replace(busySheet, "times: 60", "times: 600", 1), play.Options{})
	if err := p.Prime(); err != nil {
		t.Fatal(err)
	}
	block := make([]pcm.Frame, 10)
	if n := testing.AllocsPerRun(15, func() { p.Render(block) }); n != 0 {
		t.Errorf("Render allocates %v times", n)
	}
	if p.Mixer().Stats().Started < 10 {
		t.Errorf("nothing happened: %+v", p.Mixer().Stats())
	}
}

// TestRunMissesNothing checks that Run waits for starts that were handed over when the last voice ended.
func TestRunMissesNothing(t *testing.T) {
	f := newFolder(t)
	p := f.player("cues: [{at: 0, play: short.wav, id: a}, {at: 150ms, stop: a}, {at: 10s, stop: a}]", play.Options{Events: true})
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		if err := perform(t, p, t.Context(), 20); err != nil {
			t.Error(err)
		}
		if d := time.Since(begin); d > time.Second {
			t.Errorf("it took %v to play 20 ms", d)
		}
	})
	r := p.Report()
	if got, want := events(r), "0 started short.wav/0, 20 ended short.wav/0, 150 missed /1, 10000 missed /2"; got != want || r.Totals.Missed != 2 {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
