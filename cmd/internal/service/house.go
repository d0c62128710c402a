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

// house is a room with those who watch it.
type house struct {
	room   *room.Room
	hub    hub
	life   string      // tells the numbers of its events from those of a room of the same name before it
	ending atomic.Bool // a call has ended it, and it fades
	left   sync.Once

	calls int // uploads and sheets that it is taking; guarded by Server.alone
}

// Add has calls play on a room. The error is of its name, which another has, or of the limit. Its
// Close ends its being here.
func (s *Server) Add(r *room.Room) error {
	if err := s.reserve(r.Name()); err != nil {
		return err
	}
	s.settle(r.Name(), r)
	return nil
}

// Room returns a room by its name; nil: there is none, or a call has ended it.
func (s *Server) Room(name string) *room.Room {
	if h, err := s.stays(name); err == nil {
		return h.room
	}
	return nil
}

// Rooms returns all rooms, by their names.
func (s *Server) Rooms() []*room.Room {
	all, _ := s.census()
	return all
}

// census returns all rooms, and what those have counted that have ended.
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

// house returns that of a name, or a problem with the nearest.
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
	return nil, problem.New(http.StatusNotFound, "there is no room %q", words.OneLine(name)).Of("room").Near(words.Nearest(name, names))
}

// stays is house of a room that goes on. One that fades out since a call has ended it is a problem.
func (s *Server) stays(name string) (*house, error) {
	h, err := s.house(name)
	if err == nil && h.ending.Load() {
		return nil, problem.New(http.StatusConflict, "the room %q is ending", name).Of("room").For(ending)
	}
	return h, err
}

// ending is the reason of a refusal that lasts as long as a room ends.
const ending = "ending"

// reserve keeps the name of a room that is being made.
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
		return problem.New(http.StatusConflict, "the room %q is being made by another call", name).Of("room").For("being made")
	case len(s.houses) >= most:
		return problem.New(http.StatusTooManyRequests, "there are %s, which is the limit", words.Count(most, "room")).Of("room").Over(int64(most))
	}
	s.houses[name] = nil
	return nil
}

// settle puts a room under its name, which is reserved; nil gives the name back.
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

// await forgets a room when it has ended.
func (s *Server) await(name string, h *house) {
	<-h.room.Done()
	s.forget(name, h)
}

// forget removes a room that has ended, and keeps what it has counted. It returns when the name is free.
func (s *Server) forget(name string, h *house) {
	h.left.Do(func() { s.leave(name, h) })
}

// leave is forget. Files of a room that a call has ended go before the name is free: another room of
// this name has files of its own.
func (s *Server) leave(name string, h *house) {
	if h.ending.Load() && s.options.Gone != nil {
		s.options.Gone(h.room)
	}
	b := h.room.Brief()
	_, slow := h.room.Listeners()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.houses[name] == h {
		delete(s.houses, name)
		s.metrics.over.add(&b.Stats, slow)
		s.keys.forget(name)
	}
}

// workers returns what mixes the rooms that calls make.
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
			_ = os.Remove(folder) // unless sounds are in it
		}
		s.settle(name, nil)
		return nil, err
	}
	h := s.settle(name, r)
	if h == nil { // the server has ended meanwhile
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

// early is the sheet of a room that was made for a sound, whose own sheet comes later.
const early = "# This room was made by the upload of a sound. PUT a sheet that names its files.\nsounds: {}\n"

// isEarly reports whether a room waits for its sheet.
func isEarly(r *room.Room) bool {
	comment, _, _ := strings.Cut(early, "\n")
	return strings.HasPrefix(string(r.Text()), comment)
}

// entrance is what the calls wait for that make or replace the room of one name.
type entrance struct {
	sync.Mutex
	calls int // that have it, or wait for it
}

// alone waits until no other call makes, replaces or withdraws the room of a name. The caller calls done.
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

// hold returns the room of a name, which is not withdrawn until release. If there is none, hold makes it from a
// text; nil: it makes none.
func (s *Server) hold(ctx context.Context, name string, text []byte) (h *house, made bool, err error) {
	defer s.alone(name)() // of several calls that come at once the first makes the room
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

// withdraw ends a room that an upload has made, if the room has no sound and no call that may give it one. The
// caller has the name alone.
func (s *Server) withdraw(name string, h *house) {
	if h.calls == 0 && string(h.room.Text()) == early && h.ending.CompareAndSwap(false, true) {
		_ = h.room.Close(0) // it has no device
		s.forget(name, h)
	}
}

// receiver returns the room that takes a sound, until release. If there is no room of that name, receiver makes
// one, so that sounds can come before the sheet that names them.
func (s *Server) receiver(ctx context.Context, name string) (*house, error) {
	var text []byte
	if s.options.Folder != "" && s.options.Raise == nil && named(name) {
		text = []byte(early)
	}
	h, _, err := s.hold(ctx, name, text)
	return h, err
}

// remake makes a room that waits for its sheet again, from that sheet, if the room cannot change to it. The
// sounds of the room stay. If the sheet fails, the room is as before. The caller holds the room. A room that is
// taking sounds is not remade, because the sounds would be lost.
func (s *Server) remake(ctx context.Context, name string, h *house, text []byte) error {
	defer s.alone(name)()
	if h.calls > 1 {
		return problem.New(http.StatusConflict, "the room %q is taking sounds, and this sheet has another rate; put the sheet again when they have arrived", name).Of("sheet").For("uploading")
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

// spare returns how many voices all other rooms leave to one.
func (s *Server) spare(name string) int {
	left := s.options.Limits.RoomVoices
	for _, r := range s.Rooms() {
		if r.Name() != name {
			left -= r.Voices()
		}
	}
	return max(left, 0)
}

// named reports whether a name can be that of a room or of a sound, and so of a file.
func named(name string) bool {
	return len(name) >= 1 && len(name) <= 64 && name[0] != '.' && !strings.ContainsFunc(name, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.')
	})
}

// unnamed is the problem of a name that cannot be.
func unnamed(what, name string) error {
	return problem.New(http.StatusBadRequest, "%s: %q is not 1 to 64 of a-z, A-Z, 0-9, _, - and ., without a . in front", what, words.OneLine(name)).Of(what)
}
