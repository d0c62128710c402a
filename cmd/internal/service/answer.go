package service

import (
	"context"
	"net/http"

	"voicepool/cmd/internal/problem"
)

// Answer carries out a message on a room, as a WebSocket takes it, and returns the reply that a WebSocket
// gives: for other protocols of messages. What ctx may do is asked as in Do. Any goroutine.
func (s *Server) Answer(ctx context.Context, room string, message []byte) []byte {
	var over error
	switch most := s.options.Limits.BodyBytes; {
	case int64(len(message)) > most:
		over = problem.New(http.StatusRequestEntityTooLarge, "the message is longer than %d bytes", most).Over(most)
	case s.opening.Load():
		over = opening()
	default:
		over = s.count(ctx, 1)
	}
	text, _ := s.reply(ctx, room, message, over)
	return text
}

// Refuse returns the reply to a message that is not carried out, since of an error.
func (s *Server) Refuse(message []byte, err error) []byte {
	text, _ := s.reply(context.Background(), "", message, err)
	return text
}

type trustKey struct{}

// Trust returns a context whose caller has a role in each room: something else decides who asks, such as
// the permissions of NATS. Options.Allow is not asked.
func Trust(ctx context.Context, role Role) context.Context {
	return context.WithValue(ctx, trustKey{}, role)
}

// trusted returns whether a context has been trusted, and an error where that is not enough.
func trusted(ctx context.Context, need Role) (is bool, err error) {
	have, is := ctx.Value(trustKey{}).(Role)
	if is && have < need {
		err = problem.New(http.StatusForbidden, "this may not be asked for over this way; HTTP has a token for it")
	}
	return is, err
}
