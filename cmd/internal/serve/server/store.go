package server

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"time"

	"voicepool/cmd/internal/cli/tmpdir"
	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/serve/webauth"
	"voicepool/internal/whole"
	"voicepool/internal/words"
)

// stateVersion is the version of the file format. It is raised when older programs would misread
// the files.
const stateVersion = 1

// storedRoom is the stored state of a room, as JSON.
type storedRoom struct {
	Version  int            `json:"version"`
	Sheet    string         `json:"sheet,omitempty"` // hash of the file that the room was made from; empty: made over the network
	Snapshot *room.Snapshot `json:"snapshot"`
}

// store stores the rooms in a folder: rooms/NAME.json for each room, its sounds in sounds/NAME, and
// browser sessions in sessions.json. A nil store does nothing. Safe for concurrent use.
type store struct {
	folder string
	lock   *os.File
	log    func(string)

	mutex sync.Mutex
	files map[string]*storedFiles // by room
}

// storedFiles describes the stored files of a room. Its mutex is held while they are written or
// removed.
type storedFiles struct {
	mutex     sync.Mutex
	sheet     string
	snapshot  *room.Snapshot // nil: unknown
	forgotten time.Time      // when the room was forgotten
	failed    bool           // whether the last write failed
}

// openStore opens the store of rooms in folder, and creates the folder if necessary. It locks the folder against other
// processes until close. A folder that another process uses is an error. The store passes log lines to log.
func openStore(folder string, log func(string)) (*store, error) {
	s := &store{folder: folder, files: map[string]*storedFiles{}, log: log}
	for _, below := range []string{"rooms", "sounds"} {
		if err := os.MkdirAll(filepath.Join(folder, below), 0o700); err != nil {
			return nil, fmt.Errorf("--state %s: %w", words.OneLine(folder), words.Cause(err))
		}
	}
	var err error
	if s.lock, err = tmpdir.Lock(filepath.Join(folder, "lock")); errors.Is(err, tmpdir.ErrLocked) {
		err = errors.New("another voicepool serve uses it")
	}
	if err != nil {
		return nil, fmt.Errorf("--state %s: %w", words.OneLine(folder), words.Cause(err))
	}
	return s, nil
}

// entry returns the entry of the room called name in s.files, and makes it if it is missing.
func (s *store) entry(name string) *storedFiles {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	w := s.files[name]
	if w == nil {
		w = &storedFiles{}
		s.files[name] = w
	}
	return w
}

// close unlocks the folder for other processes. On a nil store it has no effect.
func (s *store) close() {
	if s != nil {
		s.lock.Close()
	}
}

// rooms returns the folder with the states of the rooms.
func (s *store) rooms() string { return filepath.Join(s.folder, "rooms") }

// file returns the path of the state of the room called name.
func (s *store) file(name string) string { return filepath.Join(s.rooms(), name+".json") }

// sounds returns the folder for the sounds of the room called name. It creates the folder if it is missing.
func (s *store) sounds(name string) (string, error) {
	folder := filepath.Join(s.folder, "sounds", name)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("--state: the folder of the room %s: %w", name, words.Cause(err))
	}
	return folder, nil
}

// names returns the names of the rooms that have a stored state. Files whose name is not valid for a room are ignored.
// The states are not read. A nil store, or a folder that cannot be read, gives nil.
func (s *store) names() (list []string) {
	if s == nil {
		return nil
	}
	entries, _ := os.ReadDir(s.rooms()) // openStore has made the folder
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".json"); ok && checkName(name) == nil {
			list = append(list, name)
		}
	}
	return list
}

// load returns the stored state of the room called name. It returns nil if the room has no file. It also returns nil
// for a damaged file, which it renames and logs. A file written by a newer program is an error and stays unchanged. A
// nil store returns nil.
func (s *store) load(name string) (*storedRoom, error) {
	if s == nil {
		return nil, nil
	}
	path := s.file(name)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", words.OneLine(path), words.Cause(err))
	}
	var of struct{ Version int } // a newer version may have other types
	if err := json.Unmarshal(text, &of); err == nil && of.Version > stateVersion {
		return nil, fmt.Errorf("%s: was written by a newer voicepool (version %d of the state; this program reads version %d): use that program, or another --state", words.OneLine(path), of.Version, stateVersion)
	}
	k := &storedRoom{}
	err = json.Unmarshal(text, k)
	switch {
	case err == nil && k.Version == stateVersion && k.Snapshot != nil && k.Snapshot.Room == name:
		return k, nil
	}
	return nil, s.renameDamaged(path, fmt.Sprintf("the room %s restarts without its saved state", name))
}

// renameDamaged renames the damaged file at path: it appends .broken to the name. It logs the new name and consequence,
// which explains the effect for the user. It returns an error only if the file cannot be renamed.
func (s *store) renameDamaged(path, consequence string) error {
	if err := os.Rename(path, path+".broken"); err != nil {
		return fmt.Errorf("%s: is damaged, and cannot be renamed: %w", words.OneLine(path), words.Cause(err))
	}
	s.log(fmt.Sprintf("%s is damaged: renamed to end in .broken, and %s", words.OneLine(path), consequence))
	return nil
}

// sessions returns the path of the file with browser sessions.
func (s *store) sessions() string { return filepath.Join(s.folder, "sessions.json") }

// openSessions restores the browser sessions of g from the store's file. From now on, g stores its sessions in that
// file; errors of storing are logged. A damaged file is renamed and logged, and all browsers have to log in again. A
// file written by a newer program is an error and stays unchanged. A nil store has no effect.
func (s *store) openSessions(g *webauth.Guard) error {
	if s == nil {
		return nil
	}
	path := s.sessions()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", words.OneLine(path), words.Cause(err))
	}
	save := func(text []byte) {
		if err := writeFile(path, text); err != nil {
			s.log(fmt.Sprintf("--state: the sessions of browsers cannot be saved: %v. A restart restores the sessions saved before", words.Cause(err)))
		}
	}
	switch err := g.Restore(text, save); {
	case err == nil:
		return nil
	case errors.Is(err, webauth.ErrNewer):
		return fmt.Errorf("%s: %w: use that program, or another --state", words.OneLine(path), err)
	}
	if err := s.renameDamaged(path, "all browsers have to log in again"); err != nil {
		return err
	}
	return g.Restore(nil, save)
}

// save stores the state of the room called name, if it has changed since the last save. Changes that only come from the
// passing of time do not count. A nil store has no effect. save calls current for the room's snapshot and the hash of
// its sheet's file. During that call it holds the lock of the room's entry, so that other goroutines cannot save or
// forget the room. If the snapshot is nil, or older than the last forget, save returns nil without storing.
func (s *store) save(name string, current func() (snapshot *room.Snapshot, sheet string)) error {
	if s == nil {
		return nil
	}
	w := s.entry(name)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	snapshot, sheet := current()
	if snapshot == nil || snapshot.Time.Before(w.forgotten) {
		return nil
	}
	state := withoutTimes(snapshot)
	if w.snapshot != nil && w.sheet == sheet && reflect.DeepEqual(w.snapshot, state) {
		return nil
	}
	text, err := json.MarshalIndent(storedRoom{stateVersion, sheet, snapshot}, "", " ")
	if err != nil {
		return err
	}
	if err := writeFile(s.file(name), append(text, '\n')); err != nil {
		return fmt.Errorf("--state: the room %s cannot be written: %w", name, words.Cause(err))
	}
	w.sheet, w.snapshot = sheet, state
	return nil
}

// recordResult records the result of the last write of the room called name. failed is true if that write failed. It
// reports whether the write before had the other result, so that a caller logs only changes. A nil store returns false.
func (s *store) recordResult(name string, failed bool) (changed bool) {
	if s == nil {
		return false
	}
	w := s.entry(name)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	changed, w.failed = w.failed != failed, failed
	return changed
}

// withoutTimes returns a copy of snapshot without the values that change merely with time, such as positions. Two equal
// copies mean that the newer snapshot need not be stored.
func withoutTimes(snapshot *room.Snapshot) *room.Snapshot {
	out := *snapshot
	out.Time, out.Frame = time.Time{}, 0
	out.Loops = append([]room.Loop(nil), out.Loops...)
	for i := range out.Loops {
		if !out.Loops[i].Paused {
			out.Loops[i].Position, out.Loops[i].Order.For = 0, 0
		}
	}
	return &out
}

// removeOld drops old entries from s.files, so that the map does not grow without end. An entry is old if its room was
// forgotten more than a minute ago and not stored since then. It skips an entry that another goroutine is using.
func (s *store) removeOld() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for name, w := range s.files {
		if w.mutex.TryLock() {
			old := w.snapshot == nil && !w.forgotten.IsZero() && time.Since(w.forgotten) > time.Minute
			w.mutex.Unlock()
			if old {
				delete(s.files, name)
			}
		}
	}
}

// forget removes the stored state and the sounds of the room called name, which has ended. It also syncs the folder to
// the disk. Snapshots taken before the call can no longer be saved. Missing files are ignored. A nil store has no
// effect.
func (s *store) forget(name string) error {
	if s == nil {
		return nil
	}
	s.removeOld()
	w := s.entry(name)
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.snapshot, w.forgotten = nil, time.Now()
	err := os.Remove(s.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err := cmp.Or(os.RemoveAll(filepath.Join(s.folder, "sounds", name)), err); err != nil {
		return fmt.Errorf("--state: the room %s cannot be removed: %w", name, words.Cause(err))
	}
	return whole.SyncFolder(s.rooms())
}

// writeFile writes text to the file at path, in place of an old file. The change is atomic: the file never has a part
// of text. writeFile syncs the file and its folder to the disk. Only this user may read the file. After an error the
// old file remains. But if only the sync of the folder failed, the file has the new text already.
func writeFile(path string, text []byte) error {
	f, err := whole.Create(path, ".json")
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := f.Chmod(0o600); err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Commit(); err != nil {
		return err
	}
	return whole.SyncFolder(filepath.Dir(path))
}

// hash returns the SHA-256 of text in hexadecimal digits. It ignores white space at both ends of text.
func hash(text []byte) string {
	sum := sha256.Sum256(bytes.TrimSpace(text))
	return hex.EncodeToString(sum[:])
}
