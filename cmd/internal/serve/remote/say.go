package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/words"
)

// ErrCommand is wrapped by errors of Run if the words are not a valid command. No order was sent.
var ErrCommand = errors.New("no command")

// command is a command: its name, its arguments and the order that it sends.
type command struct {
	name, usage      string
	minArgs, maxArgs int // number of arguments
	run              func(c *Client, ctx context.Context, rest []string) (json.RawMessage, error)
}

// maxWords is the maximum number of words of a command.
const maxWords = 100

// commands lists the commands. They are the show commands that `voicepool send` accepts for a socket.
var commands = []command{
	{"go", "[CUE]", 0, 1, order("go", "cue")},
	{"standby", "CUE", 1, 1, order("standby", "cue")},
	{"next", "", 0, 0, moveStandby(1)},
	{"back", "", 0, 0, moveStandby(-1)},
	{"panic", "", 0, 0, order("panic")},
	{"stop", "[ID|all] [TIME]", 0, 2, (*Client).stop},
	{"pause", "[ID]", 0, 1, pauseVoices(true)},
	{"resume", "[ID]", 0, 1, pauseVoices(false)},
	{"mute", "BUS", 1, 1, muteBus(true)},
	{"unmute", "BUS", 1, 1, muteBus(false)},
	{"play", "SOUND [KEY=VALUE ...]", 1, maxWords, (*Client).play},
	{"set", "ID|BUS KEY=VALUE ...", 2, maxWords, (*Client).set},
	{"fade", "ID|BUS to=DB over=TIME", 2, maxWords, (*Client).set},
	{"release", "ID", 1, 1, (*Client).release},
	{"seek", "ID to=TIME", 2, 2, (*Client).seek},
	{"scene", "NAME [TIME]", 1, 2, order("scene", "scene", "over")},
	{"state", "", 0, 0, func(c *Client, ctx context.Context, _ []string) (json.RawMessage, error) {
		return c.send(ctx, &Order{Do: "state"})
	}},
}

// Run carries out a command in the room and returns the server's answer as JSON. args is the name of the command and
// its arguments. If the command is invalid, the error wraps ErrCommand, and no order was sent. If the server rejects
// the order, the error is a *Refusal, and the answer is its body. Any other error concerns the connection or ctx.
func (c *Client) Run(ctx context.Context, args ...string) (json.RawMessage, error) {
	if len(args) == 0 {
		return nil, fmt.Errorf("%w: a command is missing, such as: go", ErrCommand)
	}
	i := slices.IndexFunc(commands, func(w command) bool { return w.name == args[0] })
	if i < 0 {
		names := words.Names(commands, func(w *command) string { return w.name })
		return nil, fmt.Errorf("%w: unknown command %q; did you mean %q? The commands are %s", ErrCommand,
			words.OneLine(args[0]), words.Nearest(strings.ToLower(args[0]), names), strings.Join(names, ", "))
	}
	w, rest := &commands[i], args[1:]
	if len(rest) < w.minArgs || len(rest) > w.maxArgs {
		return nil, fmt.Errorf("%w: %s: write %s", ErrCommand, w.name, strings.TrimSpace(w.name+" "+w.usage))
	}
	return w.run(c, ctx, rest)
}

// order returns a function that runs a command by sending one order to the room. do is the name of the order. Argument
// i of the command becomes the field keys[i] of the order, as a string. If an argument has the prefix "KEY=", the
// prefix is removed. The command must have at most as many arguments as keys. The function returns the server's answer
// as JSON.
func order(do string, keys ...string) func(*Client, context.Context, []string) (json.RawMessage, error) {
	return func(c *Client, ctx context.Context, rest []string) (json.RawMessage, error) {
		body := map[string]any{}
		for i, text := range rest {
			text = trimKey(text, keys[i])
			body[keys[i]] = text
		}
		return c.send(ctx, &Order{Do: do, With: body})
	}
}

// trimKey returns text without the prefix "KEY=", where KEY is the parameter key. Text without that prefix is returned
// unchanged.
func trimKey(text, key string) string {
	if value, found := strings.CutPrefix(text, key+"="); found {
		return value
	}
	return text
}

// moveStandby returns a function that runs the command next or back. It moves standby, the mark on the next cue to
// start, by one cue: forward if by is 1, back if by is -1. The function returns the server's answer as JSON.
func moveStandby(by int) func(*Client, context.Context, []string) (json.RawMessage, error) {
	return func(c *Client, ctx context.Context, _ []string) (json.RawMessage, error) {
		return c.send(ctx, &Order{Do: "standby", With: map[string]any{"step": by}})
	}
}

// pauseVoices returns a function that runs the command pause or resume. If on is true, it pauses voices, otherwise it
// resumes them. The argument of the command is the id of the voices. Without an argument, the whole show is affected.
// The function returns the server's answer as JSON.
func pauseVoices(on bool) func(*Client, context.Context, []string) (json.RawMessage, error) {
	return func(c *Client, ctx context.Context, rest []string) (json.RawMessage, error) {
		if len(rest) == 1 {
			return c.send(ctx, &Order{Do: "set", Voice: rest[0], With: map[string]any{"pause": on}})
		}
		return c.send(ctx, &Order{Do: "pause", With: map[string]any{"on": on}})
	}
}

// muteBus returns a function that runs the command mute or unmute. If on is true, it mutes a bus, otherwise it unmutes
// the bus. The argument of the command is the name of the bus. The function returns the server's answer as JSON.
func muteBus(on bool) func(*Client, context.Context, []string) (json.RawMessage, error) {
	return func(c *Client, ctx context.Context, rest []string) (json.RawMessage, error) {
		return c.send(ctx, &Order{Do: "bus", Bus: rest[0], With: map[string]any{"mute": on}})
	}
}

// stop carries out the command stop. rest holds its optional arguments, [ID|all] [TIME]. With an ID it fades out the
// voices with that id. With "all" it fades out everything, and without either word all running cues. TIME is the length
// of the fade; without it the server uses its default. A single plain number is an ID. A second word that is not a time
// is ignored. stop returns the server's answer as JSON.
func (c *Client) stop(ctx context.Context, rest []string) (json.RawMessage, error) {
	body := map[string]any{}
	if n := len(rest); n > 0 && isTime(rest[n-1]) && (n == 2 || !isNumber(rest[0])) {
		body["over"], rest = rest[n-1], rest[:n-1]
	}
	if len(rest) > 0 && rest[0] != "all" {
		return c.send(ctx, &Order{Do: "stop", Voice: rest[0], With: body})
	}
	if len(rest) > 0 {
		body["target"] = "all"
	}
	return c.send(ctx, &Order{Do: "stopall", With: body})
}

// play carries out the command play. rest has at least one word. The first word is the sound, and further words are
// KEY=VALUE, the fields of the order. The first word replaces a field sound. play returns the server's answer as JSON.
// A word that is not KEY=VALUE, or repeats a key, is an error that wraps ErrCommand.
func (c *Client) play(ctx context.Context, rest []string) (json.RawMessage, error) {
	body, err := pairs("play", rest[1:])
	if err != nil {
		return nil, err
	}
	body["sound"] = rest[0]
	return c.Play(ctx, body)
}

// Play starts a sound in the room and returns the server's answer as JSON. body has the fields of the server's order
// play, such as "sound" and "gain".
func (c *Client) Play(ctx context.Context, body map[string]any) (json.RawMessage, error) {
	return c.send(ctx, &Order{Do: "play", With: body})
}

// set carries out the commands set and fade. rest[0] is the name of a bus of the room, or else the id of voices. The
// further words are KEY=VALUE; to=DB sets the gain, and replaces a gain=DB. set first requests the state of the room,
// to learn the names of the buses. It then sends the order and returns the server's answer as JSON. A word that is not
// KEY=VALUE, or repeats a key, is an error that wraps ErrCommand; then no request is sent.
func (c *Client) set(ctx context.Context, rest []string) (json.RawMessage, error) {
	body, err := pairs("set", rest[1:])
	if err != nil {
		return nil, err
	}
	if to, some := body["to"]; some { // for a fade
		delete(body, "to")
		body["gain"] = to
	}
	is, err := c.isBus(ctx, rest[0])
	if err != nil {
		return nil, err
	}
	if is {
		return c.send(ctx, &Order{Do: "bus", Bus: rest[0], With: body})
	}
	return c.send(ctx, &Order{Do: "set", Voice: rest[0], With: body})
}

// isBus reports whether the room has a bus called name. It requests the state of the room from the server for that. A
// failed request or an unreadable state is an error.
func (c *Client) isBus(ctx context.Context, name string) (bool, error) {
	answer, err := c.send(ctx, &Order{Do: "state"})
	if err != nil {
		return false, err
	}
	var state struct {
		Buses []struct{ Bus string }
	}
	if err := json.Unmarshal(answer, &state); err != nil {
		return false, fmt.Errorf("%s: the reply is not from a voicepool server", c.address())
	}
	return slices.ContainsFunc(state.Buses, func(b struct{ Bus string }) bool { return b.Bus == name }), nil
}

// release carries out the command release. The voices with the id rest[0] leave their loops and play to the end of
// their sounds. release returns the server's answer as JSON.
func (c *Client) release(ctx context.Context, rest []string) (json.RawMessage, error) {
	return c.send(ctx, &Order{Do: "set", Voice: rest[0], With: map[string]any{"loop": false}})
}

// seek carries out the command seek. The voices with the id rest[0] jump to a position in their sounds. rest[1] is that
// position, written as to=TIME or TIME. seek returns the server's answer as JSON.
func (c *Client) seek(ctx context.Context, rest []string) (json.RawMessage, error) {
	to := trimKey(rest[1], "to")
	return c.send(ctx, &Order{Do: "set", Voice: rest[0], With: map[string]any{"seek": to}})
}

// pairs parses words such as gain=-3 into the fields of a JSON object. all holds the words. Each value is converted by
// valueOf. A word without a key or without =, and a repeated key, are errors that wrap ErrCommand. verb is the name of
// the command in these errors.
func pairs(verb string, all []string) (map[string]any, error) {
	body := map[string]any{}
	for _, text := range all {
		key, value, found := strings.Cut(text, "=")
		if !found || key == "" {
			return nil, fmt.Errorf("%w: %s: %q is not KEY=VALUE, such as gain=-3", ErrCommand, verb, words.OneLine(text))
		}
		if _, twice := body[key]; twice {
			return nil, fmt.Errorf("%w: %s: %s is given twice", ErrCommand, verb, words.OneLine(key))
		}
		body[key] = valueOf(key, value)
	}
	return body, nil
}

// valueOf returns the JSON value of text in the field key. A number becomes a json.Number, and "true" and "false"
// become a bool. Any other text stays a string. The fields id, bus and sound are always strings.
func valueOf(key, text string) any {
	if key == "id" || key == "bus" || key == "sound" {
		return text
	}
	if isNumber(text) {
		return json.Number(text)
	}
	if text == "true" || text == "false" {
		return text == "true"
	}
	return text
}

// isNumber reports whether text is a number in the syntax of JSON, such as -1.5 or 1e3, and fits into a float64.
func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil && json.Valid([]byte(text))
}

// isTime reports whether text is a time in the notation of sheets, such as 2s. A plain number is a time in seconds.
func isTime(text string) bool {
	_, err := rules.ParseTime(text)
	return err == nil
}
