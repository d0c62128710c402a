package service

import (
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"voicepool/cmd/internal/serve/problemjson"
	"voicepool/cmd/internal/serve/room"
	"voicepool/internal/words"
)

// uploadReply is the answer to an upload.
type uploadReply struct {
	Sound    string  `json:"sound"`
	Seconds  float64 `json:"seconds"`
	Channels int     `json:"channels"`
	Rate     int     `json:"rate"`
}

// upload stores the request body as a sound of the room. It answers with the sound's properties and status 201. A
// missing room is made, if the server has a folder for sounds and Options.Create is nil. At most four uploads run at
// the same time; others wait. If the request ends during that wait, the error has the HTTP status 503. A repeated
// idempotency key gets the answer of the first call, if both bodies are equal, otherwise a 422. A returned error means
// that the answer has not begun.
func (s *Server) upload(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	if err := room.CheckFile(name); err != nil {
		return err
	}
	most := s.options.Limits.SoundBytes
	if r.ContentLength > most {
		return tooLong(most)
	}
	key := r.Header.Get("Idempotency-Key")
	if len(key) > maxKeyLength {
		_, p := s.idempotency.do(r.Context(), key, "", "", nil)
		return p.(error)
	}
	select {
	case s.uploads <- struct{}{}:
		defer func() { <-s.uploads }()
	case <-r.Context().Done():
		return problemjson.New(http.StatusServiceUnavailable, "too many uploads of sounds are running; try again later")
	}
	h, err := s.holdForUpload(r.Context(), r.PathValue("room"))
	if err != nil {
		return s.logStoreError(words.OneLine(r.PathValue("room")), err)
	}
	defer s.release(h.room.Name(), h)
	in := &hashingReader{in: http.MaxBytesReader(w, r.Body, most), sum: sha256.New()}
	if key == "" {
		status, body := s.storeSound(r.Context(), h, name, in)
		return write(w, status, body)
	}
	one, first := s.idempotency.start(r.PathValue("room") + "\x00sound\x00" + name + "\x00" + key)
	if !first {
		if err := in.drain(); err != nil {
			return bodyError(err)
		}
		status, body := one.waitResult(r.Context(), in.hash())
		return write(w, status, body)
	}
	status, body := 0, any(nil)
	defer func() { s.idempotency.finish(one, in.hash(), status, body) }()
	status, body = s.storeSound(r.Context(), h, name, in)
	if err := in.drain(); err != nil { // the hash covers the whole body
		status, body = errorReply(bodyError(err))
	}
	return write(w, status, body)
}

// storeSound reads a sound from in and stores it in the room of h as the file called name. It returns the HTTP status
// and the body of the answer: 201 and an *uploadReply, or a *problemjson.Problem. If the room has reached its limits,
// storeSound returns a problem without reading from in. A failure to store is logged and counted in the metrics.
func (s *Server) storeSound(ctx context.Context, h *roomEntry, name string, in *hashingReader) (status int, body any) {
	if err := s.checkRoomSize(h.room.Name(), name); err != nil {
		return errorReply(err)
	}
	sound, info, err := h.room.AddSound(ctx, name, in)
	switch {
	case in.err != nil:
		return errorReply(bodyError(in.err))
	case err != nil:
		return errorReply(s.logStoreError(h.room.Name(), err))
	}
	h.notifyChange()
	return http.StatusCreated, &uploadReply{Sound: sound.Sound, Seconds: sound.Seconds, Channels: info.Channels, Rate: info.Rate}
}

// checkRoomSize returns nil if the room called name may store one more sound. If its stored sounds have reached
// Limits.RoomSounds (HTTP status 429) or Limits.RoomBytes (413), it returns an error. The parameter sound is the file
// name of the new sound, with or without its extension. An old version of that sound and the hidden files of running
// uploads do not count. The size of the new sound is not checked here.
func (s *Server) checkRoomSize(name, sound string) error {
	if s.options.Folder == "" {
		return nil
	}
	files, err := os.ReadDir(filepath.Join(s.options.Folder, name))
	if err != nil {
		return nil // the folder does not exist yet; other errors appear when the sound is written
	}
	bytes, count, l := int64(0), 0, &s.options.Limits
	for _, f := range files {
		if info, err := f.Info(); err == nil && !strings.HasPrefix(f.Name(), ".") && f.Name() != sound && strings.TrimSuffix(f.Name(), filepath.Ext(f.Name())) != sound {
			count++
			bytes = min(bytes, math.MaxInt64-info.Size()) + info.Size()
		}
	}
	switch {
	case count >= l.RoomSounds:
		return problemjson.New(http.StatusTooManyRequests, "the limit of %s in the room is reached", words.Count(l.RoomSounds, "sound")).WithLimit(int64(l.RoomSounds))
	case bytes >= l.RoomBytes:
		return problemjson.New(http.StatusRequestEntityTooLarge, "the sounds of the room have reached the limit of %d bytes", l.RoomBytes).WithLimit(l.RoomBytes)
	}
	return nil
}

// hashingReader reads a body and records its hash and its first error.
type hashingReader struct {
	in  io.Reader
	sum hash.Hash
	err error
}

// Read reads from the body into b and adds the bytes to the hash. It stores an error other than io.EOF in m.err, too.
func (m *hashingReader) Read(b []byte) (int, error) {
	n, err := m.in.Read(b)
	m.sum.Write(b[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}

// drain reads and discards the rest of the body, so that the hash covers the whole body. It returns m.err, the error of
// this or an earlier read, or nil.
func (m *hashingReader) drain() error {
	if m.err == nil {
		_, _ = io.Copy(io.Discard, m) // m.err holds the error
	}
	return m.err
}

// hash returns the SHA-256 hash of the data read up to now.
func (m *hashingReader) hash() (p [sha256.Size]byte) {
	m.sum.Sum(p[:0])
	return p
}
