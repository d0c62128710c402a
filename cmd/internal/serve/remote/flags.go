package remote

import (
	"bytes"
	"errors"
	"fmt"

	"voicepool/cmd/internal/cli/console"
	"voicepool/internal/words"
)

// Flags are the flags of commands that can play on a room of a server.
type Flags struct {
	To    string `placeholder:"URL" env:"VOICEPOOL_URL" help:"Play on a room of a server, voicepool serve: http://HOST:PORT/ROOM, or nats://HOST:PORT/ROOM on a cluster; without /ROOM the room main."`
	Token string `hidden:"" env:"VOICEPOOL_TOKEN" help:"Token of the server; give it by VOICEPOOL_TOKEN."`
	Creds string `hidden:"" name:"to-creds" env:"VOICEPOOL_NATS_CREDS" help:"Credentials for NATS; give them by VOICEPOOL_NATS_CREDS."`
}

// Room returns a client of the room at the address f.To. It does not connect yet. An invalid address is a usage error.
func (f *Flags) Room() (*Client, error) {
	room, err := New(f.To, f.Token, f.Creds)
	if err != nil {
		return nil, console.Usage("--to: %w", err)
	}
	return room, nil
}

// Command sends command to the room and prints the server's answer as JSON on c. command is a name and its arguments,
// as in Client.Run. A signal ends the wait. Errors are as in PrintAnswer; an invalid address is a usage error.
func (f *Flags) Command(c *console.Console, command ...string) error {
	room, err := f.Room()
	if err != nil {
		return err
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	answer, err := room.Run(interrupted, command...)
	return PrintAnswer(c, answer, err)
}

// PrintAnswer prints answer, the answer of a server, on c. If err is not nil, it prints no answer and returns an error.
// err becomes a usage error if it wraps ErrCommand, or a *Refusal with a status below 500. Any other err is returned
// unchanged.
func PrintAnswer(c *console.Console, answer []byte, err error) error {
	if refused, is := errors.AsType[*Refusal](err); is && refused.Status < 500 || errors.Is(err, ErrCommand) {
		return console.Usage("%s", words.Plain(err))
	}
	if err == nil {
		fmt.Fprintf(c.Out, "%s\n", bytes.TrimSpace(answer))
	}
	return err
}
