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

// tokenID returns the id of the token t, a hash of the token's text, role and rooms. The id changes if the role or the
// rooms change, so that sessions of the old token end. It is an HMAC-SHA-256 with the key salt.
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

// read parses text, stored sessions in JSON, into k. It does not check each session. Empty text gives no sessions and a
// new salt. Text written by a newer program is an error that wraps ErrNewer. Text that is invalid is an error, too.
// After an error, k may be partly filled.
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

// Restore restores browser sessions, with their remaining time, from text. An earlier Guard has passed text to store.
// Empty text has no sessions. A session is skipped if its token was removed or has other permissions. It is also
// skipped if it was made without tokens and tokens are now required. If text is invalid or newer (ErrNewer), Restore
// returns an error and has no effect. Call it successfully at most once, before the Guard serves requests.
//
// Restore calls store with the text of all sessions. From then on, the Guard does so whenever a session begins or ends,
// before the answer is sent. Calls of store do not overlap. After Close the Guard no longer calls store.
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

// restoreSessions adds the sessions in stored to the Guard, with their remaining time, but at most 30 days. stored is
// sorted by the beginning of the sessions, and restoreSessions changes it. It skips sessions that have expired or are
// damaged. It also skips a session if the token or session that it depends on is gone. If stored has more sessions than
// the limit, it skips the oldest.
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

// storeSessions passes all active sessions, as text, to the function given to Restore. Calls of that function do not
// overlap. Before Restore and after Close, storeSessions has no effect.
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

// stored returns the active sessions, in the order of their addition, in the form that is stored as JSON.
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
