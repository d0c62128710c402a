package service

import (
	"context"
	"net/http"

	"voicepool/cmd/internal/serve/problemjson"
)

// Answer carries out message, an order for the room called room, and returns the reply. It serves message protocols
// other than HTTP and WebSocket. Message and reply are JSON objects, as on the WebSocket of the server. An order that
// fails gives a reply, too, with the HTTP status and the reason. Also rejected are a message longer than
// Limits.BodyBytes (413), a message before FinishOpening (503), and a message above the caller's rate limit. The caller
// in ctx needs the role that Do requires.
func (s *Server) Answer(ctx context.Context, room string, message []byte) []byte {
	var over error
	switch most := s.options.Limits.BodyBytes; {
	case int64(len(message)) > most:
		over = problemjson.New(http.StatusRequestEntityTooLarge, "the message is longer than %d bytes", most).WithLimit(most)
	case s.opening.Load():
		over = openingProblem()
	default:
		over = s.count(ctx, 1)
	}
	text, _ := s.reply(ctx, room, message, over)
	return text
}

// Refuse returns the JSON reply to message that reports the error err, without carrying out the message. The reply
// repeats the field ref of the message, if that can be read, so that the sender can match the reply. err must not be
// nil.
func (s *Server) Refuse(message []byte, err error) []byte {
	text, _ := s.reply(context.Background(), "", message, err)
	return text
}

type trustKey struct{}

// Trust returns a copy of ctx that gives the caller a role in every room. The caller has exactly this role:
// Options.Allow is not called for such a context. Use Trust if another system has checked the caller, for example the
// permissions of NATS.
func Trust(ctx context.Context, role Role) context.Context {
	return context.WithValue(ctx, trustKey{}, role)
}

// trusted reports whether ctx comes from Trust, which gives the caller a fixed role. If that role is below need, err
// has the HTTP status 403. In all other cases err is nil.
func trusted(ctx context.Context, need Role) (is bool, err error) {
	have, is := ctx.Value(trustKey{}).(Role)
	if is && have < need {
		err = problemjson.New(http.StatusForbidden, "not permitted over this connection; use HTTP with a token")
	}
	return is, err
}
