package service

import (
	"context"
	"crypto/sha256"
	"net/http"
	"strings"
	"sync"
	"time"

	"voicepool/cmd/internal/serve/problemjson"
)

const (
	maxKeyLength = 128              // bytes
	maxKeys      = 1000             // maximum per room
	keyLifetime  = 10 * time.Minute // lifetime of a key
)

// idempotency stores the first answer to each call that has an idempotency key, per room. Safe for
// concurrent use.
type idempotency struct {
	mutex sync.Mutex
	rooms map[string]*roomKeys
}

// roomKeys holds the keys of a room, the oldest first.
type roomKeys struct {
	calls map[string]*keyedCall
	order []*keyedCall
}

// keyedCall is a call with a key. Its answer is valid once done is closed.
type keyedCall struct {
	call     string
	since    time.Time
	done     chan struct{}
	bodyHash [sha256.Size]byte // hash of the body
	status   int               // 0: the call gave no answer that may be reused
	body     any
}

// do runs act once for a key, so that a repeated call gets the first answer. It returns act's HTTP status and body and
// stores both under call and key. The answer stays stored for ten minutes from the begin of the call, unless the room
// ends or has 1,000 newer keys. If do was called with the same call and key before, it returns the stored answer
// instead. If that first act is still running, do waits for it until ctx ends (HTTP status 503).
//
// call identifies the route and its target. It begins with the room's name and a zero byte. When a room ends, its
// answers are dropped; for an answer that must outlive the room, the name is "". body is the request body. The same key
// with another body gives a 422. A key of more than 128 bytes gives a 400. If key is "", act always runs. Answers that
// may be temporary, such as a 500, are not stored, so act may run again; see finish.
func (k *idempotency) do(ctx context.Context, key, call, body string, act func() (int, any)) (int, any) {
	if key == "" {
		return act()
	}
	if len(key) > maxKeyLength {
		return errorReply(problemjson.New(http.StatusBadRequest, "the idempotency key is longer than %d bytes", maxKeyLength).WithField("Idempotency-Key").WithLimit(maxKeyLength))
	}
	bodyHash := sha256.Sum256([]byte(body))
	one, first := k.start(call + "\x00" + key)
	if !first {
		return one.waitResult(ctx, bodyHash)
	}
	status, out := 0, any(nil)
	defer func() { k.finish(one, bodyHash, status, out) }()
	status, out = act()
	return status, out
}

// waitResult waits for the end of one, the first call with an idempotency key, and returns the status and body of its
// answer. It is for a repeated call with that key. bodyHash is the hash of the repeated call's body. If the first call
// had another body, the answer is a 422. If ctx ends first, or if the first call panicked without an answer, the answer
// is a 503.
func (one *keyedCall) waitResult(ctx context.Context, bodyHash [sha256.Size]byte) (int, any) {
	select {
	case <-one.done:
	case <-ctx.Done():
		return errorReply(problemjson.New(http.StatusServiceUnavailable, "the first call with this key is still running"))
	}
	switch {
	case one.status == 0:
		return errorReply(problemjson.New(http.StatusServiceUnavailable, "the first call with this key did not finish; try again"))
	case one.bodyHash != bodyHash:
		return errorReply(problemjson.New(http.StatusUnprocessableEntity, "the idempotency key was used with another body").WithField("Idempotency-Key"))
	}
	return one.status, one.body
}

// start returns the entry for an idempotency key, and makes it if it is missing. call is the room's name (or "", as in
// do), a zero byte, the route, a zero byte and the key. If first is true, the entry is new. The caller must then carry
// out the call, and after that call k.finish. If first is false, the caller must call one.waitResult instead. start
// also drops the room's entries that are older than ten minutes. A new entry replaces the oldest if the room has 1,000
// entries.
func (k *idempotency) start(call string) (one *keyedCall, first bool) {
	name, _, _ := strings.Cut(call, "\x00")
	k.mutex.Lock()
	defer k.mutex.Unlock()
	r := k.rooms[name]
	if r == nil {
		r = &roomKeys{calls: map[string]*keyedCall{}}
		if k.rooms == nil {
			k.rooms = map[string]*roomKeys{}
		}
		k.rooms[name] = r
	}
	now := time.Now()
	r.prune(now, maxKeys)
	if one := r.calls[call]; one != nil {
		return one, false
	}
	r.prune(now, maxKeys-1)
	one = &keyedCall{call: call, since: now, done: make(chan struct{})}
	r.calls[call], r.order = one, append(r.order, one)
	return one, true
}

// prune drops the entries of r that are older than keyLifetime at the time now. It then drops the oldest entries until
// at most `most` entries remain. The caller holds the mutex of the idempotency.
func (r *roomKeys) prune(now time.Time, most int) {
	n := 0
	for n < len(r.order) && (now.Sub(r.order[n].since) >= keyLifetime || len(r.order)-n > most) {
		r.drop(r.order[n])
		n++
	}
	r.order = append(r.order[:0], r.order[n:]...)
}

// drop removes the entry one from the map r.calls, unless a newer entry has replaced it there. It does not change the
// list r.order. The caller holds the mutex of the idempotency.
func (r *roomKeys) drop(one *keyedCall) {
	if r.calls[one.call] == one {
		delete(r.calls, one.call)
	}
}

// finish stores status and body as the answer of one, a call that start has begun, and wakes the callers of
// one.waitResult. bodyHash is the hash of the request's body. Some answers are not kept for later calls, because the
// same call may then succeed. These have a status of 0, of 429, or of 500 and above, or refuse a room that is ending.
// Call finish once for each entry.
func (k *idempotency) finish(one *keyedCall, bodyHash [sha256.Size]byte, status int, body any) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	one.bodyHash, one.status, one.body = bodyHash, status, body
	if p, wrong := body.(*problemjson.Problem); status == 0 || status >= http.StatusInternalServerError || status == http.StatusTooManyRequests || wrong && p.Reason == reasonEnding {
		name, _, _ := strings.Cut(one.call, "\x00")
		if r := k.rooms[name]; r != nil {
			r.drop(one)
		}
	}
	close(one.done)
}

// forget drops all stored answers of the room called name, because that room has ended.
func (k *idempotency) forget(name string) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	delete(k.rooms, name)
}
