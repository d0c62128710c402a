package guard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// keptVersion is the version of the text in which sessions are kept. It rises when older programs would read
// the text wrongly.
const keptVersion = 1

// ErrNewer is the error of sessions that a newer program has kept.
var ErrNewer = errors.New("the sessions are of a newer voicepool")

// keptSessions are the sessions of browsers as JSON. They contain hashes only: neither a cookie nor a token can
// be read from them.
type keptSessions struct {
	Version  int           `json:"version"`
	Salt     []byte        `json:"salt"` // of the ids of tokens
	Sessions []keptSession `json:"sessions"`
}

type keptSession struct {
	Cookie []byte    `json:"cookie"`          // the hash of the cookie
	Until  time.Time `json:"until"`           // when the session expires
	Under  []byte    `json:"under,omitempty"` // the id of the token or session that it ends with; empty: it began without tokens
	Role   string    `json:"role"`
	Rooms  []string  `json:"rooms,omitempty"`
	Name   string    `json:"name"`
}

// id names a badge: the hash of a session's cookie, or the hash of a token with its role and rooms. The zero id is
// the badge of a server without tokens.
type id [sha256.Size]byte

// ownID is the id of the badge with which a server that has tokens makes its own links.
var ownID = id{sha256.Size - 1: 1}

// tokenID returns the id of a token. It changes with the role and the rooms of the token.
func tokenID(salt []byte, t *token) (of id) {
	mac := hmac.New(sha256.New, salt)
	mac.Write(t.sum[:])
	mac.Write([]byte{byte(t.badge.role)})
	for _, room := range t.badge.rooms {
		mac.Write(binary.AppendUvarint(nil, uint64(len(room))))
		mac.Write([]byte(room))
	}
	mac.Sum(of[:0])
	return of
}

// newSalt returns random bytes.
func newSalt() []byte {
	salt := make([]byte, sha256.Size)
	rand.Read(salt)
	return salt
}

// read reads what a Guard kept; an empty text has no sessions.
func (k *keptSessions) read(text []byte) error {
	if len(text) == 0 {
		*k = keptSessions{Version: keptVersion, Salt: newSalt()}
		return nil
	}
	var of struct{ Version int } // a newer version may have other types
	if err := json.Unmarshal(text, &of); err == nil && of.Version > keptVersion {
		return fmt.Errorf("%w (version %d of the sessions; this program reads version %d)", ErrNewer, of.Version, keptVersion)
	}
	if err := json.Unmarshal(text, k); err != nil {
		return errors.New("the sessions are not valid JSON")
	}
	switch {
	case k.Version != keptVersion:
		return fmt.Errorf("the sessions have version %d, this program reads version %d", k.Version, keptVersion)
	case len(k.Salt) != sha256.Size:
		return errors.New("the sessions have no salt")
	}
	return nil
}

// Restore begins the sessions that an earlier Guard kept, with the time that they had left. A session does not begin
// again if its token is gone, or has another role or other rooms. A session that began while there were no tokens
// begins again only if there are still none. An empty text has no sessions. Restore is called
// once, before the Guard lets anything in. An error says that the text is not of a Guard, or wraps ErrNewer; nothing
// has changed then.
//
// From then on keep is given the sessions as text when one begins or ends, before the answer, and not after Close.
// Its calls do not overlap. The text has hashes of cookies, and no token.
func (g *Guard) Restore(text []byte, keep func(text []byte)) error {
	var kept keptSessions
	if err := kept.read(text); err != nil {
		return err
	}
	g.salt, g.keepText = kept.Salt, keep
	if tokens := g.rules.Load().Tokens; tokens != nil {
		for _, t := range tokens.list {
			t.badge.id = tokenID(g.salt, t)
		}
	}
	g.begin(kept.Sessions)
	g.keep()
	return nil
}

// begin begins sessions that were kept.
func (g *Guard) begin(kept []keptSession) {
	rules := g.rules.Load()
	badges := map[id]*badge{ownID: {ended: g.ended}}
	if rules.open != nil {
		badges[id{}] = rules.open
	}
	if tokens := rules.Tokens; tokens != nil {
		for _, t := range tokens.list {
			badges[t.badge.id] = t.badge
		}
	}
	now := time.Now()
	kept = slices.DeleteFunc(kept, func(k keptSession) bool { return !now.Before(k.Until) })
	kept = kept[max(len(kept)-g.limits.Sessions, 0):] // the oldest end if there are too many
	latest := now.Add(sessionTime)
	for _, k := range kept {
		var under id
		copy(under[:], k.Under)
		of := badges[under]
		role, err := ParseRole(k.Role)
		if of == nil || err != nil || len(k.Cookie) != sha256.Size {
			continue
		}
		until := k.Until
		if until.After(latest) { // the clock was wrong
			until = latest
		}
		from := &badge{id: under, role: role, rooms: k.Rooms, name: k.Name, ended: of.ended}
		one := g.sessions.add(id(k.Cookie), from, until)
		badges[one.badge.id] = one.badge
	}
}

// keep hands the sessions to the function that Restore was given, if there is one.
func (g *Guard) keep() {
	if g.keepText == nil {
		return
	}
	g.keeping.Lock()
	defer g.keeping.Unlock()
	if g.ended.Err() != nil { // Close has ended all sessions, which are to begin again
		return
	}
	k := keptSessions{Version: keptVersion, Salt: g.salt, Sessions: g.sessions.kept()}
	text, err := json.MarshalIndent(k, "", " ")
	if err == nil { // texts and times can always be written
		g.keepText(append(text, '\n'))
	}
}

// kept returns the sessions that have not ended, the oldest first.
func (s *sessions) kept() []keptSession {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	list := []keptSession{}
	for _, one := range s.order {
		if b := one.badge; b.ended.Err() == nil {
			k := keptSession{Cookie: b.id[:], Until: one.until.UTC(), Role: b.role.String(), Rooms: b.rooms, Name: b.name}
			if one.under != (id{}) {
				k.Under = one.under[:]
			}
			list = append(list, k)
		}
	}
	return list
}
