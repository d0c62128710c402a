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

	"voicepool/cmd/internal/problem"
	"voicepool/cmd/internal/room"
	"voicepool/internal/words"
)

// house is a room with its watchers.
type house struct {
	room   *room.Room
	hub    hub
	life   string      // distinguishes event numbers of this room from an earlier room with its name
	ending atomic.Bool // a call has ended the room, and it fades out
	left   sync.Once

	calls int // running uploads and sheet changes; guarded by Server.alone
}

// Add makes a room available to calls. It fails if the name is taken or a limit is reached. Closing
// the room removes it.
func (s *Server) Add(r *room.Room) error {
	if err := s.reserve(r.Name()); err != nil {
		return err
	}
	s.settle(r.Name(), r)
	return nil
}

// Room returns a room by its name. It returns nil if the room does not exist or a call has ended
// it.
func (s *Server) Room(name string) *room.Room {
	if h, err := s.stays(name); err == nil {
		return h.room
	}
	return nil
}

// Rooms returns all rooms, sorted by name.
func (s *Server) Rooms() []*room.Room {
	all, _ := s.census()
	return all
}

// census returns all rooms, and the summed counts of the rooms that have ended.
func (s *Server) census() (all []*room.Room, over sums) {
	s.mutex.RLock()
	for _, h := range s.houses {
		if h != nil {
			all = append(all, h.room)
		}
	}
	over = s.metrics.over
	s.mutex.RUnlock()
	slices.SortFunc(all, func(x, y *room.Room) int { return strings.Compare(x.Name(), y.Name()) })
	return all, over
}

// house returns the room with a name, or a problem that suggests the nearest name.
func (s *Server) house(name string) (*house, error) {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	if h := s.houses[name]; h != nil {
		return h, nil
	}
	var names []string
	for n, h := range s.houses {
		if h != nil {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return nil, problem.New(http.StatusNotFound, "unknown room %q", words.OneLine(name)).Of("room").Near(words.Nearest(name, names))
}

// stays returns the room with a name like house, but rejects a room that is fading out after a call
// has ended it.
func (s *Server) stays(name string) (*house, error) {
	h, err := s.house(name)
	if err == nil && h.ending.Load() {
		return nil, problem.New(http.StatusConflict, "the room %q is ending", name).Of("room").For(ending)
	}
	return h, err
}

// ending is the reason of refusals that last until the room has ended.
const ending = "ending"

// reserve reserves the name of a room before the room is made.
func (s *Server) reserve(name string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	_, taken := s.houses[name]
	switch most := s.options.Limits.Rooms; {
	case s.closed:
		return problem.New(http.StatusServiceUnavailable, "the server is ending")
	case !named(name):
		return unnamed("room", name)
	case taken:
		return problem.New(http.StatusConflict, "another call is creating the room %q", name).Of("room").For("being made")
	case len(s.houses) >= most:
		return problem.New(http.StatusTooManyRequests, "the limit of %s is reached", words.Count(most, "room")).Of("room").Over(int64(most))
	}
	s.houses[name] = nil
	return nil
}

// settle registers a room under its reserved name. With nil it releases the name.
func (s *Server) settle(name string, r *room.Room) *house {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if r == nil || s.closed {
		delete(s.houses, name)
		return nil
	}
	h := &house{room: r, life: strings.ToLower(rand.Text()[:8])}
	h.hub.begin(s, r, h.life)
	s.houses[name] = h
	s.calls.Go(func() { s.await(name, h) })
	return h
}

// await removes a room when it has ended.
func (s *Server) await(name string, h *house) {
	<-h.room.Done()
	s.forget(name, h)
}

// forget removes a room that has ended and keeps its counts. When it returns, the name is free.
func (s *Server) forget(name string, h *house) {
	h.left.Do(func() { s.leave(name, h) })
}

// leave does the work of forget. If a call has ended the room, its files are removed before the
// name is free, because the next room with this name has its own files.
func (s *Server) leave(name string, h *house) {
	if h.ending.Load() && s.options.Gone != nil {
		s.options.Gone(h.room)
	}
	b := h.room.Summary()
	_, slow := h.room.Listeners()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.houses[name] == h {
		delete(s.houses, name)
		s.metrics.over.add(&b.Stats, slow)
		s.keys.forget(name)
	}
}

// workers returns the workers that mix the rooms made by calls.
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

// raise makes a room from a sheet or a bank.
func (s *Server) raise(ctx context.Context, name string, text []byte) (*house, error) {
	if s.options.Raise != nil {
		if err := s.options.Raise(ctx, name, text); err != nil {
			return nil, err
		}
		return s.house(name)
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
			Name: name, Text: text, Folder: folder, Limits: s.options.Sounds, Workers: s.workers(), Say: s.options.Say, Keep: s.options.Keep,
			Most: func() int { return s.spare(name) },
		})
	}
	if err != nil {
		if folder != "" {
			_ = os.Remove(folder) // fails if sounds are in it, which is fine
		}
		s.settle(name, nil)
		return nil, err
	}
	h := s.settle(name, r)
	if h == nil { // the server was closed in between
		_ = r.Close(0)
		return nil, problem.New(http.StatusServiceUnavailable, "the server is ending")
	}
	if s.options.Keep != nil {
		if err := s.options.Keep(r); err != nil {
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

// early is the sheet of a room that an upload has made. The room's own sheet comes later.
const early = "# This room was created by the upload of a sound. PUT a sheet that names its files.\nsounds: {}\n"

// isEarly reports whether a room is still waiting for its sheet.
func isEarly(r *room.Room) bool {
	comment, _, _ := strings.Cut(early, "\n")
	return strings.HasPrefix(string(r.Text()), comment)
}

// entrance is the lock of one room name. Calls that make, replace or withdraw the room hold it.
type entrance struct {
	sync.Mutex
	calls int // calls that hold the lock or wait for it
}

// alone locks the name of a room, so that only one call makes, replaces or withdraws it. The caller
// calls done.
func (s *Server) alone(name string) (done func()) {
	s.mutex.Lock()
	e := s.entrances[name]
	if e == nil {
		e = &entrance{}
		s.entrances[name] = e
	}
	e.calls++
	s.mutex.Unlock()
	e.Lock()
	return func() {
		e.Unlock()
		s.mutex.Lock()
		defer s.mutex.Unlock()
		if e.calls--; e.calls == 0 {
			delete(s.entrances, name)
		}
	}
}

// hold returns the room with a name and keeps it from being withdrawn until release. If the room
// does not exist, hold makes it from text. If text is nil, it returns an error instead.
func (s *Server) hold(ctx context.Context, name string, text []byte) (h *house, made bool, err error) {
	defer s.alone(name)() // of several simultaneous calls, the first makes the room
	h, err = s.stays(name)
	if p, is := errors.AsType[*problem.Problem](err); is && p.Status == http.StatusNotFound && text != nil {
		h, err = s.raise(ctx, name, text)
		made = err == nil
	}
	if err != nil {
		return nil, false, err
	}
	h.calls++
	return h, made, nil
}

// release ends a hold, and may withdraw the room.
func (s *Server) release(name string, h *house) {
	defer s.alone(name)()
	h.calls--
	s.withdraw(name, h)
}

// withdraw ends a room that an upload has made, if the room has no sound and no running call that
// may add one. The caller holds the lock of the name.
func (s *Server) withdraw(name string, h *house) {
	if h.calls == 0 && string(h.room.Text()) == early && h.ending.CompareAndSwap(false, true) {
		_ = h.room.Close(0) // it has no device
		s.forget(name, h)
	}
}

// receiver returns the room for an uploaded sound and holds it until release. If the room does not
// exist, receiver makes it, so that sounds can be uploaded before the sheet that names them.
func (s *Server) receiver(ctx context.Context, name string) (*house, error) {
	var text []byte
	if s.options.Folder != "" && s.options.Raise == nil && named(name) {
		text = []byte(early)
	}
	h, _, err := s.hold(ctx, name, text)
	return h, err
}

// remake replaces a room that waits for its sheet by a new one made from the sheet. It is for a sheet that the
// room cannot change to. The sounds of the room stay. If the sheet fails, the room is as before. The caller holds
// the room. A room that is receiving sounds is not remade, because the sounds would be lost.
func (s *Server) remake(ctx context.Context, name string, h *house, text []byte) error {
	defer s.alone(name)()
	if h.calls > 1 {
		return problem.New(http.StatusConflict, "the room %q is receiving sounds, and this sheet has another rate; put the sheet again when the uploads have ended", name).Of("sheet").For("uploading")
	}
	old := h.room.Text()
	_ = h.room.Close(0) // it has no device
	s.forget(name, h)
	if _, err := s.raise(ctx, name, text); err != nil {
		again, lost := s.raise(context.WithoutCancel(ctx), name, old)
		if lost != nil {
			s.say("room " + name + ": its sounds wait for the next sheet, and the room cannot be opened: " + words.Plain(lost))
			return err
		}
		s.withdraw(name, again)
		return err
	}
	return nil
}

// spare returns how many voices a room may use: the limit minus the voices of all other rooms.
func (s *Server) spare(name string) int {
	left := s.options.Limits.RoomVoices
	for _, r := range s.Rooms() {
		if r.Name() != name {
			left -= r.Voices()
		}
	}
	return max(left, 0)
}

// named reports whether a name is valid for a room or a sound, and so for a file.
func named(name string) bool {
	return len(name) >= 1 && len(name) <= 64 && name[0] != '.' && !strings.ContainsFunc(name, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.')
	})
}

// unnamed returns the problem of an invalid name.
func unnamed(what, name string) error {
	return problem.New(http.StatusBadRequest, "%s: %q is not 1 to 64 of a-z, A-Z, 0-9, _, - and ., without a . in front", what, words.OneLine(name)).Of(what)
}
