package service

import (
	"context"
	"net/http"

	"voicepool/cmd/internal/problem"
)

// Answer carries out a message for a room and returns the reply, both in the JSON format of the
// WebSocket. A failure is a reply, too. Other message protocols use it. The caller's role is
// checked as in Do. Safe for concurrent use.
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

// Refuse returns the reply that rejects a message with err, with the message's ref if it is
// readable. The message is not carried out.
func (s *Server) Refuse(message []byte, err error) []byte {
	text, _ := s.reply(context.Background(), "", message, err)
	return text
}

type trustKey struct{}

// Trust returns a context whose caller has the given role in every room. Options.Allow is not
// called for it, because another system has checked the caller, for example the permissions of
// NATS.
func Trust(ctx context.Context, role Role) context.Context {
	return context.WithValue(ctx, trustKey{}, role)
}

// trusted reports whether ctx comes from Trust. If it does and its role is below need, the error is
// a problem with status 403.
func trusted(ctx context.Context, need Role) (is bool, err error) {
	have, is := ctx.Value(trustKey{}).(Role)
	if is && have < need {
		err = problem.New(http.StatusForbidden, "not permitted over this connection; use HTTP with a token")
	}
	return is, err
}
