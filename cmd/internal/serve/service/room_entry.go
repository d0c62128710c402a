package service

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/internal/words"
)

// roomEntry is a room with its watchers.
type roomEntry struct {
	room      *room.Room
	hub       hub
	runID     string      // distinguishes event numbers of this room from an earlier room with its name
	ending    atomic.Bool // a call has ended the room, and it fades out
	forgotten sync.Once

	calls int // running uploads and sheet changes; guarded by the lock of the name
}

// Add makes the room r available to calls, under r's own name. It returns an error with an HTTP status if the name is
// invalid or taken, the limit of rooms is reached, or the server is closed. The server removes r from its rooms when r
// has ended. Server.Close ends r. If the server closes during the call, r may be left out without an error.
func (s *Server) Add(r *room.Room) error {
	if err := s.reserve(r.Name()); err != nil {
		return err
	}
	s.register(r.Name(), r)
	return nil
}

// Room returns the room called name. If the room does not exist, or a call has ended it and it fades out, Room returns
// nil.
func (s *Server) Room(name string) *room.Room {
	if h, err := s.activeRoom(name); err == nil {
		return h.room
	}
	return nil
}

// Rooms returns all rooms, sorted by name, including rooms that fade out.
func (s *Server) Rooms() []*room.Room {
	all, _ := s.roomsAndSums()
	return all
}

// roomsAndSums returns all rooms, sorted by name, including rooms that fade out. ended has the summed counts of the
// rooms that have ended before. Both results are from the same moment, so that no room is missing or counted twice.
func (s *Server) roomsAndSums() (all []*room.Room, ended sums) {
	s.mutex.RLock()
	for _, h := range s.entries {
		if h != nil {
			all = append(all, h.room)
		}
	}
	ended = s.metrics.ended
	s.mutex.RUnlock()
	slices.SortFunc(all, func(x, y *room.Room) int { return strings.Compare(x.Name(), y.Name()) })
	return all, ended
}

// entry returns the entry of the room called name. A room that fades out still has its entry. An unknown name is an
// error with the HTTP status 404, which suggests the nearest name, if there are rooms. A room that is still being made
// is unknown, too.
func (s *Server) entry(name string) (*roomEntry, error) {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	if h := s.entries[name]; h != nil {
		return h, nil
	}
	var names []string
	for n, h := range s.entries {
		if h != nil {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return nil, problemjson.New(http.StatusNotFound, "unknown room %q", words.OneLine(name)).WithField("room").WithNearest(words.Nearest(name, names))
}

// activeRoom returns the entry of the room called name, but not while the room fades out because a call has ended it.
// The error then has the HTTP status 409. An unknown name is a 404, as in entry.
func (s *Server) activeRoom(name string) (*roomEntry, error) {
	h, err := s.entry(name)
	if err == nil && h.ending.Load() {
		return nil, problemjson.New(http.StatusConflict, "the room %q is ending", name).WithField("room").WithReason(reasonEnding)
	}
	return h, err
}

// reasonEnding is the reason of refusals that last until the room has ended.
const reasonEnding = "ending"

// reserve takes a name for a room that is not made yet, so that other calls cannot take it. The caller must later call
// register, which replaces the reservation. The errors have an HTTP status: an invalid name (400), a taken name (409),
// too many rooms (429), and a closed server (503).
func (s *Server) reserve(name string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	_, taken := s.entries[name]
	switch most := s.options.Limits.Rooms; {
	case s.closed:
		return problemjson.New(http.StatusServiceUnavailable, "the server is ending")
	case !validName(name):
		return invalidName("room", name)
	case taken:
		return problemjson.New(http.StatusConflict, "another call is creating the room %q", name).WithField("room").WithReason("being made")
	case len(s.entries) >= most:
		return problemjson.New(http.StatusTooManyRequests, "the limit of %s is reached", words.Count(most, "room")).WithField("room").WithLimit(int64(most))
	}
	s.entries[name] = nil
	return nil
}

// register stores the room r under name, which the caller has reserved, and returns its entry. It also starts a
// goroutine that removes the entry when r has ended. If r is nil or the server is closed, register frees the name and
// returns nil. The caller must then close r.
func (s *Server) register(name string, r *room.Room) *roomEntry {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if r == nil || s.closed {
		delete(s.entries, name)
		return nil
	}
	h := &roomEntry{room: r, runID: strings.ToLower(rand.Text()[:8])}
	h.hub.init(s, r, h.runID)
	s.entries[name] = h
	s.calls.Go(func() { s.awaitEnd(name, h) })
	return h
}

// awaitEnd waits until the room of h has ended. It then calls forget, which removes the entry h and frees name, the
// name of the room. It runs on a goroutine of its own.
func (s *Server) awaitEnd(name string, h *roomEntry) {
	<-h.room.Done()
	s.forget(name, h)
}

// forget removes the entry h of a room that has ended. name is the name of the room, and is free when forget returns.
// If a call has ended the room, forget first calls Options.RemoveFiles. It adds the counts of the room to the server's
// metrics and drops its idempotency keys, unless Close has removed the entry already. Only the first call for h has an
// effect; later calls wait for it.
func (s *Server) forget(name string, h *roomEntry) {
	h.forgotten.Do(func() { s.removeEntry(name, h) })
}

// removeEntry removes the entry h of a room that has ended, and frees its name. forget calls it once for each entry. If
// a call has ended the room, removeEntry first calls Options.RemoveFiles, before another room can take the name. It
// adds the counts of the room to the server's metrics and drops its idempotency keys. It leaves out both if Close has
// removed the entry already.
func (s *Server) removeEntry(name string, h *roomEntry) {
	if h.ending.Load() && s.options.RemoveFiles != nil {
		s.options.RemoveFiles(h.room)
	}
	b := h.room.Summary()
	_, slow := h.room.Listeners()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.entries[name] == h {
		delete(s.entries, name)
		s.metrics.ended.add(&b.Stats, slow)
		s.idempotency.forget(name)
	}
}

// workers returns the workers that mix the rooms made by calls. These are Options.Workers, or else the server's own
// workers, which the first call of workers starts. After Close it returns nil if the server's own workers were never
// started.
func (s *Server) workers() *room.Workers {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case s.options.Workers != nil:
		return s.options.Workers
	case s.own == nil && !s.closed:
		s.own = room.NewWorkers(0)
	}
	return s.own
}

// create makes a room called name from text, a sheet or a bank, and returns its entry. If Options.Create is set, that
// function does all the work, and create only looks up the entry. Otherwise create also makes the room's folder for
// sounds, registers the room, and stores it with Options.Save. If a step fails, the room is closed, the
// name is free again, and an empty folder is removed, unless the server has closed. The caller holds the lock of the
// name.
func (s *Server) create(ctx context.Context, name string, text []byte) (*roomEntry, error) {
	if s.options.Create != nil {
		if err := s.options.Create(ctx, name, text); err != nil {
			return nil, err
		}
		return s.entry(name)
	}
	if err := s.reserve(name); err != nil {
		return nil, err
	}
	folder := ""
	var err error
	if s.options.Folder != "" {
		folder = filepath.Join(s.options.Folder, name)
		err = os.MkdirAll(folder, 0o700)
	}
	var r *room.Room
	if err == nil {
		r, err = room.Open(ctx, room.Options{
			Name: name, Text: text, Folder: folder, Limits: s.options.Sounds, Workers: s.workers(), Log: s.options.Log, Save: s.options.Save,
			VoiceLimit: func() int { return s.voiceLimit(name) },
		})
	}
	if err != nil {
		if folder != "" {
			_ = os.Remove(folder) // fails if sounds are in it, which is fine
		}
		s.register(name, nil)
		return nil, err
	}
	h := s.register(name, r)
	if h == nil { // the server was closed in between
		_ = r.Close(0)
		return nil, problemjson.New(http.StatusServiceUnavailable, "the server is ending")
	}
	if s.options.Save != nil {
		if err := s.options.Save(r); err != nil {
			_ = r.Close(0) // it has no device
			s.forget(name, h)
			if folder != "" {
				_ = os.Remove(folder)
			}
			return nil, err
		}
	}
	return h, nil
}

// uploadSheet is the sheet of a room that an upload has made, until a client puts another sheet.
const uploadSheet = "# This room was created by the upload of a sound. PUT a sheet that names its files.\nsounds: {}\n"

// madeByUpload reports whether an upload has made the room r, and no client has put a sheet since then. It recognizes
// such a room by the first line of its sheet, the comment of uploadSheet.
func madeByUpload(r *room.Room) bool {
	comment, _, _ := strings.Cut(uploadSheet, "\n")
	return strings.HasPrefix(string(r.Text()), comment)
}

// nameLock is the lock of one room name. Calls that make, replace or remove the room hold it.
type nameLock struct {
	sync.Mutex
	calls int // calls that hold the lock or wait for it
}

// lockName locks a room name, so that only one call at a time makes, replaces or removes the room. It waits while
// another caller has the lock. The caller must call done, which unlocks the name.
func (s *Server) lockName(name string) (done func()) {
	s.mutex.Lock()
	e := s.nameLocks[name]
	if e == nil {
		e = &nameLock{}
		s.nameLocks[name] = e
	}
	e.calls++
	s.mutex.Unlock()
	e.Lock()
	return func() {
		e.Unlock()
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if e.calls--; e.calls == 0 {
			delete(s.nameLocks, name)
		}
	}
}

// hold returns the entry of the room called name and counts the caller as a user of the room. Until the caller calls
// release, endIfEmpty does not end the room. If the room is missing, hold makes it from text, a sheet or bank, and
// created is true. If text is nil, a missing room is an error with the HTTP status 404 instead. A room that is ending
// is a 409. After an error the caller must not call release.
func (s *Server) hold(ctx context.Context, name string, text []byte) (h *roomEntry, created bool, err error) {
	defer s.lockName(name)() // of several simultaneous calls, the first makes the room
	h, err = s.activeRoom(name)
	if p, is := errors.AsType[*problemjson.Problem](err); is && p.Status == http.StatusNotFound && text != nil {
		h, err = s.create(ctx, name, text)
		created = err == nil
	}
	if err != nil {
		return nil, false, err
	}
	h.calls++
	return h, created, nil
}

// release undoes one call of hold for the room of h, which is called name. If this was the last hold, and the room was
// made by an upload but received no sound, release ends the room.
func (s *Server) release(name string, h *roomEntry) {
	defer s.lockName(name)()
	h.calls--
	s.endIfEmpty(name, h)
}

// endIfEmpty ends and removes the room of h, called name, if an upload made it but stored no sound in it. The sheet is
// then still equal to uploadSheet. While a call holds the room, endIfEmpty has no effect. The caller holds the lock of
// the name.
func (s *Server) endIfEmpty(name string, h *roomEntry) {
	if h.calls == 0 && string(h.room.Text()) == uploadSheet && h.ending.CompareAndSwap(false, true) {
		_ = h.room.Close(0) // it has no device
		s.forget(name, h)
	}
}

// holdForUpload returns the entry of the room called name for an upload, and holds the room. The caller must call
// release. A missing room is made with the sheet uploadSheet, if the server has a folder for sounds, Options.Create is
// nil, and name is valid. Otherwise a missing room is an error with the HTTP status 404.
func (s *Server) holdForUpload(ctx context.Context, name string) (*roomEntry, error) {
	var text []byte
	if s.options.Folder != "" && s.options.Create == nil && validName(name) {
		text = []byte(uploadSheet)
	}
	h, _, err := s.hold(ctx, name, text)
	return h, err
}

// replace closes the room called name and makes a new room from text in its place. The uploaded sounds stay. h is the
// entry of the old room, which an upload has made. text is a sheet with another sample rate. The caller must hold h by
// Server.hold. It must not have the lock of the name, because replace locks the name.
//
// If another call holds h, too, the old room stays, and the error has the HTTP status 409. If the new room cannot be
// made, replace returns that error and makes the old room again, unless the old room had no sounds. If the old room
// cannot be made either, this is logged, and the room is missing.
func (s *Server) replace(ctx context.Context, name string, h *roomEntry, text []byte) error {
	defer s.lockName(name)()
	if h.calls > 1 {
		return problemjson.New(http.StatusConflict, "the room %q is receiving sounds, and this sheet has another rate; put the sheet again when the uploads have ended", name).WithField("sheet").WithReason("uploading")
	}
	old := h.room.Text()
	_ = h.room.Close(0) // it has no device
	s.forget(name, h)
	if _, err := s.create(ctx, name, text); err != nil {
		again, lost := s.create(context.WithoutCancel(ctx), name, old)
		if lost != nil {
			s.logLine("room " + name + ": its sounds wait for the next sheet, and the room cannot be opened: " + words.Plain(lost))
			return err
		}
		s.endIfEmpty(name, again)
		return err
	}
	return nil
}

// voiceLimit returns how many voices the room called name may use. It is Limits.RoomVoices minus the voices of all
// other rooms, and at least 0.
func (s *Server) voiceLimit(name string) int {
	free := s.options.Limits.RoomVoices
	for _, r := range s.Rooms() {
		if r.Name() != name {
			free -= r.Voices()
		}
	}
	return max(free, 0)
}

// validName reports whether name is valid for a room. A valid name has 1 to 64 characters: ASCII letters, digits, _, -
// and dots, but no leading dot.
func validName(name string) bool {
	return len(name) >= 1 && len(name) <= 64 && name[0] != '.' && !strings.ContainsFunc(name, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.')
	})
}

// invalidName returns the error for name, an invalid name of a room, with the HTTP status 400. The error blames a
// request field, such as "room", whose name is in the parameter what.
func invalidName(what, name string) error {
	return problemjson.New(http.StatusBadRequest, "%s: %q is not 1 to 64 of a-z, A-Z, 0-9, _, - and ., without a . in front", what, words.OneLine(name)).WithField(what)
}
