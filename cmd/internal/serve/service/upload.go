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

// upload stores the body as a sound of the room, which is made if it is missing, and answers with the sound's
// properties and status 201. At most four uploads of a server run at once; others wait. A repeated idempotency key gets
// the answer of the first call if the body has the same hash. A returned error precedes the answer.
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

// storeSound reads a sound from in and stores it in the room h as the file called name, if the room's limits permit it.
// It returns the HTTP status and the body: 201 and an *uploadReply, or a problem. A failure to store is logged and
// counted.
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

// checkRoomSize returns a problem if the stored sounds of the room called name have reached Limits.RoomSounds (429) or
// Limits.RoomBytes (413), otherwise nil. An old version of sound, the name of the sound to upload, and the hidden
// files of running uploads do not count. The size of the new sound is not checked here.
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

// Read reads from the body into b, adds the data to the hash and stores an error other than io.EOF in m.err.
func (m *hashingReader) Read(b []byte) (int, error) {
	n, err := m.in.Read(b)
	m.sum.Write(b[:n])
	if err != nil && !errors.Is(err, io.EOF) {
		m.err = err
	}
	return n, err
}

// drain reads and discards the rest of the body, so that the hash covers it. It returns m.err: nil, or the error of
// this or an earlier read.
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
