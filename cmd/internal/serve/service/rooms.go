package service

import (
	"bytes"
	"context"
	"errors"
	"mime"
	"net/http"
	"os"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/internal/words"
)

// roomListEntry is an entry in the list of rooms.
type roomListEntry struct {
	Room    string  `json:"room"`
	Playing int64   `json:"playing"`
	Voices  int64   `json:"voices"` // the size of the pool
	Time    float64 `json:"time"`
	Device  string  `json:"device"`
	List    bool    `json:"list"` // it has cues that wait for GO
}

// list answers with a JSON list of rooms, sorted by name. It leaves out rooms that the caller must not read.
func (s *Server) list(w http.ResponseWriter, r *http.Request) error {
	out := struct {
		Rooms []roomListEntry `json:"rooms"`
	}{[]roomListEntry{}}
	for _, one := range s.Rooms() {
		if s.allow(r.Context(), Read, one.Name()) != nil {
			continue
		}
		b := one.Summary()
		out.Rooms = append(out.Rooms, roomListEntry{
			Room: one.Name(), Playing: b.Stats.Playing, Voices: b.Stats.Voices,
			Time: float64(b.Frame) / float64(b.Rate), Device: b.Device, List: len(one.Sheet().List) > 0,
		})
	}
	return write(w, http.StatusOK, &out)
}

// sheetTypes are the media types accepted for a sheet.
var sheetTypes = map[string]bool{"application/yaml": true, "application/x-yaml": true, "text/yaml": true}

// put makes a room from the sheet or bank in the request body. If the room exists, put changes it to that sheet. It
// answers with the state of the room. The status is 201 if the room is new, otherwise 200. A repeated Idempotency-Key
// gets the stored answer.
//
// put writes no answer and returns an error with an HTTP status in three cases. These are an invalid name, an empty or
// incomplete body (400), a media type other than YAML (415), and a body above the limit (413). Any other failure is
// written as an answer.
func (s *Server) put(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("room")
	if !validName(name) {
		return invalidName("room", name)
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || !sheetTypes[kind] {
		return problemjson.New(http.StatusUnsupportedMediaType, "want a sheet or a bank, with the header Content-Type: application/yaml").WithField("Content-Type")
	}
	text, err := s.body(w, r, s.options.Limits.SheetBytes)
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(text)) == 0 { // for example, from a file that does not exist
		return problemjson.New(http.StatusBadRequest, "the body is empty (want a sheet or a bank)").WithField("sheet")
	}
	status, body := s.idempotency.do(r.Context(), r.Header.Get("Idempotency-Key"), "\x00put\x00"+name, string(text), func() (int, any) {
		status, now, err := s.sheet(r.Context(), name, text)
		if err != nil {
			return errorReply(s.logStoreError(name, err))
		}
		return status, now.State()
	})
	return write(w, status, body)
}

// sheet makes a room called name from text, a sheet or a bank, and returns it with the status 201. If the room exists,
// sheet changes it to text, with the status 200. An existing room cannot change its sample rate, unless an upload has
// made it. In that case a new room replaces it, and now is the new room. After an error, status is 0 and now is nil.
func (s *Server) sheet(ctx context.Context, name string, text []byte) (status int, now *room.Room, err error) {
	h, created, err := s.hold(ctx, name, text)
	if err != nil {
		return 0, nil, err
	}
	defer s.release(name, h)
	if created {
		return http.StatusCreated, h.room, nil
	}
	err = h.room.Change(ctx, text)
	h.notifyChange()
	if e, is := errors.AsType[*room.Error](err); is && e.Reason == "rate" && madeByUpload(h.room) {
		if err = s.replace(ctx, name, h, text); err == nil {
			h, err = s.activeRoom(name)
		}
	}
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, h.room, nil
}

// logStoreError logs and counts err, an error of storing a sheet or a sound, if it is a failure of the server, such as
// a full disk. Faults of the client and the end of a context are not logged. name is the room. err must not be nil.
// logStoreError returns err. If it has logged an *os.LinkError, it returns the cause without the paths instead.
func (s *Server) logStoreError(name string, err error) error {
	canceled := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if status := problemOf(err).Status; !canceled && (status == http.StatusInternalServerError || status == http.StatusInsufficientStorage) {
		s.CountStoreFailure(err)
		if at, ok := errors.AsType[*os.LinkError](err); ok {
			err = at.Err
		}
		s.logLine("room " + name + ": " + words.Plain(words.Cause(err))) // without a path
	}
	return err
}

// end fades out the room, removes it and its files, and answers when the room has ended. The query parameter over is
// the length of the fade, by default 300 ms, at most a minute. An unknown room gets a 404, and a room that another call
// is ending a 409. Options.BeforeEnd runs before the fade. If it returns an error, that error is the answer and the
// room continues. A repeated Idempotency-Key gets the stored answer. end returns an error only for an invalid over.
func (s *Server) end(w http.ResponseWriter, r *http.Request) error {
	name, over := r.PathValue("room"), defaultFade
	if text := r.URL.Query().Get("over"); text != "" {
		var err error
		if over, err = duration(text); err != nil || over > maxFade {
			return problemjson.New(http.StatusBadRequest, "over: want a time up to %v, such as 1s", maxFade).WithField("over")
		}
	}
	status, body := s.idempotency.do(r.Context(), r.Header.Get("Idempotency-Key"), "\x00end\x00"+name, over.String(), func() (int, any) {
		h, err := s.activeRoom(name)
		if err == nil && !h.ending.CompareAndSwap(false, true) { // another call was faster
			_, err = s.activeRoom(name)
		}
		if err == nil && s.options.BeforeEnd != nil {
			if err = s.options.BeforeEnd(r.Context(), name, over); err != nil {
				h.ending.Store(false)
			}
		}
		if err != nil {
			return errorReply(err)
		}
		if err := h.room.Close(over); err != nil {
			s.logLine("room " + name + ": " + words.Plain(err))
		}
		s.forget(name, h)
		return http.StatusOK, &endReply{name}
	})
	return write(w, status, body)
}

// endReply is the answer when a room has ended.
type endReply struct {
	Room string `json:"room"`
}
