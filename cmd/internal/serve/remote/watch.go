package remote

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"time"

	"voicepool/cmd/internal/view/liveview"
	"voicepool/cue/report"
	"voicepool/mixer"
	"voicepool/pcm"
)

// errEnd reports that the room has ended.
var errEnd = errors.New("the room has ended")

const (
	// reconnectInterval is the interval of retries after the connection is lost.
	reconnectInterval = time.Second

	// maxMessage is the maximum size of a message in bytes. The state of a room with many voices is
	// long.
	maxMessage = 16 << 20
)

// Watch follows the room and calls show with each new picture p of it, until ctx or the room ends. It then calls show
// once more with last set. It returns the error of ctx, or nil if the room has ended. If the connection is lost, a
// picture shows the reason, and Watch reconnects every second. Two kinds of errors end Watch at once, without a last
// picture: a failure before the first picture, and a *Refusal by the server.
func (c *Client) Watch(ctx context.Context, show func(p liveview.Picture, last bool)) error {
	w := &roomView{colours: map[string]int{}, victims: map[uint64]report.Event{}}
	for first := true; ; first = false {
		err := c.connection.watch(ctx, w, show)
		var refused *Refusal
		switch {
		case ctx.Err() != nil:
			show(w.picture(), true)
			return ctx.Err()
		case errors.Is(err, errEnd):
			show(w.picture(), true)
			return nil
		case first && !w.hasState, errors.As(err, &refused):
			return err
		}
		w.now.Output.Lost = err.Error() + "; asking again"
		show(w.picture(), false)
		select {
		case <-time.After(reconnectInterval):
		case <-ctx.Done():
		}
	}
}

// roomView is the state of a watched room.
type roomView struct {
	hasState bool
	now      liveview.Picture
	colours  map[string]int          // color index by sound
	victims  map[uint64]report.Event // stolen voices, by the number of the voice that has the slot now
	voices   []voiceState
	events   []report.Event // since the last picture
}

// message is a message of a server.
type message struct {
	Type  string          `json:"type"`
	State *roomState      `json:"state"`
	Event json.RawMessage `json:"event"`
	levels
}

// roomState is the part of a room's state that a picture shows.
type roomState struct {
	levels
	Rate      int           `json:"rate"`
	Pool      int64         `json:"pool"`
	Virtual   int64         `json:"virtual"`
	Device    string        `json:"device"`
	Sink      string        `json:"sink"`
	Lost      string        `json:"lost"`
	LatencyMS float64       `json:"latency_ms"`
	Totals    report.Totals `json:"totals"`
	Sounds    []struct {
		Sound string `json:"sound"`
	} `json:"sounds"`
}

// levels holds the values that change all the time.
type levels struct {
	Frame   int64        `json:"frame"`
	Playing int64        `json:"playing"`
	Left    *float64     `json:"left"`
	Right   *float64     `json:"right"`
	Voices  []voiceState `json:"voices"`
	Buses   []struct {
		Bus  string  `json:"bus"`
		Peak float64 `json:"peak"`
	} `json:"buses"`
}

// voiceState is a voice of a room.
type voiceState struct {
	Voice   uint64  `json:"voice"`
	Sound   string  `json:"sound"`
	Slot    int     `json:"slot"`
	Level   float64 `json:"level"`
	Pan     float64 `json:"pan"`
	State   string  `json:"state"`
	Looping bool    `json:"looping"`
}

// addMessage adds text, a JSON message of the server, to w. It reports whether the method picture now returns a new
// picture. That is so after a message with the state, and after levels once a state was received. Events wait for the
// next state or levels. Other types of messages are ignored. The message about the end of the room returns errEnd. An
// unreadable message is an error, too.
func (w *roomView) addMessage(text []byte) (changed bool, err error) {
	var m message
	if json.Unmarshal(text, &m) != nil {
		return false, errors.New("the reply is not from a voicepool server")
	}
	switch m.Type {
	case "state":
		if m.State == nil || m.State.Rate < 1 {
			return false, errors.New("the reply is not from a voicepool server")
		}
		w.hasState = true
		w.state(m.State)
		return true, nil
	case "levels":
		w.levels(&m.levels)
		return w.hasState, nil
	case "event":
		w.event(m.Event)
	case "end":
		return false, errEnd
	}
	return false, nil
}

// state copies s, the state of the room, into w, for the next picture. The total counts in s replace the counts that w
// has added up from events. Each sound gets a color by its position in s.
func (w *roomView) state(s *roomState) {
	st := &w.now.Stats
	w.now.Rate = s.Rate
	st.Voices, st.Virtual = s.Pool, s.Virtual
	t := &s.Totals
	st.Asked, st.Started, st.Rejected, st.Limited, st.Coalesced = t.Asked, t.Started, t.Rejected, t.Limited, t.Coalesced
	st.Ended, st.Stopped, st.Stolen, st.Underruns, st.Faults = t.Ended, t.Stopped, t.Stolen, t.Underruns, t.Faults
	w.now.Output = liveview.Output{Device: s.Device, Sink: s.Sink, State: "playing", Lost: s.Lost, Latency: time.Duration(s.LatencyMS * 1e6)}
	if s.Device == "none" {
		w.now.Output.Device, w.now.Output.State = "no card", "heard over the network"
	}
	for i := range s.Sounds {
		w.colours[s.Sounds[i].Sound] = i
	}
	w.levels(&s.levels)
}

// levels copies l into w, for the next picture: the frame, the voices, the peak levels of the outputs and the buses. It
// leaves out the bus master. It converts the peak levels of the outputs from dB to linear factors.
func (w *roomView) levels(l *levels) {
	w.now.Stats.Frame, w.now.Stats.Playing, w.voices = l.Frame, l.Playing, l.Voices
	w.now.Left, w.now.Right = linear(l.Left), linear(l.Right)
	w.now.Buses = w.now.Buses[:0:0]
	for _, b := range l.Buses {
		if b.Bus != "master" {
			w.now.Buses = append(w.now.Buses, liveview.Bus{Name: b.Bus, Peak: b.Peak})
		}
	}
}

// linear converts a level in dB to a linear factor. It returns 0 if db is nil, and for -120 dB or less.
func linear(db *float64) float32 {
	if db == nil || *db <= silence {
		return 0
	}
	return float32(pcm.Decibels(*db).Linear())
}

// silence is the level of silence in JSON.
const silence = -120

// event adds text, an event in JSON, to w, for the next picture and its counts. If a voice has lost its slot, event
// also stores it as the victim of the voice that took the slot. w keeps at most 1,024 events; older events are dropped.
// An unreadable text is ignored.
func (w *roomView) event(text json.RawMessage) {
	var e report.Event
	if e.UnmarshalJSON(text) != nil {
		return // for example, of a newer server
	}
	st := &w.now.Stats
	switch e.Kind {
	case mixer.EventStarted:
		st.Asked++
		st.Started++
	case mixer.EventRejected:
		st.Asked++
		st.Rejected++
	case mixer.EventLimited:
		st.Asked++
		st.Limited++
	case mixer.EventCoalesced:
		st.Asked++
		st.Coalesced++
	case mixer.EventEnded:
		st.Ended++
	case mixer.EventStopped:
		st.Stopped++
	case mixer.EventStolen:
		st.Stolen++
	}
	if e.Loss() && e.By != 0 {
		w.victims[e.By] = e
	}
	if w.events = append(w.events, e); len(w.events) > maxEvents {
		w.events = slices.Delete(w.events, 0, len(w.events)-maxEvents)
	}
}

// maxEvents is the maximum number of events stored for the next picture.
const maxEvents = 1024

// picture returns the current picture of the room, with the events since the last call of picture. It then drops these
// events. Voices without a slot are left out. A voice that has taken its slot from another voice is shown with that
// victim. picture also drops the victims of voices that have ended.
func (w *roomView) picture() liveview.Picture {
	var all []liveview.RemoteVoice
	alive := map[uint64]bool{}
	for _, v := range w.voices {
		if alive[v.Voice] = true; v.Slot < 0 {
			continue
		}
		one := liveview.RemoteVoice{
			Slot: v.Slot, Number: v.Voice, Sound: v.Sound, Colour: w.colours[v.Sound], Level: v.Level, Pan: v.Pan,
			Looping: v.Looping, Paused: v.State == "paused", Silent: v.State == "silent",
		}
		if one.Level <= silence {
			one.Level = math.Inf(-1)
		}
		if e, some := w.victims[v.Voice]; some {
			one.Victim, one.SinceWon = &e, max(w.now.Stats.Frame-e.Frame, 0)
		}
		all = append(all, one)
	}
	for number, e := range w.victims {
		if !alive[number] && e.Frame < w.now.Stats.Frame {
			delete(w.victims, number)
		}
	}
	events := w.events
	w.events = nil
	return w.now.With(all, events)
}
