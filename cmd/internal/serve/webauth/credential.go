package webauth

import (
	"context"
	"slices"
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

// roleIn returns the role that the credential gives in the room called room: the zero Role if it is limited to other
// rooms or has ended. The room "" is the server as a whole: there, a credential that is limited to some rooms gives at
// most the role Read.
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

// covers reports whether the credential gives at least role in the room called room. For the room "" it reports whether
// the credential does so in all rooms; a credential that is limited to some rooms does not.
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

// roleIn returns the visitor's role in the room called room; the room "" is the server as a whole. A credential decides
// alone. Without a credential, the role is Admin if tokens are not required and the server listens on loopback only. If
// not, the role is the room's from Options.Public, if that has a role. Otherwise it is the zero Role if tokens are
// required, and else Admin for a visitor on this machine and Operate for any other.
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

// RoleIn returns the role of the caller in ctx in the room called room. The room "" is the server as a whole. If ctx
// does not come from a request through Guard.Wrap, the role is the zero Role, without any permission.
func RoleIn(ctx context.Context, room string) Role {
	v, ok := ctx.Value(visitorKey{}).(*visitor)
	if !ok {
		return None
	}
	return v.roleIn(room)
}

// Allow returns nil if the caller in ctx has at least the role need in the room called room; the room "" is the server
// as a whole. Otherwise it returns a *Denied: status 401 if a token is missing or expired, 403 if the role is too low.
func Allow(ctx context.Context, room string, need Role) error {
	have := RoleIn(ctx, room)
	if have >= need {
		return nil
	}
	if v, ok := ctx.Value(visitorKey{}).(*visitor); !ok || v.credential == nil || v.credential.ended.Err() != nil {
		return &Denied{Status: 401, Detail: "a token is needed: send Authorization: Bearer TOKEN, or log in at /login"}
	}
	return denied(403, "this needs the role %v; the token has the role %v here", need, have)
}

// CountRequests counts n more requests of the caller in ctx, such as the commands of a batch, against the rate limits.
// It returns a *Denied with status 429 if a limit is exceeded, otherwise nil. An n of 0 or less, and a ctx that does
// not come from a request through Guard.Wrap, are ignored.
func CountRequests(ctx context.Context, n int) error {
	if v, ok := ctx.Value(visitorKey{}).(*visitor); ok && n > 0 {
		if err := v.countRequests(n); err != nil {
			return err
		}
	}
	return nil
}

// Passcode returns the highest role that the token passcode gives in any of rooms. An empty or unknown passcode gives
// the role of callers without a token. It is for protocols without headers; remote is the client's address as package
// net prints it. An unknown passcode counts as a failed login; if the address must now wait after failures, err is a
// *Denied and role the zero Role. A valid passcode is accepted even then.
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
