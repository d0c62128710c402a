// Package lineproto lets programs run a show with lines of text over standard input or a socket. Each
// command is one line, and each answer is one line of JSON.
package lineproto

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"voicepool/cmd/internal/show/showrun"
)

// Answer is the answer to a command: whether it was carried out, and the requested data.
type Answer struct {
	OK       bool           `json:"ok"`
	Error    string         `json:"error,omitempty"`
	State    *showrun.State `json:"state,omitempty"`
	Commands []string       `json:"commands,omitempty"`
}

// Event is a line between answers after `events on`.
type Event struct {
	Event string `json:"event"`
}

const (
	longest  = 1 << 14 // bytes of a line
	unseen   = 256     // events that may wait for a slow reader
	tooLarge = "a line has at most 16384 bytes"
)

// session is the connection of one client.
type session struct {
	show *showrun.Show
	mu   sync.Mutex // guards out
	out  *json.Encoder

	events chan string // nil: events are off
	told   sync.WaitGroup
}

// Serve reads commands for the show s from in, one per line, and writes an answer to each to out, until in ends. An
// invalid command gets an error as its answer. Serve returns an error of in or out, and nil at the end of in.
func Serve(in io.Reader, out io.Writer, s *showrun.Show) error {
	one := &session{show: s, out: json.NewEncoder(out)}
	one.out.SetEscapeHTML(false)
	defer one.stopEvents()
	lines := bufio.NewReaderSize(in, longest)
	for {
		line, err := lines.ReadSlice('\n')
		var failed error
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = lines.ReadSlice('\n')
			}
			failed = one.write(&Answer{Error: tooLarge})
		case len(strings.TrimSpace(string(line))) > 0:
			s.Answer(func() { failed = one.write(one.answer(strings.TrimSpace(string(line)))) })
		}
		if failed != nil {
			return failed
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// answer carries out a command line, which must not be empty, and returns its answer.
func (s *session) answer(line string) *Answer {
	words := strings.Fields(line)
	switch words[0] {
	case "state":
		if len(words) == 1 {
			return &Answer{OK: true, State: s.show.State()}
		}
		return &Answer{Error: "state takes no arguments"}
	case "help":
		return &Answer{OK: true, Commands: showrun.Help()}
	case "events":
		switch {
		case len(words) == 2 && words[1] == "on":
			s.startEvents()
		case len(words) == 2 && words[1] == "off":
			s.stopEvents()
		default:
			return &Answer{Error: "events: write events on, or events off"}
		}
		return &Answer{OK: true}
	}
	if err := s.show.Do(line); err != nil {
		return &Answer{Error: plain(err)}
	}
	return &Answer{OK: true}
}

// plain returns the message of err without the prefix of its package, such as "cue: ".
func plain(err error) string {
	text := err.Error()
	for _, prefix := range []string{"cue: no action: ", "cue: ", "mixer: "} {
		if rest, found := strings.CutPrefix(text, prefix); found {
			return rest
		}
	}
	return text
}

// write sends an answer or an event as one line of JSON. Safe for concurrent use.
func (s *session) write(what any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Encode(what)
}

// startEvents begins to send the events of the show to the client, between answers. If that is on already, it has no
// effect.
func (s *session) startEvents() {
	if s.events != nil {
		return
	}
	events := make(chan string, unseen)
	s.events = events
	s.show.Watch(events)
	s.told.Go(func() {
		for e := range events {
			if s.write(Event{e}) != nil {
				return // answers fail as well
			}
		}
	})
}

// stopEvents ends sending events and waits until the last one is sent. If it is off already, it has no effect.
func (s *session) stopEvents() {
	if s.events == nil {
		return
	}
	s.show.Unwatch(s.events)
	close(s.events)
	s.events = nil
	s.told.Wait()
}

// Ask writes a command to in, the connection to a Serve, and returns the line of its answer, JSON, from out. It
// skips events. A command with a line break is an error.
func Ask(in io.Writer, out *bufio.Reader, command string) (line []byte, err error) {
	if strings.ContainsAny(command, "\n\r") {
		return nil, errors.New("a command is one line")
	}
	if _, err := fmt.Fprintln(in, command); err != nil {
		return nil, err
	}
	for {
		line, err := out.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var what struct {
			OK *bool `json:"ok"`
		}
		if json.Unmarshal(line, &what) != nil {
			return nil, errors.New("the reply is not from a voicepool show")
		}
		if what.OK != nil {
			return line, nil
		}
	}
}

// Local returns a function that carries out commands on the show s of this process. It returns an error only after
// the end of the show; a rejected command is an Answer with OK false.
func Local(s *showrun.Show) func(command string) (*Answer, error) {
	one := &session{show: s, out: json.NewEncoder(io.Discard)}
	return func(command string) (*Answer, error) {
		select {
		case <-s.Done():
			return nil, errEnded
		default:
			return one.answer(command), nil
		}
	}
}

var errEnded = errors.New("the show has ended")

// Remote returns a function that sends commands over conn, a connection from Dial, and waits for the answer. It
// returns an error only if the connection fails; a rejected command is an Answer with OK false. One goroutine at a
// time may call it.
func Remote(conn io.ReadWriter) func(command string) (*Answer, error) {
	lines := bufio.NewReader(conn)
	return func(command string) (*Answer, error) {
		line, err := Ask(conn, lines, command)
		if err != nil {
			return nil, err
		}
		answer := new(Answer)
		return answer, json.Unmarshal(line, answer)
	}
}
