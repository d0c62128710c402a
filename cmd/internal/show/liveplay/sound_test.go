package liveplay

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cue/report"
	"voicepool/device"
	"voicepool/device/auto"
	"voicepool/device/null"
	"voicepool/mixer"
	"voicepool/pcm"
)

// quiet makes this a machine without sound, as far as possible.
func quiet(t *testing.T) {
	if paths, _ := filepath.Glob("/dev/snd/pcm*p"); len(paths) > 0 {
		t.Skip("this machine has a sound card")
	}
	t.Setenv("PULSE_SERVER", "/nowhere/native")
}

// TestOpenCard checks that auto prints a message without a card, and that a named driver is an
// error.
func TestOpenCard(t *testing.T) {
	quiet(t)
	for _, c := range []struct {
		requested Device
		want      string
	}{
		{requested: Device{Kind: "pulse"}, want: "--device pulse: no sound here (no sound server at /nowhere/native)"},
		{requested: Device{Kind: "pulse", Name: "desk"}, want: "--device pulse:desk: no sound here (no sound server at /nowhere/native)"},
		{requested: Device{Kind: "oto"}, want: "--device oto: no sound here (no sound server at /nowhere/native, no sound card in /dev/snd)"},
	} {
		d, err := openSoundCard(&console.Console{}, c.requested, auto.Config{Sink: c.requested.Name})
		if err == nil || err.Error() != c.want {
			t.Errorf("%v: %v, %v, want %s", c.requested, d, err, c.want)
		}
	}
	var said strings.Builder
	d, err := openSoundCard(&console.Console{Err: &said}, Device{Kind: "auto"}, auto.Config{})
	const want = "voicepool: no sound here (no sound server at /nowhere/native, no sound card in /dev/snd): " +
		"playing on silently, and looking for a sound card\n"
	if err != nil || said.String() != want {
		t.Errorf("auto: %v, said was %q, want %q", err, said.String(), want)
	}
	d.Close()
}

// steady renders silence, and signals each call.
type steady struct{ rendered chan struct{} }

func (s steady) Rate() int { return 48000 }

func (s steady) Render(dst []pcm.Frame) {
	clear(dst)
	select {
	case s.rendered <- struct{}{}:
	default:
	}
}

// TestVerdict checks that inaudible time is an error, except for auto without --strict, and for a
// device that is not a sound card.
func TestVerdict(t *testing.T) {
	quiet(t)
	src := steady{make(chan struct{})}
	best := auto.Open(src, auto.Config{Block: 4800})
	for range 3 {
		<-src.rendered
	}
	best.Close()
	first := newDeviceMonitor(Device{Kind: "auto"}, best)
	if lines := first.poll(); len(lines) != 0 || len(first.events) != 1 || first.picture().Lost == "" {
		t.Errorf("of a device that was silent from the start: %q, %+v, %+v", lines, first.events, first.picture())
	}
	for _, c := range []struct {
		name      string
		requested Device
		device    device.Device
		strict    bool
		bad       bool
	}{
		{name: "auto", requested: Device{Kind: "auto"}, device: best},
		{name: "auto, strictly", requested: Device{Kind: "auto"}, device: best, strict: true, bad: true},
		{name: "pulse", requested: Device{Kind: "pulse"}, device: best, bad: true},
		{name: "a sink", requested: Device{Kind: "pulse", Name: "desk"}, device: best, bad: true},
		{name: "null", requested: Device{Kind: "null"}, device: null.NewPaced(null.Config{})},
		{name: "a file", requested: Device{Kind: "wav", Name: "a"}, device: null.NewPaced(null.Config{}), strict: true},
	} {
		s := newDeviceMonitor(c.requested, c.device)
		err := s.strictError(c.strict)
		if (err != nil) != c.bad || c.bad && !strings.HasPrefix(err.Error(), fmt.Sprintf("--device %v: 0.", c.requested)) {
			t.Errorf("%s: %v", c.name, err)
		}
		r := &report.Report{}
		if s.report(r); (r.Totals.UnheardSeconds > 0) != (c.device == best) {
			t.Errorf("%s: %v s unheard in the report", c.name, r.Totals.UnheardSeconds)
		}
	}
}

// TestNote checks losses and returns of the device in the report and the picture.
func TestNote(t *testing.T) {
	s := newDeviceMonitor(Device{Kind: "pulse"}, null.NewPaced(null.Config{}))
	r := &report.Report{Events: []report.Event{{Frame: 300, Kind: mixer.EventStarted}}}
	for _, c := range []struct {
		event auto.Event
		lost  string
	}{
		{event: auto.Event{Kind: auto.Lost, Frame: 240, At: 5 * time.Millisecond, Reason: "gone"}, lost: "0.0 s: gone; looking"},
		{event: auto.Event{Kind: auto.Back, Frame: 48240, At: 1005 * time.Millisecond, Gap: time.Second}},
		{event: auto.Event{Kind: auto.Lost, Frame: 96000, At: 2 * time.Second, Reason: "takes nothing"}, lost: "2.0 s: takes nothing; looking"},
		{event: auto.Event{Kind: auto.Lost, Frame: 96000, At: 2 * time.Second, Reason: "gone", Final: true},
			lost: "2.0 s: gone; the driver cannot come back in this process"},
	} {
		s.record(&c.event)
		if got := s.picture().Lost; got != c.lost {
			t.Errorf("after %v: %q, want %q", c.event, got, c.lost)
		}
	}
	s.report(r)
	var got []string
	for _, e := range r.Events {
		got = append(got, fmt.Sprint(e.Frame, e.Kind, e.State, e.DeviceReason, e.Seconds))
	}
	const want = "[240devicelostgone0 300started0 48240deviceback1 96000devicelostgone0]"
	if flat := strings.ReplaceAll(fmt.Sprint(got), " ", ""); strings.ReplaceAll(want, " ", "") != flat {
		t.Errorf("the report has %s, want %s", flat, want)
	}
}
