package qlab

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/internal/property"
	"voicepool/mixer"
)

// stopTime is the fade of a stop without a time, like the command word stop.
const stopTime = 2 * time.Second

// roomMethods maps the addresses after /voicepool/{room} to methods.
var roomMethods = map[string]method{
	"connect": {None, plainMethod((*call).connect)},
	"updates": {Read, plainMethod((*call).updates)},
	"thump":   {None, plainMethod((*call).thump)},
	"state":   {Read, plainMethod(func(c *call) (any, error) { return c.room.State(), c.maxArgs(0) })},
	"go":      {Operate, plainMethod((*call).goCue)},
	"standby": {Operate, timedMethod("standby", (*call).standby)},
	"next":    {Operate, timedMethod("next", pressAction(func(c *call) error { return c.room.Show().Step(1) }))},
	"back":    {Operate, timedMethod("back", pressAction(func(c *call) error { return c.room.Show().Step(-1) }))},
	"panic":   {Operate, timedMethod("panic", pressAction((*call).panic))},
	"pause":   {Operate, timedMethod("pause", pressAction(func(c *call) error { return c.setPaused(true) }))},
	"resume":  {Operate, timedMethod("resume", pressAction(func(c *call) error { return c.setPaused(false) }))},
	"play":    {Operate, plainMethod((*call).play)},
	"set":     {Operate, plainMethod((*call).set)},
	"stop":    {Operate, plainMethod((*call).stop)},
	"scene":   {Operate, timedMethod("scene", (*call).scene)},
	"bus":     {Operate, (*call).bus},
}

// sorted returns the keys of m in alphabetical order.
func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// popTime removes a final "at TIME" from the arguments of the message and returns TIME, a time on the room's clock.
// Without "at TIME" the result is zero, which means now. An invalid TIME is an error, and c.args is then unchanged.
func (c *call) popTime() (when room.Moment, err error) {
	n := len(c.args) - 2
	if n < 0 || c.args[n] != "at" {
		return when, nil
	}
	at, err := c.time(n + 1)
	if err != nil {
		return when, fmt.Errorf("at: %w", err)
	}
	c.args = c.args[:n]
	return room.Moment{At: &at}, nil
}

// scheduledReply is the answer to a scheduled command.
type scheduledReply struct {
	Frame int64 `json:"frame"`
}

// runAt runs the function do at the moment when. If that moment is not in the future, runAt calls do now and returns
// its result. Otherwise it schedules do and returns the frame of that moment as a scheduledReply.
//
// If the scheduled do fails, the error only appears in the events of the room, where word names the command. A failure
// to schedule is an error of runAt.
func (c *call) runAt(when room.Moment, word string, do func() (any, error)) (any, error) {
	frame, later, err := c.room.Schedule(when, word, func() error {
		_, err := do()
		return err
	})
	switch {
	case err != nil:
		return nil, hideInternal(err)
	case !later:
		return do()
	}
	return scheduledReply{frame}, nil
}

// timedMethod returns a handler for a command whose message may end with "at TIME". The handler calls read, which
// parses the other arguments and returns the action do. The handler then runs do now, or schedules it for TIME. If do
// is nil, because a button was released, the handler has no effect. word names the command in the events of the room.
func timedMethod(word string, read func(c *call) (do func() error, err error)) func(*call, []string) (any, error) {
	return plainMethod(func(c *call) (any, error) {
		when, err := c.popTime()
		if err != nil {
			return nil, err
		}
		do, err := read(c)
		if err != nil || do == nil {
			return nil, err
		}
		return c.runAt(when, word, func() (any, error) { return nil, do() })
	})
}

// goReply is the answer to a GO.
type goReply struct {
	Cue     string `json:"cue"`
	Standby string `json:"standby"`
}

// goCue handles the message /go [number] [at TIME], a GO. A text argument is the number of the cue. Another argument is
// from a button: its press starts the standby cue, and its release has no effect.
//
// The answer of a GO now is a goReply, with the started cue and the new standby cue. The answer of a later GO is a
// scheduledReply, with its frame. Errors of the GO are returned, such as the guard time.
func (c *call) goCue() (any, error) {
	when, err := c.popTime()
	if err != nil {
		return nil, err
	}
	if err := c.maxArgs(1); err != nil {
		return nil, err
	}
	number := ""
	if text, is := c.first().(string); is {
		number = text
	} else if pressed, err := c.pressed(); err != nil {
		return nil, c.asText(err)
	} else if !pressed {
		return nil, nil
	}
	return c.runAt(when, "go", func() (any, error) {
		if err := c.room.Show().Go(number); err != nil {
			return nil, err
		}
		st := c.room.State()
		return goReply{Cue: st.Last, Standby: st.Standby}, nil
	})
}

// asText adds a hint to err, the error for a first argument that is not the press of a button. By the hint, the number
// of a cue must be sent as text. If the argument has no text form, such as a blob, err is returned unchanged.
func (c *call) asText(err error) error {
	if text, e := c.text(0); e == nil {
		return fmt.Errorf("%w; a cue number is sent as a text: %q", err, text)
	}
	return err
}

// first returns the first argument of the message, or nil if the message has no arguments.
func (c *call) first() any {
	if len(c.args) == 0 {
		return nil
	}
	return c.args[0]
}

// standby parses the arguments of the message /standby number and returns an action. When the action is run, it puts
// the cue called number on standby for the next GO. A missing argument or a second argument is an error; do not run the
// action then.
func (c *call) standby() (func() error, error) {
	number, err := c.text(0)
	if err == nil {
		err = c.maxArgs(1)
	}
	return func() error { return c.room.Show().Standby(number) }, err
}

// panic fades out all sounds of the room; see showrun.Show.Panic. The result is always nil.
func (c *call) panic() error {
	c.room.Show().Panic()
	return nil
}

// setPaused pauses the show of the room if on is true, otherwise resumes it. The result is always nil.
func (c *call) setPaused(on bool) error {
	c.room.Show().Pause(on)
	return nil
}

// pressAction returns a parser for timedMethod for a button of a remote. For the press of the button the parser returns
// an action that runs do. For the release it returns nil. Another argument is an error.
func pressAction(do func(*call) error) func(*call) (func() error, error) {
	return func(c *call) (func() error, error) {
		if pressed, err := c.pressed(); err != nil || !pressed {
			return nil, err
		}
		return func() error { return do(c) }, nil
	}
}

// play handles the message /play sound [key value ...], which starts a sound. The key "at" gives the time of the start
// on the room's clock; without it the sound starts now. The answer is a room.PlayResult of the new voice. Invalid
// arguments and a refusal of the room are errors.
func (c *call) play() (any, error) {
	sound, err := c.text(0)
	if err != nil {
		return nil, err
	}
	o := room.PlayRequest{Sound: sound}
	err = c.pairs(1, withFilters(&o.FilterOverrides, map[string]reader{
		"gain": storeIn(&o.Gain, (*call).decibels), "pan": storeIn(&o.Pan, (*call).number), "pitch": storeIn(&o.Pitch, (*call).number),
		"speed": storeIn(&o.Speed, (*call).number), "bus": storeIn(&o.Bus, (*call).text), "loop": storePointerIn(&o.Loop, (*call).boolean),
		"priority": storeIn(&o.Priority, (*call).integer), "importance": storeIn(&o.Importance, (*call).decibels), "protect": storeIn(&o.Protect, (*call).boolean), "owner": storeIn(&o.Owner, (*call).text), "id": storeIn(&o.ID, (*call).text), "fade_in": storeIn(&o.FadeIn, (*call).time),
		"from": storeIn(&o.From, (*call).time), "for": storeIn(&o.For, (*call).time), "at": storePointerIn(&o.When.At, (*call).time),
	}))
	if err != nil {
		return nil, err
	}
	v, err := c.room.Play(o)
	return v, hideInternal(err)
}

// withFilters adds the keys of the filters of a voice to keys and returns keys. Their readers store in f.
func withFilters(f *mixer.FilterOverrides, keys map[string]reader) map[string]reader {
	for i, x := range f.FilterFields() {
		p := &property.Filters()[i]
		read := (*call).decibels
		if p.IsCutoff() {
			read = (*call).cutoff
		}
		keys[p.Key] = storePointerIn(x, read)
	}
	return keys
}

// hideInternal hides errors whose texts are not for clients. It returns err unchanged if it is nil or wraps a
// *room.Error. Otherwise it returns the error "it failed".
func hideInternal(err error) error {
	if _, ok := errors.AsType[*room.Error](err); err == nil || ok {
		return err
	}
	return errors.New("it failed")
}

// voicesReply is the answer to commands that act on voices.
type voicesReply struct {
	Voices []uint64 `json:"voices"`
}

// set handles the message /set target key value ..., which changes properties of playing voices. target is an id or the
// number of a voice. At least one key is required. The key "at" gives the time of the change on the room's clock;
// without it the change is made now. The answer is a voicesReply with the numbers of the changed voices.
func (c *call) set() (any, error) {
	target, err := c.text(0)
	if err != nil {
		return nil, err
	}
	var m room.VoiceChange
	err = c.pairs(1, withFilters(&m.FilterOverrides, map[string]reader{
		"gain": storePointerIn(&m.Gain, (*call).decibels), "pan": storePointerIn(&m.Pan, (*call).number), "pitch": storePointerIn(&m.Pitch, (*call).number),
		"speed": storePointerIn(&m.Speed, (*call).number), "over": storeIn(&m.Over, (*call).time), "shape": storeIn(&m.Shape, (*call).text),
		"seek": storePointerIn(&m.Seek, (*call).time), "pause": storePointerIn(&m.Pause, (*call).boolean), "loop": storePointerIn(&m.Loop, (*call).boolean),
		"priority": storePointerIn(&m.Priority, (*call).integer), "at": storePointerIn(&m.When.At, (*call).time),
	}))
	if err != nil {
		return nil, err
	}
	if len(c.args) < 3 {
		return nil, errors.New("a key or a value is missing (want /set TARGET KEY VALUE)")
	}
	numbers, err := c.room.Set(target, m)
	return voicesReply{numbers}, hideInternal(err)
}

// stop handles the message /stop [target] [seconds] [at TIME]. seconds is the fade, 2 s by default. A single argument
// of a float type is the fade, too.
//
// Without a target, or with "all", stop fades out the running cues. The answer then has no data, or the frame of a
// later stop as a scheduledReply. Otherwise target is an id or the number of a voice. Its voices are stopped, and the
// answer is a voicesReply with their numbers.
func (c *call) stop() (any, error) {
	when, err := c.popTime()
	if err != nil {
		return nil, err
	}
	if err := c.maxArgs(2); err != nil {
		return nil, err
	}
	target, over, timed := "all", stopTime, len(c.args)-1
	if len(c.args) == 1 {
		switch c.args[0].(type) {
		case float32, float64:
			timed = 0
		default:
			timed = -1
		}
	}
	if len(c.args) > 0 && timed != 0 {
		if target, err = c.text(0); err != nil {
			return nil, err
		}
	}
	if timed >= 0 && len(c.args) > 0 {
		if over, err = c.time(timed); err != nil {
			return nil, err
		}
	}
	if target == "all" || target == "" {
		return c.runAt(when, "stop", func() (any, error) {
			c.room.Show().Stop(over)
			return nil, nil
		})
	}
	numbers, err := c.room.Stop(target, over, when)
	return voicesReply{numbers}, hideInternal(err)
}

// scene parses the arguments of the message /scene name [seconds] and returns an action. When the action is run, it
// changes to the scene called name within that time. Without seconds the change is immediate. An invalid argument and
// an unknown scene are errors; do not run the action then.
func (c *call) scene() (func() error, error) {
	name, err := c.text(0)
	if err != nil {
		return nil, err
	}
	var over time.Duration
	if len(c.args) > 1 {
		if over, err = c.time(1); err != nil {
			return nil, err
		}
	}
	if err := c.maxArgs(2); err != nil {
		return nil, err
	}
	return func() error { return hideInternal(c.room.Scene(name, over)) }, hideInternal(c.room.CheckScene(name, over))
}

// bus handles a message that changes a bus of the room, and returns the new state of the bus, a room.Bus. rest is the
// address after /bus: the name of the bus and the property. The property is gain, volume, lowpass, highpass, mute
// or solo.
//
// The first argument is the value: a gain or volume in dB, a cutoff in Hz, or 0 or 1. "off" or 0 Hz turns a filter off.
// A second argument is the time of the change in seconds; for mute and solo it is ignored. Another address is
// errUnknown.
func (c *call) bus(rest []string) (any, error) {
	if len(rest) != 2 {
		return nil, errUnknown
	}
	var f room.BusChange
	var err error
	switch rest[1] {
	case "gain", "volume", "lowpass", "highpass":
		to := map[string]**float64{"gain": &f.Gain, "volume": &f.Volume, "lowpass": &f.LowPass, "highpass": &f.HighPass}[rest[1]]
		read := (*call).cutoff
		if rest[1] == "gain" || rest[1] == "volume" {
			read = (*call).decibels
		}
		err = storePointerIn(to, read)(c, 0)
		if err == nil && len(c.args) > 1 {
			f.Over, err = c.time(1)
		}
		if err == nil {
			err = c.maxArgs(2)
		}
	case "mute":
		err = storePointerIn(&f.Mute, (*call).boolean)(c, 0)
	case "solo":
		err = storePointerIn(&f.Solo, (*call).boolean)(c, 0)
	default:
		return nil, errUnknown
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", rest[1], err)
	}
	b, err := c.room.SetBus(rest[0], f)
	return b, hideInternal(err)
}
