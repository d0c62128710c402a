package webauth

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

// sessionsVersion is the version of the stored sessions. It is raised when older programs would misread
// them.
const sessionsVersion = 1

// ErrNewer is the error of sessions stored by a newer program.
var ErrNewer = errors.New("the sessions were written by a newer voicepool")

// storedSessions are the stored browser sessions as JSON. They contain only hashes of cookies and
// tokens.
type storedSessions struct {
	Version  int             `json:"version"`
	Salt     []byte          `json:"salt"` // salt of the token ids
	Sessions []storedSession `json:"sessions"`
}

type storedSession struct {
	Cookie []byte    `json:"cookie"`          // hash of the cookie
	Until  time.Time `json:"until"`           // when the session expires
	Under  []byte    `json:"under,omitempty"` // id of the token or session that this session ends with; empty: it began without tokens
	Role   string    `json:"role"`
	Rooms  []string  `json:"rooms,omitempty"`
	Name   string    `json:"name"`
}

// id identifies a credential: the hash of a session's cookie, or the hash of a token with its role and
// rooms. The zero id is the credential of a server without tokens.
type id [sha256.Size]byte

// ownID is the id of the credential used for the links of the server itself, if tokens are required.
var ownID = id{sha256.Size - 1: 1}

// tokenID returns the id of the token t: an HMAC-SHA-256 with the key salt, of the token's hash, role and rooms. So a
// session ends when the role or the rooms of its token change.
func tokenID(salt []byte, t *token) (of id) {
	mac := hmac.New(sha256.New, salt)
	mac.Write(t.sum[:])
	mac.Write([]byte{byte(t.credential.role)})
	for _, room := range t.credential.rooms {
		mac.Write(binary.AppendUvarint(nil, uint64(len(room))))
		mac.Write([]byte(room))
	}
	mac.Sum(of[:0])
	return of
}

// newSalt returns 32 random bytes.
func newSalt() []byte {
	salt := make([]byte, sha256.Size)
	rand.Read(salt)
	return salt
}

// read parses text, stored sessions in JSON, into k. Empty text means no sessions and a new salt. Text of a newer
// program is an error that wraps ErrNewer. After an error, k may be partly filled. The sessions are not checked.
func (k *storedSessions) read(text []byte) error {
	if len(text) == 0 {
		*k = storedSessions{Version: sessionsVersion, Salt: newSalt()}
		return nil
	}
	var of struct{ Version int } // a newer version may have other types
	if err := json.Unmarshal(text, &of); err == nil && of.Version > sessionsVersion {
		return fmt.Errorf("%w (version %d of the sessions; this program reads version %d)", ErrNewer, of.Version, sessionsVersion)
	}
	if err := json.Unmarshal(text, k); err != nil {
		return errors.New("the sessions are not valid JSON")
	}
	switch {
	case k.Version != sessionsVersion:
		return fmt.Errorf("the sessions have version %d, this program reads version %d", k.Version, sessionsVersion)
	case len(k.Salt) != sha256.Size:
		return errors.New("the sessions have no salt")
	}
	return nil
}

// Restore restores sessions from text, which an earlier Guard has passed to store, with their remaining time. A
// session whose token was removed or has other permissions is skipped. So is a session from a time without tokens,
// if tokens are now required. Empty text has no sessions. If text is invalid or newer (ErrNewer), Restore returns an
// error and has no effect. Call it successfully at most once, before the Guard serves requests.
//
// Afterwards the Guard calls store with the text of all sessions whenever a session begins or ends, before the answer
// is sent, but not after Close. Calls of store do not overlap.
func (g *Guard) Restore(text []byte, store func(text []byte)) error {
	var stored storedSessions
	if err := stored.read(text); err != nil {
		return err
	}
	g.salt, g.storeText = stored.Salt, store
	if tokens := g.rules.Load().Tokens; tokens != nil {
		for _, t := range tokens.list {
			t.credential.id = tokenID(g.salt, t)
		}
	}
	g.restoreSessions(stored.Sessions)
	g.storeSessions()
	return nil
}

// restoreSessions adds the sessions in stored, which are in order of their beginning, with their remaining time, at
// most 30 days. It skips sessions that have expired, are damaged, or whose token or earlier session is gone, and the
// oldest above the limit. It changes stored.
func (g *Guard) restoreSessions(stored []storedSession) {
	rules := g.rules.Load()
	credentials := map[id]*credential{ownID: {ended: g.ended}}
	if rules.openCredential != nil {
		credentials[id{}] = rules.openCredential
	}
	if tokens := rules.Tokens; tokens != nil {
		for _, t := range tokens.list {
			credentials[t.credential.id] = t.credential
		}
	}
	now := time.Now()
	stored = slices.DeleteFunc(stored, func(k storedSession) bool { return !now.Before(k.Until) })
	stored = stored[max(len(stored)-g.limits.Sessions, 0):] // if there are too many, the oldest are dropped
	latest := now.Add(sessionTime)
	for _, k := range stored {
		var under id
		copy(under[:], k.Under)
		of := credentials[under]
		role, err := ParseRole(k.Role)
		if of == nil || err != nil || len(k.Cookie) != sha256.Size {
			continue
		}
		until := k.Until
		if until.After(latest) { // the clock was wrong
			until = latest
		}
		from := &credential{id: under, role: role, rooms: k.Rooms, name: k.Name, ended: of.ended}
		one := g.sessions.add(id(k.Cookie), from, until)
		credentials[one.credential.id] = one.credential
	}
}

// storeSessions passes the text of all active sessions to the function given to Restore, one call at a time. Before
// Restore and after Close it has no effect.
func (g *Guard) storeSessions() {
	if g.storeText == nil {
		return
	}
	g.storing.Lock()
	defer g.storing.Unlock()
	if g.ended.Err() != nil { // Close has ended all sessions; they are restored at the next start
		return
	}
	k := storedSessions{Version: sessionsVersion, Salt: g.salt, Sessions: g.sessions.stored()}
	text, err := json.MarshalIndent(k, "", " ")
	if err == nil { // marshaling strings and times cannot fail
		g.storeText(append(text, '\n'))
	}
}

// stored returns the active sessions in their stored form, oldest first.
func (s *sessions) stored() []storedSession {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	list := []storedSession{}
	for _, one := range s.order {
		if b := one.credential; b.ended.Err() == nil {
			k := storedSession{Cookie: b.id[:], Until: one.until.UTC(), Role: b.role.String(), Rooms: b.rooms, Name: b.name}
			if one.parent != (id{}) {
				k.Under = one.parent[:]
			}
			list = append(list, k)
		}
	}
	return list
}
