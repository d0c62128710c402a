package guard

import (
	"context"
	"slices"
)

// badge says what its bearer may do, until it ends.
type badge struct {
	id    id
	role  Role
	rooms []string // empty: all
	name  string   // of the bearer, for people
	ended context.Context
	end   context.CancelFunc
	spent bucket // what is left of its rate
}

// in returns the role of the bearer in a room; in "", which is the server as a whole, a badge of
// some rooms may read.
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

// covers reports whether a badge may do all that a role in a room may; "": in all rooms.
func (b *badge) covers(role Role, room string) bool {
	return b.in(room) >= role && (room != "" || len(b.rooms) == 0)
}

// visitor is who asks.
type visitor struct {
	guard   *Guard
	addr    address
	badge   *badge   // nil: somebody without a token
	session *session // nil: not by a cookie
}

type visitorKey struct{}

// in returns the role of a visitor in a room.
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

// Of returns the role in a room of who asks. A room "" is the server as a whole. Whom no Guard has let in
// may do nothing.
func Of(ctx context.Context, room string) Role {
	v, ok := ctx.Value(visitorKey{}).(*visitor)
	if !ok {
		return None
	}
	return v.in(room)
}

// Allow returns a *Denied of 401 or 403 where who asks may not do in a room what a role may.
func Allow(ctx context.Context, room string, need Role) error {
	have := Of(ctx, room)
	if have >= need {
		return nil
	}
	if v, ok := ctx.Value(visitorKey{}).(*visitor); !ok || v.badge == nil || v.badge.ended.Err() != nil {
		return &Denied{Status: 401, Detail: "a token is needed: send Authorization: Bearer TOKEN, or log in at /login"}
	}
	return denied(403, "this needs the role %v; the token is of %v here", need, have)
}

// Take counts n requests more of who asks: a message of a WebSocket, or the commands of a batch. It
// returns a *Denied of 429 where there are too many.
func Take(ctx context.Context, n int) error {
	if v, ok := ctx.Value(visitorKey{}).(*visitor); ok && n > 0 {
		if err := v.take(n); err != nil {
			return err
		}
	}
	return nil
}

// Passcode returns the role of who knows a token, or of those who know none: the highest in some rooms. It is
// for protocols that have no headers, from an address as net gives it. A wrong one counts once.
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
