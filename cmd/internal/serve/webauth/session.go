package webauth

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"sync"
	"time"
)

const (
	sessionTime = 30 * 24 * time.Hour
	linkTime    = time.Hour
	maxLinks    = 256
)

// session is a browser that is logged in. The id of its credential is the hash of its cookie.
type session struct {
	credential *credential
	parent     id // id of the token or session that it ends with
	until      time.Time
}

// link is a one-time login link.
type link struct {
	sum        id
	credential *credential // with the id of the token or session that made the link
	until      time.Time
}

// sessions holds browser sessions and unused login links, each oldest first.
type sessions struct {
	mutex sync.Mutex
	max   int
	list  map[id]*session
	order []*session
	links []link
}

// secret returns a random secret and its hash. text holds 256 random bits, encoded for a URL or a cookie. sum is the
// SHA-256 of text.
func secret() (text string, sum id) {
	var bits [32]byte
	rand.Read(bits[:])
	text = base64.RawURLEncoding.EncodeToString(bits[:])
	return text, sha256.Sum256([]byte(text))
}

// start starts a browser session of 30 days and returns the value of its cookie. The session has the permissions of the
// credential `of`, and ends early if that credential ends. If s is full, it replaces ended sessions, or else the
// oldest. Only the hash of the cookie is kept. The caller must then call Guard.storeSessions, which stores the session.
func (s *sessions) start(of *credential) (cookie string) {
	cookie, sum := secret()
	s.add(sum, of, time.Now().Add(sessionTime))
	return cookie
}

// add adds a browser session to s and returns it. sum is the hash of its cookie. The session has the permissions of the
// credential `of`. It ends at the time until, or earlier if that credential ends. If s is full, add first removes the
// ended sessions. If that is not enough, it ends the oldest session.
func (s *sessions) add(sum id, of *credential, until time.Time) *session {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if len(s.order) >= s.max {
		s.order = slices.DeleteFunc(s.order, func(old *session) bool {
			over := old.credential.ended.Err() != nil
			if over {
				delete(s.list, old.credential.id)
			}
			return over
		})
	}
	if len(s.order) >= s.max {
		s.order[0].credential.end()
		delete(s.list, s.order[0].credential.id)
		s.order = slices.Delete(s.order, 0, 1)
	}
	if s.list == nil {
		s.list = map[id]*session{}
	}
	b := &credential{id: sum, role: of.role, rooms: of.rooms, name: of.name}
	b.ended, b.end = context.WithDeadline(of.ended, until)
	one := &session{b, of.id, until}
	s.list[sum] = one
	s.order = append(s.order, one)
	return one
}

// find returns the session of a cookie. The parameter cookie is the value of the cookie. If it is unknown, or its
// session has ended, find returns nil.
func (s *sessions) find(cookie string) *session {
	sum := sha256.Sum256([]byte(cookie)) // comparing hashes leaks no timing information about the cookie
	s.mutex.Lock()
	defer s.mutex.Unlock()
	one := s.list[sum]
	if one == nil || one.credential.ended.Err() != nil {
		return nil
	}
	return one
}

// count returns the number of active sessions.
func (s *sessions) count() (n int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, one := range s.order {
		if one.credential.ended.Err() == nil {
			n++
		}
	}
	return n
}

// invite adds a one-time login link to s and returns its secret key. The link has the permissions of b. It is valid for
// one hour, or until b ends. Only the hash of the key is kept. If s has 256 valid links, the oldest becomes invalid.
func (s *sessions) invite(b *credential) (key string) {
	key, sum := secret()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now := time.Now()
	s.links = slices.DeleteFunc(s.links, func(l link) bool { return !now.Before(l.until) || l.credential.ended.Err() != nil })
	if len(s.links) == maxLinks {
		s.links = slices.Delete(s.links, 0, 1)
	}
	s.links = append(s.links, link{sum, b, now.Add(linkTime)})
	return key
}

// use uses up a one-time login link and returns the credential of the link. key is its secret key. If key is unknown,
// the link has expired, or its credential has ended, use returns nil. A link that is found is deleted in any case.
func (s *sessions) use(key string) *credential {
	sum := sha256.Sum256([]byte(key))
	s.mutex.Lock()
	defer s.mutex.Unlock()
	i := slices.IndexFunc(s.links, func(l link) bool { return l.sum == sum })
	if i < 0 {
		return nil
	}
	l := s.links[i]
	s.links = slices.Delete(s.links, i, i+1)
	if !time.Now().Before(l.until) || l.credential.ended.Err() != nil {
		return nil
	}
	return l.credential
}

// Invite makes a one-time login link and returns its path and query. It is meant for the person who started the server.
// The link is valid for one hour. It gives role in the room called room, or in all rooms if room is "". If the server
// has no tokens, the link and its session end when tokens are added.
func (g *Guard) Invite(role Role, room string) (path string) {
	from := cmp.Or(g.rules.Load().openCredential, &credential{id: ownID, ended: g.ended})
	return g.invite(from, role, room)
}

// invite makes a one-time login link and returns its path and query. The link is valid for one hour. It gives role in
// the room called room, or in all rooms if room is "". The link and its session end with the credential `of`.
func (g *Guard) invite(of *credential, role Role, room string) (path string) {
	b := &credential{id: of.id, role: role, name: "a link", ended: of.ended, end: func() {}}
	if room != "" {
		b.rooms = []string{room}
	}
	return "/login?key=" + g.sessions.invite(b)
}
