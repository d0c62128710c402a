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
	maxLine     = 1 << 14 // bytes of a line
	eventBuffer = 256     // events that may wait for a slow reader
	tooLarge    = "a line has at most 16384 bytes"
)

// session is the connection of one client. Only write may be called by several goroutines at once.
type session struct {
	show *showrun.Show
	mu   sync.Mutex // guards out
	out  *json.Encoder

	events chan string // nil: events are off
	sender sync.WaitGroup
}

// Serve lets one client control the show s. It reads text commands from in, one per line. After each command it writes
// one line of JSON to out, an Answer. After the command `events on`, lines with an Event may be between the answers.
// Empty lines are ignored. A last line without a line feed counts as a line. An invalid command and a line of more than
// 16384 bytes get an Answer with an error.
//
// Serve returns nil at the end of in, and otherwise the first error of in or out.
func Serve(in io.Reader, out io.Writer, s *showrun.Show) error {
	one := &session{show: s, out: json.NewEncoder(out)}
	one.out.SetEscapeHTML(false)
	defer one.stopEvents()
	lines := bufio.NewReaderSize(in, maxLine)
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

// answer carries out the command in line, which must not be blank, and returns the Answer for the client. It handles
// `state`, `help` and `events` itself and passes other commands to Show.Do. If the command fails, the Answer has OK
// false and the message of the error.
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
		return &Answer{Error: errorText(err)}
	}
	return &Answer{OK: true}
}

// errorText returns the message of err for a client. It removes one prefix of a Go package: "cue: no action: ", "cue: "
// or "mixer: ".
func errorText(err error) string {
	text := err.Error()
	for _, prefix := range []string{"cue: no action: ", "cue: ", "mixer: "} {
		if rest, found := strings.CutPrefix(text, prefix); found {
			return rest
		}
	}
	return text
}

// write sends value to the client as one line of JSON. value is an Answer or an Event. The result is the error of the
// output. Safe for concurrent use.
func (s *session) write(value any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.out.Encode(value)
}

// startEvents begins to send the events of the show to the client, between the answers. It starts a goroutine, which
// runs until stopEvents or until a write fails. Up to 256 events wait for a slow client; further events are dropped. If
// events are on already, startEvents has no effect.
func (s *session) startEvents() {
	if s.events != nil {
		return
	}
	events := make(chan string, eventBuffer)
	s.events = events
	s.show.Watch(events)
	s.sender.Go(func() {
		for e := range events {
			if s.write(Event{e}) != nil {
				return // answers fail as well
			}
		}
	})
}

// stopEvents ends the events that startEvents has begun. It waits until the queued events are written to the client. If
// events are off, it has no effect.
func (s *session) stopEvents() {
	if s.events == nil {
		return
	}
	s.show.Unwatch(s.events)
	close(s.events)
	s.events = nil
	s.sender.Wait()
}

// RoundTrip sends command to a show as one line and returns the answer, a line of JSON. The show reads from in and
// writes to out. Events before the answer are skipped. Errors are a command with a line break, a reply that is not
// JSON, and a failed write or read.
func RoundTrip(in io.Writer, out *bufio.Reader, command string) (line []byte, err error) {
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

// Local returns a function that carries out text commands on the show s of this process, without a connection. A
// rejected command is an Answer with OK false, not an error. After Quit of s the function only returns an error. The
// command `events on` succeeds, but its events are discarded.
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

// Remote returns a function that sends a text command over conn and waits for the answer. conn is a connection to a
// show, from Dial. A rejected command is an Answer with OK false, not an error. The function returns an error if the
// connection fails or the reply is invalid. Do not call it on several goroutines at once.
func Remote(conn io.ReadWriter) func(command string) (*Answer, error) {
	lines := bufio.NewReader(conn)
	return func(command string) (*Answer, error) {
		line, err := RoundTrip(conn, lines, command)
		if err != nil {
			return nil, err
		}
		answer := new(Answer)
		return answer, json.Unmarshal(line, answer)
	}
}
