package service

import (
	"encoding/json"
	"net/http"
	"strconv"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/internal/words"
)

// maxCommands limits the number of commands in a batch.
const maxCommands = 500

// batchReply is the answer to a batch. Each result is the body or the problem that a single call would
// return.
type batchReply struct {
	Frame   int64 `json:"frame"`
	Results []any `json:"results"`
}

// batch carries out the order "batch" in the room r: it runs several commands at one frame. o.With is the JSON body,
// with the list of commands and the time. batch returns the HTTP status and the body of the answer. The body is a
// *batchReply with one result for each command. If the whole batch is rejected, the body is a *problemjson.Problem. The
// commands after the first count against the caller's rate limit, through o.more.
func batch(r *room.Room, o *Order) (int, any) {
	f := parseObject(o.With, "", "frame", "at", "commands")
	f.require("commands")
	when, steps := f.when(), f.steps()
	if f.err != nil {
		return errorReply(f.err)
	}
	if err := o.more(len(steps) - 1); err != nil {
		return errorReply(err)
	}
	frame, results, err := r.Batch(when, steps)
	if err != nil {
		return errorReply(err)
	}
	b := &batchReply{Frame: frame, Results: []any{}}
	for i := range results {
		var one any
		switch res := &results[i]; {
		case res.Refused != nil:
			one = problemOf(res.Refused)
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

// steps returns the commands of a batch, parsed from the field "commands" of o. The field is a list of 1 to 500
// commands. If the field is invalid, steps records the error in o.err, and the result must not be used. If the field is
// absent or o has an error already, steps returns nil.
func (o *jsonObject) steps() (steps []room.Step) {
	v := o.raw("commands")
	if v == nil {
		return nil
	}
	var list []json.RawMessage
	if v[0] != '[' || json.Unmarshal(v, &list) != nil {
		o.fail("commands", "want a list")
		return nil
	}
	switch n := len(list); {
	case n == 0:
		o.fail("commands", "the list is empty")
	case n > maxCommands:
		o.err = problemjson.New(http.StatusBadRequest, "commands: %d commands are more than the limit of %d", n, maxCommands).WithField("commands").WithLimit(maxCommands)
	}
	for i, text := range list {
		if o.err != nil {
			return nil
		}
		var s room.Step
		s, o.err = parseStep(text, o.prefix+"commands["+strconv.Itoa(i)+"].")
		steps = append(steps, s)
	}
	return steps
}

// parseStep parses text, the JSON of one command in a batch. prefix is the place of the command in the request, such as
// "commands[3]."; it precedes field names in error messages. The errors have the HTTP status 400: an unknown command or
// field, a missing target, or a time in the command itself. An empty target is accepted here, and a target that the
// command does not need is ignored. If problem is not nil, s must not be used.
func parseStep(text json.RawMessage, prefix string) (s room.Step, problem *problemjson.Problem) {
	o := parseObject(text, prefix, "do", "voice", "bus", "with")
	o.require("do")
	do, target, name := o.text("do"), o.text("voice"), o.text("bus")
	with := func(known []string) *jsonObject {
		if o.err != nil {
			return &jsonObject{}
		}
		return parseObject(o.raw("with"), prefix+"with.", known...)
	}
	var f *jsonObject
	switch do {
	case "play":
		f = with(playFields)
		s.Play = new(f.play())
	case "set":
		o.require("voice")
		f = with(setFields)
		s.Set, s.Target = new(f.voiceChange()), target
	case "stop":
		o.require("voice")
		f = with([]string{"over"})
		s.Stop, s.Target = new(orZero(f.time("over"))), target
	case "bus":
		o.require("bus")
		f = with(busFields)
		s.Bus, s.Target = new(f.busChange()), name
	case "":
	default:
		if o.err == nil {
			o.err = problemjson.New(http.StatusBadRequest, "%sdo: unknown command %q", prefix, words.OneLine(do)).WithField(prefix + "do").
				WithNearest(words.Nearest(do, []string{"play", "set", "stop", "bus"}))
		}
	}
	switch {
	case o.err != nil:
		return s, o.err
	case f == nil:
		o.fail("do", "is empty")
		return s, o.err
	case f.err == nil && (f.raw("at") != nil || f.raw("frame") != nil):
		f.fail("at", "only the batch as a whole has a time")
	}
	return s, f.err
}
