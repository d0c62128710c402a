package guard

import (
	"context"
	"slices"
)

// badge holds the permissions of a client until it ends.
type badge struct {
	id    id
	role  Role
	rooms []string // empty: all
	name  string   // of the client, for people
	ended context.Context
	end   context.CancelFunc
	spent bucket // the client's use of its rate
}

// in returns the client's role in a room. The room "" is the server as a whole: there, a badge that
// is limited to some rooms has at most the role Read. After the end of the badge the role is None.
func (b *badge) in(room string) Role {
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

// covers reports whether the badge includes at least a role in a room, or with "" in all rooms.
func (b *badge) covers(role Role, room string) bool {
	return b.in(room) >= role && (room != "" || len(b.rooms) == 0)
}

// visitor is the client of a request.
type visitor struct {
	guard   *Guard
	addr    address
	badge   *badge   // nil: no valid token or session
	session *session // nil: not identified by a cookie
}

type visitorKey struct{}

// in returns the visitor's role in a room. Without a badge, Options.Public decides, and otherwise
// whether tokens are required and where the request comes from.
func (v *visitor) in(room string) Role {
	if v.badge != nil {
		return v.badge.in(room)
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

// Of returns the caller's role in a room. The room "" is the server as a whole. Without a Guard in
// ctx the role is None.
func Of(ctx context.Context, room string) Role {
	v, ok := ctx.Value(visitorKey{}).(*visitor)
	if !ok {
		return None
	}
	return v.in(room)
}

// Allow returns nil if the caller has at least the role need in a room. Otherwise it returns a
// *Denied: 401 if a token is missing, 403 if the role is too low.
func Allow(ctx context.Context, room string, need Role) error {
	have := Of(ctx, room)
	if have >= need {
		return nil
	}
	if v, ok := ctx.Value(visitorKey{}).(*visitor); !ok || v.badge == nil || v.badge.ended.Err() != nil {
		return &Denied{Status: 401, Detail: "a token is needed: send Authorization: Bearer TOKEN, or log in at /login"}
	}
	return denied(403, "this needs the role %v; the token has the role %v here", need, have)
}

// Take counts n more requests of the caller, such as a WebSocket message or the commands of a
// batch. It returns a *Denied with status 429 if the rate limit is exceeded.
func Take(ctx context.Context, n int) error {
	if v, ok := ctx.Value(visitorKey{}).(*visitor); ok && n > 0 {
		if err := v.take(n); err != nil {
			return err
		}
	}
	return nil
}

// Passcode returns the highest role that a token gives in some rooms. Without a valid token, it
// returns the role of anonymous callers. It serves protocols without headers. remote is an address
// as package net prints it. A wrong passcode counts as one failed login; err is a *Denied while the
// address has to wait.
func (g *Guard) Passcode(remote, passcode string, rooms ...string) (role Role, err error) {
	v := &visitor{guard: g, addr: addressOf(remote)}
	if rules := g.rules.Load(); passcode != "" && rules.Tokens != nil {
		if v.badge = rules.Tokens.find(passcode); v.badge == nil {
			g.counts.tokens.Add(1)
			if err := g.failures.fail(v.addr); err != nil {
				return None, err
			}
		}
	}
	for _, room := range rooms {
		role = max(role, v.in(room))
	}
	return role, nil
}
