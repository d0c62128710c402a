package webauth

import (
	"context"
	"slices"

	"voicepool/cmd/internal/serve/problemjson"
)

// credential is a token or a session, with its permissions, until it ends.
type credential struct {
	id     id
	role   Role
	rooms  []string // empty: all
	name   string   // of the client, for people
	ended  context.Context
	end    context.CancelFunc
	bucket bucket // the client's use of its rate
}

// roleIn returns the role that the credential b gives in the room called room. If b has ended or is limited to other
// rooms, that is the zero Role, which permits no action. The room "" is the server as a whole. There, a credential that
// is limited to some rooms gives at most the role Read.
func (b *credential) roleIn(room string) Role {
	switch {
	case b.ended.Err() != nil:
		return None
	case len(b.rooms) == 0 || slices.Contains(b.rooms, room):
		return b.role
	case room == "":
		return min(b.role, Read)
	}
	return None
}

// covers reports whether the credential b gives at least role in the room called room. The room "" means all rooms: a
// credential that is limited to some rooms does not cover it.
func (b *credential) covers(role Role, room string) bool {
	return b.roleIn(room) >= role && (room != "" || len(b.rooms) == 0)
}

// visitor is the client of a request.
type visitor struct {
	guard      *Guard
	addr       address
	credential *credential // nil: no valid token or session
	session    *session    // nil: not identified by a cookie
}

type visitorKey struct{}

// roleIn returns the visitor's role in the room called room. The room "" is the server as a whole. A visitor with a
// credential has the role of the credential. For a visitor without a credential, the role is Admin if tokens are not
// required and the server listens on loopback only. Otherwise the role from Options.Public is used, if the room sets
// one there. If it does not, the role is the zero Role on a server that requires tokens. On a server without tokens, a
// visitor on this machine is then Admin, and any other visitor has the role Operate.
func (v *visitor) roleIn(room string) Role {
	if v.credential != nil {
		return v.credential.roleIn(room)
	}
	rules := v.guard.rules.Load()
	if rules.Tokens == nil && rules.Loopback {
		return Admin
	}
	if rules.Public != nil {
		if role, some := rules.Public(room); some {
			return role
		}
	}
	switch {
	case rules.Tokens != nil:
		return None
	case v.addr.loopback:
		return Admin
	}
	return Operate
}

// RoleIn returns the role of the caller in ctx in the room called room. The room "" is the server as a whole. ctx is
// the context of a request that has passed Guard.Wrap. For any other ctx the result is the zero Role, which permits no
// action.
func RoleIn(ctx context.Context, room string) Role {
	v, ok := ctx.Value(visitorKey{}).(*visitor)
	if !ok {
		return None
	}
	return v.roleIn(room)
}

// Allow returns nil if the caller in ctx has at least the role need in the room called room. The room "" is the server
// as a whole. Otherwise it returns a *problemjson.Problem. Its status is 401 if a token is missing or has expired, or
// if ctx has not passed Guard.Wrap. It is 403 if the role is too low.
func Allow(ctx context.Context, room string, need Role) error {
	have := RoleIn(ctx, room)
	if have >= need {
		return nil
	}
	if v, ok := ctx.Value(visitorKey{}).(*visitor); !ok || v.credential == nil || v.credential.ended.Err() != nil {
		return problemjson.New(401, "a token is needed: send Authorization: Bearer TOKEN, or log in at /login")
	}
	return problemjson.New(403, "this needs the role %v; the token has the role %v here", need, have)
}

// CountRequests counts n more requests of the caller in ctx against the rate limits, for example the commands of a
// batch. If a limit is exceeded, it returns a *problemjson.Problem with the status 429, otherwise nil. It ignores an n
// of 0 or less. It also ignores a ctx that does not come from a request through Guard.Wrap.
func CountRequests(ctx context.Context, n int) error {
	if v, ok := ctx.Value(visitorKey{}).(*visitor); ok && n > 0 {
		if err := v.countRequests(n); err != nil {
			return err
		}
	}
	return nil
}

// Passcode returns the highest role that passcode gives in any of rooms. It is for protocols without headers. passcode
// is a token; remote is the client's address as package net prints it. An empty or unknown passcode gives the role of
// callers without a token. So does every passcode if the server requires no tokens. Without rooms the role is the zero
// Role.
//
// An unknown passcode counts as a failed login if the server requires tokens. If the address must wait because of
// failures, role is the zero Role and err is a *problemjson.Problem. A valid passcode is accepted even then.
func (g *Guard) Passcode(remote, passcode string, rooms ...string) (role Role, err error) {
	v := &visitor{guard: g, addr: addressOf(remote)}
	if rules := g.rules.Load(); passcode != "" && rules.Tokens != nil {
		if v.credential = rules.Tokens.find(passcode); v.credential == nil {
			g.counts.tokens.Add(1)
			if err := g.failures.fail(v.addr); err != nil {
				return None, err
			}
		}
	}
	for _, room := range rooms {
		role = max(role, v.roleIn(room))
	}
	return role, nil
}
