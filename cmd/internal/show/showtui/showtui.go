// Package showtui draws a show on a terminal and sends commands for the operator's keys. It uses
// only the state and the text commands of the show, so the show may run in another process.
package showtui

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"voicepool/cmd/internal/show/lineproto"
	"voicepool/cmd/internal/show/showrun"
)

// CommandFunc sends a command to a show and returns its answer. The error is a failure of the connection.
type CommandFunc func(command string) (*lineproto.Answer, error)

const (
	pollInterval = 100 * time.Millisecond // interval between requests of the state
	quitWindow   = 2 * time.Second        // time within which a second Q ends the show
	messageTime  = 5 * time.Second        // display time of a message
)

// ErrLost is returned when the terminal is lost. The show continues, and another terminal may
// attach to it.
var ErrLost = errors.New("the terminal is gone")

// ErrLeft is returned when the operator leaves a running show.
var ErrLeft = errors.New("left; the show continues")

// screen is the state of the display.
type screen struct {
	send  CommandFunc
	now   func() time.Time
	state *showrun.State

	message     string    // an error or a question
	until       time.Time // end of its display time
	quitPressed time.Time // when Q was pressed once
	prompt      *prompt   // nil: keys are commands
	showHelp    bool
	pasting     bool
	top         int  // index of the first visible cue
	mayLeave    bool // the operator may leave the running show
	end         error
	ended       bool
}

// prompt is a question whose answer is being typed.
type prompt struct {
	question string
	text     string
	done     func(text string)
}

// Run shows a running show on terminal and handles the operator's keys until the show or ctx ends. The function send
// sends text commands to the show. Run initializes the terminal and restores it at the end.
//
// It returns nil at the end of the show or ctx, and ErrLost if the terminal is lost. If attached is true, the show runs
// in another process. Then Ctrl-C leaves the show with ErrLeft, and the end of the show is an error.
func Run(ctx context.Context, terminal tcell.Screen, attached bool, send CommandFunc) error {
	if err := terminal.Init(); err != nil {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	defer terminal.Fini()
	terminal.EnablePaste()
	terminal.HideCursor()
	events, stop := make(chan tcell.Event, 16), make(chan struct{})
	defer close(stop)
	go terminal.ChannelEvents(events, stop)
	s := &screen{send: send, now: time.Now, mayLeave: attached}
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for s.refresh(); !s.ended; {
		s.draw(terminal)
		terminal.Show()
		select {
		case <-ctx.Done():
			return nil
		case e, open := <-events:
			if !open {
				return ErrLost
			}
			if err := s.handle(terminal, e); err != nil {
				return err
			}
		case <-ticker.C:
			s.refresh()
		}
	}
	return s.end
}

// handle processes one event of the terminal: a key, a paste, or a new size. Only a failure of the terminal is
// returned, as an error that wraps ErrLost. The caller must draw the screen afterwards.
func (s *screen) handle(terminal tcell.Screen, e tcell.Event) error {
	switch e := e.(type) {
	case *tcell.EventResize:
		terminal.Sync()
	case *tcell.EventPaste:
		s.pasting = e.Start()
	case *tcell.EventError:
		return fmt.Errorf("%w: %w", ErrLost, e)
	case *tcell.EventKey:
		s.key(e)
	}
	return nil
}

// refresh requests the state of the show and stores it in s.state. If the request fails, the show counts as ended, and
// refresh sets s.ended. If the show runs in another process (s.mayLeave), it also sets the error s.end.
func (s *screen) refresh() {
	answer, err := s.send("state")
	switch {
	case err != nil:
		s.ended = true // the show has ended, or cannot be reached
		if broken, some := errors.AsType[*net.OpError](err); some {
			err = broken.Err // without the name of the socket, which would not help
		}
		if s.mayLeave {
			s.end = fmt.Errorf("the show has ended (%w)", err)
		}
	case answer.State != nil:
		s.state = answer.State
	}
}

// command sends a text command to the show. format and args build the command as in fmt.Sprintf. After success it
// removes the displayed message and updates the state. If the show rejects the command, the error is displayed. If the
// connection fails, command calls refresh, which ends the screen if it fails, too.
func (s *screen) command(format string, args ...any) {
	answer, err := s.send(fmt.Sprintf(format, args...))
	switch {
	case err != nil:
		s.refresh()
	case !answer.OK:
		s.showMessage(answer.Error)
	default:
		s.message = "" // clears an earlier error
		s.refresh()
	}
}

// showMessage displays message in the last row of the screen for 5 s. While a question is open, the message is hidden.
func (s *screen) showMessage(message string) { s.message, s.until = message, s.now().Add(messageTime) }

// key handles the key of the event e. During a paste all keys are ignored. Ctrl-C leaves the show if s.mayLeave is set.
// An open question takes any other key as part of the answer. If the help is visible, any key only closes it.
// Otherwise the key is a command of the operator.
func (s *screen) key(e *tcell.EventKey) {
	switch {
	case s.pasting:
		return
	case e.Key() == tcell.KeyCtrlC && s.mayLeave:
		s.ended, s.end = true, ErrLeft
		return
	case s.prompt != nil:
		s.promptKey(e)
		return
	case s.showHelp:
		s.showHelp = false
		return
	}
	switch e.Key() {
	case tcell.KeyEscape:
		s.command("panic")
	case tcell.KeyUp:
		s.command("back")
	case tcell.KeyDown:
		s.command("next")
	case tcell.KeyCtrlC:
		s.showMessage("Q twice ends the show")
	case tcell.KeyRune:
		s.rune(e.Rune())
	}
}

// rune handles a character key of the operator, r. Most keys send a command, such as GO for a space. Others open a
// question or the help. Q ends the show only if it is pressed twice within 2 s. Other characters are ignored.
func (s *screen) rune(r rune) {
	switch r {
	case ' ':
		s.command("go")
	case 's', 'S':
		s.command("stop")
	case 'p', 'P':
		if s.state != nil && s.state.Paused {
			s.command("resume")
		} else {
			s.command("pause")
		}
	case 'g', 'G':
		s.prompt = &prompt{question: "standby", done: func(text string) { s.command("standby %s", text) }}
	case 'l', 'L':
		s.prompt = &prompt{question: "load to the time", done: func(text string) { s.command("load %s", text) }}
	case 'm', 'M':
		s.prompt = &prompt{question: "mute or unmute the bus", done: s.mute}
	case '[':
		s.command("trim -1")
	case ']':
		s.command("trim +1")
	case 'w', 'W':
		s.command("write")
	case '+', '=':
		s.command("master +1")
	case '-':
		s.command("master -1")
	case '?', 'h':
		s.showHelp = true
	case 'q', 'Q':
		if now := s.now(); now.Sub(s.quitPressed) < quitWindow {
			s.command("quit")
		} else {
			s.quitPressed = now
			s.showMessage("Q again ends the show")
		}
	}
}

// mute sends the command that mutes the bus called name. If the bus is muted in the last state, it sends the command
// that unmutes the bus. s.state must not be nil.
func (s *screen) mute(name string) {
	command := "mute"
	for _, b := range s.state.Buses {
		if b.Bus == name && b.Mute {
			command = "unmute"
		}
	}
	s.command("%s %s", command, name)
}

// promptKey handles the key of the event e while a question is open. Characters and backspace edit the answer. From 60
// bytes on, further characters are ignored. Enter closes the question and passes the answer, if it is not empty, to the
// question's function. Esc and Ctrl-C close the question without an answer.
func (s *screen) promptKey(e *tcell.EventKey) {
	p := s.prompt
	switch e.Key() {
	case tcell.KeyEscape, tcell.KeyCtrlC:
		s.prompt = nil
	case tcell.KeyEnter:
		if s.prompt = nil; strings.TrimSpace(p.text) != "" {
			p.done(strings.TrimSpace(p.text))
		}
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		if all := []rune(p.text); len(all) > 0 {
			p.text = string(all[:len(all)-1])
		}
	case tcell.KeyRune:
		if len(p.text) < 60 {
			p.text += string(e.Rune())
		}
	}
}
