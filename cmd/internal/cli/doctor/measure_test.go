package doctor

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device/pulse"
	"voicepool/pcm"
)

// TestMeasured checks the measurements of a driver, and that no wait exceeds its limit.
func TestMeasured(t *testing.T) {
	gone := errors.New("pulse: the sound server is gone")
	for _, c := range []struct {
		name   string
		player *player
		sound  bool
		detail string
		frames int64 // minimum
		gaps   int
		asked  bool
		ms     float64       // the latency
		took   time.Duration // maximum
	}{
		{
			name: "plays", player: &player{sink: "a"}, sound: true, detail: "a",
			frames: 239_000, asked: true, ms: 25, took: 5100 * time.Millisecond,
		},
		{
			name: "does not say what it plays on, or how late", player: &player{silent: true}, sound: true, detail: "ALSA",
			frames: 239_000, ms: 40, took: 5100 * time.Millisecond,
		},
		{
			name: "runs dry", player: &player{dry: 3}, sound: true, detail: "ALSA",
			frames: 239_000, gaps: 3, asked: true, ms: 25, took: 5100 * time.Millisecond,
		},
		{
			name: "pauses for as long as it holds", player: &player{pause: 30 * time.Millisecond}, sound: true, detail: "ALSA",
			frames: 237_000, asked: true, ms: 25, took: 5100 * time.Millisecond,
		},
		{
			name: "pauses for longer", player: &player{pause: 60 * time.Millisecond}, sound: true, detail: "ALSA",
			frames: 236_000, gaps: 1, asked: true, ms: 25, took: 5100 * time.Millisecond,
		},
		{
			name: "stands still for a second", player: &player{pause: time.Second}, sound: true, detail: "ALSA",
			frames: 191_000, gaps: 1, asked: true, ms: 25, took: 5100 * time.Millisecond,
		},
		{
			name: "takes only what it holds", player: &player{only: 1}, detail: "it has not taken a frame since it was opened",
			frames: 1920, asked: true, ms: 1000, took: 2200 * time.Millisecond,
		},
		{
			name: "is suspended", player: &player{only: 1, suspended: true, silent: true}, detail: "the sink is suspended",
			frames: 1920, ms: 40, took: 2200 * time.Millisecond,
		},
		{
			name: "stands still at the end", player: &player{only: 4500 * time.Millisecond},
			detail: "it has not taken a frame for 0.5 s",
			frames: 215_000, asked: true, ms: 25, took: 5100 * time.Millisecond,
		},
		{
			name: "stands still in the middle", player: &player{only: time.Second}, detail: "it has not taken a frame for 2.1 s",
			frames: 48_000, asked: true, ms: 25, took: 3200 * time.Millisecond,
		},
		{
			name: "dies", player: &player{only: 2 * time.Second, dies: gone}, detail: "the sound server is gone",
			frames: 95_000, asked: true, ms: 25, took: 2100 * time.Millisecond,
		},
		{
			name: "hangs when it is closed", player: &player{only: 1, hangs: true},
			detail: "it has not taken a frame since it was opened",
			frames: 1920, asked: true, ms: 1000, took: 3200 * time.Millisecond,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				ds := drivers(nil, nil, c.player, nil)
				r := Examine(t.Context(), machine{sinkErr: errNone, drivers: ds[1:]}, Options{})
				if took := time.Since(begin); took > c.took {
					t.Errorf("it took %v, want %v at the most", took, c.took)
				}
				if d := r.Drivers[0]; r.Sound != c.sound || d.Plays != c.sound || d.Detail != c.detail {
					t.Errorf("sound %v, %+v, want %v, %q", r.Sound, d, c.sound, c.detail)
				}
				m := r.Measured
				if m.Frames < c.frames || m.Gaps != c.gaps || m.Queries > 0 != c.asked || m.Latency != c.ms || m.Worst != c.ms {
					t.Errorf("measured %+v, want %d frames, %d gaps, %v ms, asked: %v", *m, c.frames, c.gaps, c.ms, c.asked)
				}
				time.Sleep(2 * openTimeout) // lets the abandoned work end
			})
		})
	}
}

// TestPatience checks that a blocked open, a silent server and a failed start end in time.
func TestPatience(t *testing.T) {
	for _, c := range []struct {
		name    string
		machine machine
		detail  string
		took    time.Duration
	}{
		{
			name: "opening", detail: "it does not open within 5s", took: 5 * time.Second,
			machine: machine{drivers: []Driver{{Name: "oto", Outputs: "ALSA", Open: func(ctx context.Context) (Player, error) {
				time.Sleep(2 * openTimeout)
				return nil, errNone
			}}}},
		},
		{
			name: "starting", detail: "there is none", took: 0,
			machine: machine{drivers: drivers(&player{refuses: errNone}, nil, nil, errNone)},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				r := Examine(t.Context(), c.machine, Options{})
				if took := time.Since(begin); took != c.took || r.Sound || r.Drivers[0].Detail != c.detail {
					t.Errorf("after %v: %+v, want %q after %v", took, r.Drivers[0], c.detail, c.took)
				}
				time.Sleep(2 * openTimeout) // lets the abandoned work end
			})
		})
	}
}

// TestInterrupted checks that at the end of the context Examine returns at once, gives no advice,
// and tries no further driver.
func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		in := machine{sinkErr: errNone, files: map[string]string{"/.dockerenv": ""},
			drivers: drivers(nil, errNone, &player{}, nil)}
		in.drivers = append(in.drivers, in.drivers[1])
		r := Examine(ctx, in, Options{})
		if took := time.Since(begin); took != time.Second || r.Sound || len(r.Advice) > 0 ||
			r.Drivers[2].Detail != "not tried" {
			t.Errorf("after %v: %+v", took, r)
		}
	})
}

// TestTone checks that silence is the default. The tone is on the left for a second, on the right
// for one, then on both, without clicks.
func TestTone(t *testing.T) {
	for _, c := range []struct {
		name string
		tone bool
		want [5][2]bool // by second: audible on the left, on the right
	}{
		{name: "silence"},
		{name: "tone", tone: true, want: [5][2]bool{{true, false}, {false, true}, {true, true}, {true, false},
			{false, true}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &player{}
				r := Examine(t.Context(), machine{drivers: drivers(p, nil, nil, errNone)}, Options{Tone: c.tone})
				if !r.Sound || r.Measured.Tone != c.tone {
					t.Fatalf("%+v", r)
				}
				for second, want := range c.want {
					for channel := range 2 {
						if got := peak(p.heard[second*48000:][:46000], channel); got > 0 != want[channel] || got > 0.11 {
							t.Errorf("second %d, channel %d: peak %v, want it heard: %v", second, channel, got, want[channel])
						}
					}
				}
				for i := 1; i < len(p.heard); i++ {
					for channel, x := range p.heard[i] {
						if d := x - p.heard[i-1][channel]; d > 0.007 || d < -0.007 { // 440 Hz at 0.1 has 0.0058
							t.Fatalf("frame %d, channel %d: a step of %v", i, channel, d)
						}
					}
				}
			})
		})
	}
}

func peak(frames []pcm.Frame, channel int) (most float32) {
	for _, f := range frames {
		most = max(most, f[channel], -f[channel])
	}
	return most
}

// TestProgress checks that progress is reported.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		m := machine{sinks: []pulse.Sink{{Name: "a"}}, drivers: drivers(&player{sink: "a"}, nil, nil, errNone)}
		Examine(t.Context(), m, Options{Progress: func(string, ...any) { told++ }})
		if told < 40 || told > 60 {
			t.Errorf("told %d times, want about every 100 ms", told)
		}
	})
}
