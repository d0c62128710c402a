package service

import (
	"context"
	"net/http"

	"voicepool/cmd/internal/serve/problemjson"
)

// Answer carries out message, an order for the room with that name, and returns the reply. Both are JSON in the
// format of the WebSocket, so that other message protocols can use it. A failure is a reply, too. The caller's role
// in ctx is checked as in Do.
func (s *Server) Answer(ctx context.Context, room string, message []byte) []byte {
	var over error
	switch most := s.options.Limits.BodyBytes; {
	case int64(len(message)) > most:
		over = problemjson.New(http.StatusRequestEntityTooLarge, "the message is longer than %d bytes", most).Over(most)
	case s.opening.Load():
		over = opening()
	default:
		over = s.count(ctx, 1)
	}
	text, _ := s.reply(ctx, room, message, over)
	return text
}

// Refuse returns the reply that rejects message with err. It repeats the message's ref if that is readable. The
// message is not carried out.
func (s *Server) Refuse(message []byte, err error) []byte {
	text, _ := s.reply(context.Background(), "", message, err)
	return text
}

type trustKey struct{}

// Trust returns a context whose caller has role in every room. Options.Allow is not called for it. Use it if another
// system has checked the caller, for example the permissions of NATS.
func Trust(ctx context.Context, role Role) context.Context {
	return context.WithValue(ctx, trustKey{}, role)
}

// trusted reports whether ctx comes from Trust. If the role given there is below need, err is a problem with status
// 403; otherwise err is nil.
func trusted(ctx context.Context, need Role) (is bool, err error) {
	have, is := ctx.Value(trustKey{}).(Role)
	if is && have < need {
		err = problemjson.New(http.StatusForbidden, "not permitted over this connection; use HTTP with a token")
	}
	return is, err
}
