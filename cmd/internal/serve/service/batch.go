package service

import (
	"encoding/json"
	"net/http"
	"strconv"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/internal/words"
)

// mostCommands limits the number of commands in a batch.
const mostCommands = 500

// batched is the answer to a batch. Each result is the body or the problem that a single call would
// return.
type batched struct {
	Frame   int64 `json:"frame"`
	Results []any `json:"results"`
}

// batch carries out the order "batch": all commands at one frame, or no command. It returns the HTTP status and the
// body, a *batched or a problem. The commands after the first count against the caller's rate limit, through o.more.
func batch(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", "frame", "at", "commands")
	f.needs("commands")
	when, steps := f.when(), f.steps()
	if f.wrong != nil {
		return answer(f.wrong)
	}
	if err := o.more(len(steps) - 1); err != nil {
		return answer(err)
	}
	frame, results, err := r.Batch(when, steps)
	if err != nil {
		return answer(err)
	}
	b := &batched{Frame: frame, Results: []any{}}
	for i := range results {
		var one any
		switch res := &results[i]; {
		case res.Refused != nil:
			one = fault(res.Refused)
		case res.Result != nil:
			one = res.Result
		case res.Bus != nil:
			one = res.Bus
		default:
			_, one = voices(res.Voices, nil)
		}
		b.Results = append(b.Results, one)
	}
	return http.StatusOK, b
}

// steps parses the field "commands", a list of 1 to 500 commands. If the field is invalid, the error is in o.wrong,
// and the result must not be used. If the field is absent or o already has an error, it returns nil.
func (o *jsonObject) steps() (steps []room.Step) {
	v := o.raw("commands")
	if v == nil {
		return nil
	}
	var list []json.RawMessage
	if v[0] != '[' || json.Unmarshal(v, &list) != nil {
		o.fault("commands", "want a list")
		return nil
	}
	switch n := len(list); {
	case n == 0:
		o.fault("commands", "the list is empty")
	case n > mostCommands:
		o.wrong = problemjson.New(http.StatusBadRequest, "commands: %d commands are more than the limit of %d", n, mostCommands).Of("commands").Over(mostCommands)
	}
	for i, text := range list {
		if o.wrong != nil {
			return nil
		}
		var s room.Step
		s, o.wrong = parseStep(text, o.at+"commands["+strconv.Itoa(i)+"].")
		steps = append(steps, s)
	}
	return steps
}

// parseStep parses text, one command of a batch. at is the place of the command in the request, such as
// "commands[3].", and precedes field names in problems. An unknown command or field, a missing target and a time of
// the command's own are problems with status 400. If wrong is not nil, s must not be used.
func parseStep(text json.RawMessage, at string) (s room.Step, wrong *problemjson.Problem) {
	o := parseObject(text, at, "do", "voice", "bus", "with")
	o.needs("do")
	do, target, name := o.text("do"), o.text("voice"), o.text("bus")
	with := func(known []string) *jsonObject {
		if o.wrong != nil {
			return &jsonObject{}
		}
		return parseObject(o.raw("with"), at+"with.", known...)
	}
	var f *jsonObject
	switch do {
	case "play":
		f = with(playFields)
		s.Play = new(f.play())
	case "set":
		o.needs("voice")
		f = with(setFields)
		s.Set, s.Target = new(f.move()), target
	case "stop":
		o.needs("voice")
		f = with([]string{"over"})
		s.Stop, s.Target = new(some(f.time("over"))), target
	case "bus":
		o.needs("bus")
		f = with(busFields)
		s.Bus, s.Target = new(f.fader()), name
	case "":
	default:
		if o.wrong == nil {
			o.wrong = problemjson.New(http.StatusBadRequest, "%sdo: unknown command %q", at, words.OneLine(do)).Of(at + "do").
				Near(words.Nearest(do, []string{"play", "set", "stop", "bus"}))
		}
	}
	switch {
	case o.wrong != nil:
		return s, o.wrong
	case f == nil:
		o.fault("do", "is empty")
		return s, o.wrong
	case f.wrong == nil && (f.raw("at") != nil || f.raw("frame") != nil):
		f.fault("at", "only the batch as a whole has a time")
	}
	return s, f.wrong
}
