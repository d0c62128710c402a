package report

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"voicepool/mixer"
)

// TestRoundTrip checks that a written report is read back to the hundredth of a decibel, and that fields that
// do not belong to an event are omitted.
func TestRoundTrip(t *testing.T) {
	silent := Level(math.Inf(-1))
	quiet := func(e Event) Event {
		e.Audibility, e.Newcomer, e.RunnerUp, e.Lost = silent, silent, silent, silent
		return e
	}
	want := &Report{Version: 1, Rate: 48000, Frames: 9, Voices: 2, Virtual: 3, Overflow: "masked", Totals: Totals{Asked: 5, HighWater: 2, StreamsBroken: 3, UnheardSeconds: 0.25}, Peak: -3.25, Loudness: silent, Seconds: 0.5}
	events := []Event{
		quiet(Event{Kind: mixer.EventStarted, Voice: 1, Sound: "<bell>", Cue: 3, Slot: 0}),
		{
			Frame: 2, Kind: mixer.EventStolen, Voice: 1, Sound: "a", Slot: 1, Reason: mixer.ReasonPoolFull, By: 2, BySound: "b", Audibility: -30.5, Newcomer: -20, RunnerUp: -100,
			HasRunnerUp: true, Candidates: 9, Peers: 1, Priority: -1, NewcomerPriority: 4, RunnerUpPriority: 2, Policy: mixer.StealMasked, Importance: 6, NewcomerImportance: -2.5, Lost: -12.25, BelowMix: 6, HasBelowMix: true,
		},
		quiet(Event{Frame: 2, Kind: mixer.EventLimited, Slot: -1, Sound: "a", Reason: mixer.ReasonCooldown, Cooldown: "0.25s", Priority: 7, NewcomerPriority: 7, RunnerUpPriority: 7}),
		quiet(Event{Frame: 3, Kind: mixer.EventRejected, Slot: -1, Reason: mixer.ReasonBusLimit, Bus: "sfx", Limit: 2}),
		quiet(Event{Frame: 4, Kind: mixer.EventMissed, Slot: -1}),
		quiet(Event{Frame: 4, Kind: mixer.EventDevice, Cue: -1, Slot: -1, State: DeviceLost, DeviceReason: "pool: the sound server is gone"}),
		quiet(Event{Frame: 6, Kind: mixer.EventDevice, Cue: -1, Slot: -1, State: DeviceBack, Seconds: 0.25}),
	}
	want.Events = events
	var file bytes.Buffer
	n, err := want.WriteTo(&file)
	if err != nil || n != int64(file.Len()) {
		t.Fatalf("%d bytes, %v; %d were written", n, err, file.Len())
	}
	if lines := strings.Split(file.String(), "\n"); len(lines) != len(events)+4 || strings.Contains(lines[2], "policy") {
		t.Errorf("an event is not a line, or has more than belongs to it:\n%s", file.String())
	}
	var got []Event
	head, err := Read("r", &file, func(e *Event) error {
		got = append(got, *e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	head.Events = got
	if !reflect.DeepEqual(head, want) {
		t.Errorf("read back it is\n%+v, want\n%+v", head, want)
	}
}

// TestNames checks that every kind, reason and policy can be read.
func TestNames(t *testing.T) {
	if s := (mixer.EventDevice + 1).String(); !strings.HasPrefix(s, "kind(") {
		t.Errorf("there is a kind %s beyond the last that is read", s)
	}
	if s := (mixer.ReasonUnloaded + 1).String(); !strings.HasPrefix(s, "reason(") {
		t.Errorf("there is a reason %s beyond the last that is read", s)
	}
	for kind := mixer.EventStarted; kind <= mixer.EventFault; kind++ {
		for reason := mixer.ReasonNone; reason <= mixer.ReasonUnloaded; reason++ {
			e := Event{Kind: kind, Reason: reason, Voice: 1, Candidates: 1, Policy: mixer.GrowPool}
			text, err := e.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			var back Event
			if err := back.UnmarshalJSON(text); err != nil || back.Kind != kind || back.Reason != reason || e.hasChoice() && back.Policy != mixer.GrowPool {
				t.Errorf("%s is read as %+v, %v", text, back, err)
			}
		}
	}
}

// TestDevice checks the spelling of device events by the contract, and that other states are rejected.
func TestDevice(t *testing.T) {
	for _, c := range []struct{ name, text, back, wrong string }{
		{name: "lost", text: `{"frame":7,"kind":"device","reason":"server gone","state":"lost"}`},
		{name: "back", text: `{"frame":9,"kind":"device","state":"back","seconds":2.5}`},
		{name: "no state", text: `{"frame":9,"kind":"device"}`, wrong: `unknown device state ""; want lost or back`},
		{name: "another", text: `{"frame":9,"kind":"device","state":"away"}`, wrong: `unknown device state "away"; want lost or back`},
	} {
		var e Event
		if err := e.UnmarshalJSON([]byte(c.text)); c.wrong != "" {
			if err == nil || err.Error() != c.wrong {
				t.Errorf("%s: %v, want %s", c.name, err, c.wrong)
			}
		} else if back, again := e.MarshalJSON(); err != nil || again != nil || string(back) != c.text {
			t.Errorf("%s: %s, %v", c.name, back, err)
		}
	}
}

// TestInsert checks that an event is inserted behind the others of its frame.
func TestInsert(t *testing.T) {
	r := &Report{}
	for _, frame := range []int64{5, 3, 3, 9, 0} {
		r.Insert(Event{Frame: frame, Cue: len(r.Events)})
	}
	for i, want := range []Event{{Frame: 0, Cue: 4}, {Frame: 3, Cue: 1}, {Frame: 3, Cue: 2}, {Frame: 5, Cue: 0}, {Frame: 9, Cue: 3}} {
		if r.Events[i] != want {
			t.Errorf("event %d is %+v, want %+v", i, r.Events[i], want)
		}
	}
}

// full is a writer that accepts the given number of bytes.
type full int

var errFull = errors.New("full")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > int(*f) {
		n := int(*f)
		*f = 0
		return n, errFull
	}
	*f -= full(len(p))
	return len(p), nil
}

// TestWriteToFull checks that the writer's error is returned with the number of bytes written. A long report
// must not be held in memory.
func TestWriteToFull(t *testing.T) {
	r := &Report{Events: make([]Event, 1000)}
	room := full(10000)
	if n, err := r.WriteTo(&room); !errors.Is(err, errFull) || n != 10000 {
		t.Errorf("%d bytes were written, %v; want 10000 and %v", n, err, errFull)
	}
	room = 10
	if n, err := (&Report{}).WriteTo(&room); !errors.Is(err, errFull) || n != 10 {
		t.Errorf("%d bytes were written, %v; want 10 and %v", n, err, errFull)
	}
}
