package service

import (
	"context"
	"net/http"

	"voicepool/cmd/internal/serve/problemjson"
)

// Answer carries out message, an order for the room called room, and returns the reply. Both are JSON in the format
// of the WebSocket, for other message protocols. A failure is a reply, too, also if the message is longer than
// Limits.BodyBytes (413), comes before FinishOpening (503) or exceeds the caller's rate limit. The caller's role in ctx
// is checked as in Do.
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

// Refuse returns the JSON reply that rejects message with err, without carrying out the message. The reply repeats
// the ref of the message if that is readable. err must not be nil.
func (s *Server) Refuse(message []byte, err error) []byte {
	text, _ := s.reply(context.Background(), "", message, err)
	return text
}

type trustKey struct{}

// Trust returns a copy of ctx whose caller has role, and no higher role, in every room. For calls with this context,
// Options.Allow is not called. Use it if another system has checked the caller, for example the permissions of NATS.
func Trust(ctx context.Context, role Role) context.Context {
	return context.WithValue(ctx, trustKey{}, role)
}

// trusted reports whether ctx comes from Trust. If it does and its role is below need, err is a problem with status
// 403; otherwise err is nil.
func trusted(ctx context.Context, need Role) (is bool, err error) {
	have, is := ctx.Value(trustKey{}).(Role)
	if is && have < need {
		err = problemjson.New(http.StatusForbidden, "not permitted over this connection; use HTTP with a token")
	}
	return is, err
}
