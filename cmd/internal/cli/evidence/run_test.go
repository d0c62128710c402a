package evidence

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/cli/doctor"
	"voicepool/device"
	"voicepool/device/auto"
	"voicepool/device/pulse"
	"voicepool/internal/loopback"
	"voicepool/pcm"
)

// world is a simulated machine, its person, and its device, which pulls 10 ms of audio every 10 ms.
type world struct {
	openErr, serverErr error
	sinks              []pulse.Sink
	unnamed            bool // the driver does not name its sink
	capture            string
	unheard            int           // starts that a recording misses
	slow               time.Duration // added to each block

	mutex   sync.Mutex
	wall    time.Duration // lead of the clock on the wall
	sink    string
	reason  string
	since   time.Time // of the loss
	lost    time.Duration
	events  []auto.Event
	stop    chan struct{}
	done    chan struct{}
	said    []string
	acts    map[string]func(w *world) // by the beginning of a line of the program
	lines   chan string
	starved int64
	stall   time.Duration // of the program after the next look at the clock on the wall
}

func (w *world) Start(src device.Source) error {
	w.stop, w.done = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(w.done)
		block := make([]pcm.Frame, 480)
		for {
			src.Render(block)
			select {
			case <-w.stop:
				return
			case <-time.After(10*time.Millisecond + w.slow):
			}
		}
	}()
	return nil
}

func (w *world) Close() error {
	close(w.stop)
	<-w.done
	return nil
}

// locked returns what read returns, under the lock.
func locked[T any](w *world, read func() T) T {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return read()
}

func (w *world) Rate() int         { return 48000 }
func (w *world) Latency() int      { return 1920 }
func (w *world) Err() error        { return nil }
func (w *world) Driver() string    { return "pulse" }
func (w *world) Underflows() int64 { return w.starved }
func (w *world) Reason() string    { return locked(w, func() string { return w.reason }) }
func (w *world) Sink() string      { return locked(w, func() string { return w.sink }) }

func (w *world) Unheard() time.Duration {
	return locked(w, func() time.Duration {
		if w.reason != "" {
			return w.lost + time.Since(w.since)
		}
		return w.lost
	})
}

func (w *world) Events(dst []auto.Event) int {
	return locked(w, func() int {
		n := copy(dst, w.events)
		w.events = w.events[n:]
		return n
	})
}

// lose ends the sound, and mend brings it back after a time, if that is not 0.
func (w *world) lose(reason string, mend time.Duration) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.reason, w.since = reason, time.Now()
	w.events = append(w.events, auto.Event{Kind: auto.Lost, Reason: reason, Final: mend == 0})
	if mend > 0 {
		time.AfterFunc(mend, func() {
			w.mutex.Lock()
			defer w.mutex.Unlock()
			w.reason, w.lost = "", w.lost+time.Since(w.since)
			w.events = append(w.events, auto.Event{Kind: auto.Back, On: "pulse on " + w.sink})
		})
	}
}

// move moves the sound and the default to a sink.
func (w *world) move(sink string) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.sink = sink
}

func (w *world) Calibrate(context.Context, time.Duration) error { return nil }

func (w *world) Measure(ctx context.Context, starts int, rest time.Duration, play func() error) (r loopback.Result, err error) {
	for i := range starts {
		time.Sleep(rest)
		if err := play(); err != nil {
			return r, err
		}
		if i < w.unheard {
			r.Unheard++
			continue
		}
		took := time.Duration(30+i) * time.Millisecond
		r.Heard, r.Judged = append(r.Heard, took), append(r.Judged, took-time.Millisecond)
	}
	return r, nil
}

// recording is a Listener whose Close does not end the device.
type recording struct{ *world }

func (recording) Close() {}

// say keeps the line and lets the person act a second later.
func (w *world) say(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	w.said = append(w.said, line)
	for begin, act := range w.acts {
		if strings.HasPrefix(line, begin) {
			time.AfterFunc(time.Second, func() { act(w) })
		}
	}
}

// types returns an act: the person types a line.
func types(line string) func(*world) { return func(w *world) { w.lines <- line } }

// run runs all steps on the machine, and checks that Parse accepts the report.
func (w *world) run(t *testing.T, ctx context.Context, o Options) *Report {
	t.Helper()
	if w.sink == "" && !w.unnamed {
		w.sink = "speakers"
	}
	m := Machine{
		System: doctor.System{OS: "linux", Arch: "amd64"}, Secrets: []string{"anna"},
		Open: func() (Device, error) {
			if w.openErr != nil {
				return nil, w.openErr
			}
			return w, nil
		},
		Server: func(context.Context) (loopback.Server, error) {
			if w.openErr != nil {
				t.Error("without a device, the server is asked")
			}
			return loopback.Server{Name: "pulseaudio 16.1", Capture: w.capture}, w.serverErr
		},
		Listen: func(context.Context, string) (Listener, error) { return recording{w}, nil },
		Sinks: func(context.Context) ([]pulse.Sink, error) {
			return locked(w, func() []pulse.Sink { return append([]pulse.Sink(nil), w.sinks...) }), w.serverErr
		},
		Wall: func() time.Time {
			now := time.Now().Add(locked(w, func() time.Duration { return w.wall }))
			time.Sleep(locked(w, func() time.Duration { d := w.stall; w.stall = 0; return d }))
			return now
		},
	}
	o.Say, o.Progress, o.Program = w.say, func(string, ...any) {}, "devel"
	if o.StepTime == 0 {
		o.StepTime = 5 * time.Second
	}
	o.DriftTime = 6 * time.Second
	r, err := Run(ctx, m, o)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := r.Encode(&text); err != nil {
		t.Fatal(err)
	}
	if _, err := Parse([]byte(text.String())); err != nil {
		t.Errorf("%v in\n%s", err, text.String())
	}
	return r
}

// bubble runs test with a new world in a bubble of simulated time.
func bubble(t *testing.T, name string, test func(t *testing.T, w *world)) {
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			test(t, &world{sinks: []pulse.Sink{{Name: "speakers", Default: true}, {Name: "phones"}}, lines: make(chan string)})
		})
	})
}

// want checks the state of a step, and that its detail contains a text.
func want(t *testing.T, r *Report, step string, state State, detail string) {
	t.Helper()
	for _, row := range r.Steps.Rows() {
		if row.Name == step && (row.State != state || !strings.Contains(row.Detail, detail)) {
			t.Errorf("%s: %s: %q, want %s and %q", step, row.State, row.Detail, state, detail)
		}
	}
}

func TestRun(t *testing.T) {
	bubble(t, "all hands", func(t *testing.T, w *world) {
		w.capture = "microphone"
		w.acts = map[string]func(*world){
			"did you hear":       types("y"),
			"put the microphone": types(""),
			"choose another": func(w *world) {
				w.move("phones")
				w.mutex.Lock()
				defer w.mutex.Unlock()
				w.sinks[0].Default, w.sinks[1].Default = false, true
			},
			"put the machine": func(w *world) {
				w.mutex.Lock()
				w.wall += 12 * time.Second // its clock for programs stops
				w.mutex.Unlock()
				w.lose("the machine stood still", 400*time.Millisecond)
			},
			"unplug": func(w *world) { w.lose("the sink of anna is gone", 3*time.Second) },
		}
		r := w.run(t, t.Context(), Options{Lines: w.lines})
		for _, row := range r.Steps.Rows() {
			if row.State != Passed {
				t.Errorf("%s: %s: %s", row.Name, row.State, row.Detail)
			}
		}
		s := &r.Steps
		// Sound: three parts of 5/3 s, each until the next of the looks, which are 20 ms apart.
		if f := *s.Sound.Figures; f.FramesPlayed < 3*1.67*48000 || f.FramesPlayed > 3*1.69*48000 || f.Gaps != 0 || f.LongestPauseMS != 10 || f.Heard != "yes" {
			t.Errorf("sound %+v", f)
		}
		if f := *s.Monitor.Figures; f.Starts != 20 || f.Unheard != 0 || f.MedianMS != 40 || f.WorstMS != 49 || f.MedianWithoutMS != 39 {
			t.Errorf("monitor %+v", f)
		}
		if f := *s.Drift.Figures; f.DriftPPM != 0 || f.Jumps != 0 || f.MeasuredSeconds != 6 {
			t.Errorf("drift %+v", f)
		}
		if f := *s.DefaultChange.Figures; f.From != "speakers" || f.To != "phones" || !f.Followed || f.FramesLost != 0 {
			t.Errorf("default change %+v", f)
		}
		if f := *s.Sleep.Figures; f.AsleepSeconds < 12 || f.AsleepSeconds > 12.1 || !f.ClockStopped ||
			f.BackAfterSeconds < 0.3 || f.BackAfterSeconds > 0.5 || f.FramesLost != 19200 {
			t.Errorf("sleep %+v", f)
		}
		if f := *s.Unplugging.Figures; f.Cause != "the sink of # is gone" || f.AwaySeconds < 2.9 || f.AwaySeconds > 3.1 ||
			f.FramesLost != 144000 || f.BackOn != "phones" || f.MovedTo != "" {
			t.Errorf("unplugging %+v", f)
		}
	})
	bubble(t, "nobody there", func(t *testing.T, w *world) {
		begin := time.Now()
		r := w.run(t, t.Context(), Options{})
		want(t, r, "sound", Passed, "frames")
		want(t, r, "latency_to_capture", Skipped, "no microphone")
		want(t, r, "default_change", Skipped, "the default output did not change within 5s")
		want(t, r, "sleep", Skipped, "the machine did not sleep within 5s")
		want(t, r, "unplugging", Skipped, "no output was unplugged within 5s")
		if took := time.Since(begin); r.Failed() || r.Steps.Sound.Figures.Heard != "unknown" || took > 45*time.Second {
			t.Errorf("%v, after %v", r.Steps.Rows(), took)
		}
	})
	bubble(t, "Enter skips", func(t *testing.T, w *world) {
		w.acts = map[string]func(*world){
			"did you hear": types("n"), "choose": types(""), "put the machine": types(""), "unplug": types(""),
		}
		r := w.run(t, t.Context(), Options{Lines: w.lines, StepTime: time.Hour})
		want(t, r, "sound", Failed, "the person did not hear")
		for _, name := range []string{"default_change", "sleep", "unplugging"} {
			want(t, r, name, Skipped, "skipped by the person")
		}
		if !r.Failed() {
			t.Error("the report did not fail")
		}
	})
	bubble(t, "no device", func(t *testing.T, w *world) {
		w.openErr, w.serverErr = errors.New("pulse: no sound server at /run/user/1000/pulse"), errors.New("none")
		r := w.run(t, t.Context(), Options{})
		want(t, r, "sound", Failed, "no sound server at #")
		for _, row := range r.Steps.Rows()[1:] {
			want(t, r, row.Name, Skipped, "no sound server at #")
		}
	})
	bubble(t, "one sink, muted", func(t *testing.T, w *world) {
		w.sinks = []pulse.Sink{{Name: "speakers", Default: true, Muted: true}}
		r := w.run(t, t.Context(), Options{StepTime: time.Second})
		want(t, r, "sound", Failed, "the sink speakers is muted")
		want(t, r, "default_change", Skipped, "one sink")
	})
	bubble(t, "a driver without names", func(t *testing.T, w *world) {
		w.unnamed, w.serverErr = true, errors.New("none")
		w.acts = map[string]func(*world){
			"choose": types("y"),
			"unplug": func(w *world) { w.lose("the card is gone", 0) },
		}
		r := w.run(t, t.Context(), Options{Lines: w.lines})
		want(t, r, "latency_to_monitor", Skipped, "no sound server to record from: none")
		want(t, r, "default_change", Passed, "")
		want(t, r, "unplugging", Failed, "cannot come back in this process")
	})
	bubble(t, "a server that moves the sound", func(t *testing.T, w *world) {
		w.unheard = 5
		w.acts = map[string]func(*world){
			"unplug":           func(w *world) { w.move("phones") },
			"the server moved": func(w *world) { w.move("speakers") },
		}
		r := w.run(t, t.Context(), Options{})
		want(t, r, "latency_to_monitor", Failed, "the monitor recorded 15 of 20 starts, want at least 16")
		if f := *r.Steps.Unplugging.Figures; f.MovedTo != "phones" || f.BackOn != "speakers" || f.FramesLost != 0 {
			t.Errorf("unplugging %+v", f)
		}
	})
	for name, acts := range map[string]map[string]func(*world){
		"moved":     {"unplug": func(w *world) { w.move("phones") }},
		"lost":      {"unplug": func(w *world) { w.lose("gone", time.Hour) }},
		"gone":      {"unplug": func(w *world) { w.move("phones") }, "the server moved": func(w *world) { w.lose("gone", time.Hour) }},
		"Enter":     {"unplug": func(w *world) { w.lose("gone", time.Hour) }, "the output is lost": types("")},
		"and Enter": {"unplug": func(w *world) { w.move("phones") }, "the server moved": types("")},
	} {
		bubble(t, "not plugged in again: "+name, func(t *testing.T, w *world) {
			w.unheard, w.acts = 20, acts
			r := w.run(t, t.Context(), Options{Lines: w.lines})
			want(t, r, "latency_to_monitor", Skipped, "the monitor recorded 0 of 20 starts; raise the volume of the sink speakers")
			want(t, r, "unplugging", Skipped, "the output was not plugged in again within 5s; lost after 1.0 s, not back")
			if f := *r.Steps.Unplugging.Figures; f.AwaySeconds != 0 || f.BackOn != "" {
				t.Errorf("unplugging %+v", f)
			}
		})
	}
	bubble(t, "a slow device", func(t *testing.T, w *world) {
		w.slow = time.Microsecond // 100 ppm
		r := w.run(t, t.Context(), Options{StepTime: time.Second})
		if f := *r.Steps.Drift.Figures; f.DriftPPM > -99 || f.DriftPPM < -101 {
			t.Errorf("drift %+v", f)
		}
	})
	bubble(t, "lost while the drift is measured", func(t *testing.T, w *world) {
		w.acts = map[string]func(*world){"latency_to_capture": func(w *world) { w.lose("gone", 2*time.Second) }}
		r := w.run(t, t.Context(), Options{StepTime: time.Second})
		want(t, r, "drift", Failed, "the sound was lost: gone")
		want(t, r, "sleep", Skipped, "did not sleep")
	})
	bubble(t, "a sleep until after the limit", func(t *testing.T, w *world) {
		w.acts = map[string]func(*world){"put the machine": func(w *world) {
			w.mutex.Lock()
			defer w.mutex.Unlock()
			w.stall = 20 * time.Second
		}}
		r := w.run(t, t.Context(), Options{})
		want(t, r, "sleep", Passed, "asleep for 20.0 s")
	})
	bubble(t, "lines typed before the question", func(t *testing.T, w *world) {
		w.lines = make(chan string, 64)
		w.acts = map[string]func(*world){
			"did you hear": types(" YES "), "latency_to_capture": func(w *world) { types("y")(w); types("")(w) }, "default_change": types(""),
		}
		r := w.run(t, t.Context(), Options{Lines: w.lines})
		want(t, r, "default_change", Skipped, "did not change within 5s")
		want(t, r, "sleep", Skipped, "skipped by the person") // typed a second after its question
		if r.Steps.Sound.Figures.Heard != "yes" {
			t.Errorf("sound %+v", r.Steps.Sound.Figures)
		}
	})
	bubble(t, "an answer typed before the question", func(t *testing.T, w *world) {
		w.unnamed, w.serverErr, w.lines = true, errors.New("none"), make(chan string, 64)
		w.acts = map[string]func(*world){"latency_to_capture": types("y")}
		r := w.run(t, t.Context(), Options{Lines: w.lines})
		want(t, r, "default_change", Skipped, "no answer of the person")
	})
	bubble(t, "interrupted before the first step", func(t *testing.T, w *world) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if r := w.run(t, ctx, Options{}); !r.Interrupted || r.Steps.Sound.Reason != "interrupted before" {
			t.Errorf("interrupted %v, sound %+v", r.Interrupted, r.Steps.Sound)
		}
	})
	bubble(t, "interrupted", func(t *testing.T, w *world) {
		ctx, cancel := context.WithCancel(t.Context())
		w.acts = map[string]func(*world){"latency_to_capture": func(*world) { cancel() }}
		r := w.run(t, ctx, Options{})
		want(t, r, "sound", Passed, "frames")
		want(t, r, "drift", Skipped, "interrupted")
		want(t, r, "sleep", Skipped, "interrupted before")
		if !r.Interrupted || r.Failed() {
			t.Errorf("interrupted %v, failed %v", r.Interrupted, r.Failed())
		}
	})
}

// TestParse checks that faulty reports are rejected in one line.
func TestParse(t *testing.T) {
	skippedStep := `{"state": "skipped", "reason": "x", "seconds": 0, "machine_late_ms": 0}`
	report := func(sound string) string {
		s := `{"version": 1, "steps": {"sound": ` + sound
		for _, name := range []string{"latency_to_monitor", "latency_to_capture", "drift", "default_change", "sleep", "unplugging"} {
			s += `, "` + name + `": ` + skippedStep
		}
		return s + "}}"
	}
	for _, c := range []struct{ text, want string }{
		{report(skippedStep), ""},
		{"{", "unexpected EOF"},
		{report(skippedStep) + "{}", "text after the report, want one JSON object"},
		{strings.Replace(report(skippedStep), `"version": 1`, `"version": 2`, 1), "version is 2, want 1"},
		{strings.Replace(report(skippedStep), `"version"`, `"host": "x", "version"`, 1), `unknown field "host"`},
		{report(`{"state": "ok"}`), `steps.sound.state is "ok", want passed, failed or skipped`},
		{report(`{"state": "passed"}`), "steps.sound.figures is missing"},
		{report(`{"state": "failed"}`), "steps.sound.reason is"},
		{report(`{"state": "passed", "reason": "x", "figures": {}}`), "steps.sound.reason is"},
		{report(`{"state": "passed", "figures": {"frames": 1}}`), `unknown field "frames"`},
		{`{"version": 1}`, "steps.sound.state"},
	} {
		_, err := Parse([]byte(c.text))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("Parse(%s): %v, want %q", c.text, err, c.want)
		}
	}
}
