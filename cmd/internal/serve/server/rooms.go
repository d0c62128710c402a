package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"voicepool/cmd/internal/cli/tmpdir"
	"voicepool/cmd/internal/serve/room"
	"voicepool/internal/words"
)

// mainRoom is the name of the room with the sheet of the command line.
const mainRoom = "main"

// prepare makes the parts of s that rooms need: the store, if a state folder is set, the temporary folder, the workers
// and the service. It opens no room. After an error the caller must call end.
func (s *server) prepare() (err error) {
	if s.config.State != "" {
		folder, err := filepath.Abs(s.config.State)
		if err != nil {
			return fmt.Errorf("--state %s: %w", words.OneLine(s.config.State), err)
		}
		if s.store, err = openStore(folder, s.Log); err != nil {
			return err
		}
	}
	if s.scratch, s.freeScratch, err = tmpdir.New(os.TempDir(), "voicepool-rooms-"); err != nil {
		return err
	}
	s.workers = room.NewWorkers(0)
	s.service = s.newService()
	return nil
}

// open opens the rooms of the configuration, and then the other stored rooms. After that it starts to listen for OSC
// and lets the service answer calls. With a NATS URL, it first joins the cluster, and places the rooms of the
// configuration there instead. It stops at the first error; some rooms may then be open.
func (s *server) open(ctx context.Context) error {
	how := s.openRoom
	if s.Cluster.NATS != "" {
		if err := s.join(ctx); err != nil {
			return err
		}
		how = s.placeRoom
	}
	err := forEach(ctx, runtime.GOMAXPROCS(0), s.config.Rooms, how)
	if err == nil {
		err = forEach(ctx, runtime.GOMAXPROCS(0), s.store.names(), s.restore)
	}
	if err == nil {
		err = s.remotes.open(s)
	}
	if err == nil {
		s.service.FinishOpening()
	}
	return err
}

// sheetText returns the content of the sheet file of the room c. If c has no file, it returns nil, which means the
// embedded sounds. But the room main without a file gets Options.Bank if the server has no configuration file. An error
// names the room and the file.
func (s *server) sheetText(c *RoomConfig) ([]byte, error) {
	switch {
	case c.Sheet == "" && c.Name == mainRoom && s.Options.Config == "":
		return s.Bank, nil
	case c.Sheet == "":
		return nil, nil
	}
	text, err := os.ReadFile(c.Sheet)
	if err != nil {
		return nil, fmt.Errorf("room %s: %s: %w", c.Name, words.OneLine(c.Sheet), words.Cause(err))
	}
	return text, nil
}

// openRoom opens the room c of the configuration and adds it to the service and to s.configRooms. If the room has a
// stored state, it resumes there. If the sheet's file is unchanged, it also gets the stored text, which may have been
// changed over the network. If the room cannot resume, openRoom logs the reason and starts it from the beginning. A
// faulty sheet, or a sheet that cannot be read, is an InputError.
func (s *server) openRoom(ctx context.Context, c RoomConfig) error {
	text, err := s.sheetText(&c)
	if err != nil {
		return InputError{err}
	}
	sum := hash(text)
	stored, err := s.store.load(c.Name)
	if err != nil {
		return err
	}
	o := room.Options{
		Name: c.Name, Title: filepath.Base(c.Sheet), Text: text, Folder: c.Folder, AnyFile: true,
		Device: c.Device, Voices: c.Voices, Limits: s.Limits, Workers: s.workers, Log: s.roomLog(c.Name),
	}
	if s.store != nil {
		o.Save = s.saveNow
	}
	o.Uploads = filepath.Join(s.uploads(), c.Name)
	switch {
	case c.Sheet == "":
		o.Title, o.AnyFile = c.Name, false
		if o.Folder == "" {
			o.Folder = o.Uploads
			if err := os.MkdirAll(o.Folder, 0o700); err != nil {
				return fmt.Errorf("the folder of the room %s: %w", c.Name, words.Cause(err))
			}
		}
	case o.Folder == "":
		o.Folder = filepath.Dir(c.Sheet)
	}
	if stored != nil {
		o.Resume = stored.Snapshot
		if stored.Sheet == sum && stored.Snapshot.Text != "" {
			o.Text = []byte(stored.Snapshot.Text) // the file is unchanged, and the room was changed over the network
		}
	}
	r, err := room.Open(ctx, o)
	if err != nil && stored != nil && ctx.Err() == nil { // a bad snapshot must not keep the server from starting
		s.Log(fmt.Sprintf("the room %s restarts without its saved state: %s", c.Name, plain(err)))
		o.Resume, o.Text = nil, text
		r, err = room.Open(ctx, o)
	}
	if e, ok := errors.AsType[*room.Error](err); ok && e.Kind == room.Range {
		return InputError{fmt.Errorf("room %s: %s", c.Name, plain(err))}
	} else if err != nil {
		return fmt.Errorf("room %s: %w", c.Name, err)
	}
	if err := s.service.Add(r); err != nil {
		r.Close(0)
		return err
	}
	s.configRooms.set(c.Name, configRoom{config: c, sheet: sum, room: r})
	return nil
}

// restore opens the stored room called name, if it was made over the network, and adds it to the service. If the room
// cannot be opened, restore logs that and returns nil. It skips rooms that are or were in the configuration, and rooms
// whose stored state is damaged. A state of a newer program, a missing folder, the end of ctx and a failed addition are
// errors.
func (s *server) restore(ctx context.Context, name string) error {
	if _, there := s.configRooms.get(name); there {
		return nil
	}
	stored, err := s.store.load(name)
	if err != nil || stored == nil || stored.Sheet != "" {
		return err
	}
	folder, err := s.store.sounds(name)
	if err != nil {
		return err
	}
	r, err := room.Open(ctx, room.Options{
		Name: name, Text: []byte(stored.Snapshot.Text), Folder: folder, Limits: s.Limits, Workers: s.workers, Resume: stored.Snapshot, Log: s.roomLog(name),
		Save: s.saveNow, // there is a store, because the room comes from it
	})
	if err != nil {
		if ctx.Err() == nil {
			s.Log(fmt.Sprintf("the saved room %s cannot be opened: %s", name, plain(err)))
			err = nil
		}
		return err
	}
	return s.service.Add(r)
}

// roomLog returns a function that logs a line about a room. The function passes the line to s.Log, with the name of the
// room in front.
func (s *server) roomLog(name string) func(string) {
	return func(line string) { s.Log(name + ": " + line) }
}

// plain returns the message of err as one line, without the name of a package in front. err must not be nil.
func plain(err error) string { return words.Plain(err) }

// removeFiles removes the uploaded sounds and the stored state of the room r, which a call has ended. For a room of the
// configuration, and for all rooms in a cluster, it removes only sounds in the temporary folder. Errors are logged.
func (s *server) removeFiles(r *room.Room) {
	name := r.Name()
	if err := os.RemoveAll(filepath.Join(s.scratch, name)); err != nil {
		s.Log(fmt.Sprintf("the sounds of the room %s cannot be removed: %s", name, plain(words.Cause(err))))
	}
	if m, there := s.configRooms.get(name); there && m.room == r || s.clusterNode.Load() != nil { // on a cluster, NATS holds the state of the room
		return
	}
	if err := s.store.forget(name); err != nil {
		s.Log(err.Error())
	}
}

// cleanUp closes the store and removes the temporary folder. It may be called if either was never made.
func (s *server) cleanUp() {
	s.store.close()
	if s.freeScratch != nil {
		s.freeScratch()
	}
}

// reload reads the configuration, the tokens, the certificate and the sheets again and applies them. If a file cannot
// be read, or the configuration, the tokens or the certificate are faulty, reload logs the error, and the old
// configuration stays. A new certificate that was read before the error stays in use, though. A sheet that is faulty
// stops only its own room from changing; this is logged, too.
//
// Settings that need a restart stay unchanged, and reload logs their names. It also logs success. On a cluster, a room
// that was removed from the configuration stays placed, which is logged.
func (s *server) reload(ctx context.Context) {
	c, err := s.read()
	if err != nil {
		s.Log("not reloaded, the old configuration stays in use: " + plain(err))
		return
	}
	tokens, err := s.tokens(c)
	if err == nil && s.cert != nil {
		err = s.cert.load()
	}
	texts := map[string][]byte{}
	for i := range c.Rooms {
		if err == nil {
			texts[c.Rooms[i].Name], err = s.sheetText(&c.Rooms[i])
		}
	}
	if err != nil {
		s.Log("not reloaded, the old configuration stays in use: " + plain(err))
		return
	}
	var fixed []string
	for _, f := range []struct {
		name string
		same bool
	}{
		{"listen", c.Listen == s.config.Listen}, {"osc", c.OSC == s.config.OSC}, {"state", c.State == s.config.State},
		{"cert and key", c.Cert == s.config.Cert && c.Key == s.config.Key}, {"limits", c.Limits == s.config.Limits && c.MaxRooms == s.config.MaxRooms},
	} {
		if !f.same {
			fixed = append(fixed, f.name)
		}
	}
	if len(fixed) > 0 {
		s.Log("unchanged until a restart: " + strings.Join(fixed, ", "))
		c.Listen, c.OSC, c.State, c.Cert, c.Key = s.config.Listen, s.config.OSC, s.config.State, s.config.Cert, s.config.Key
		c.Limits, c.MaxRooms = s.config.Limits, s.config.MaxRooms
	}
	s.guard.Change(s.guardOptions(c, tokens))
	if tokens == nil {
		s.warnNoTokens()
	}
	if s.clusterNode.Load() != nil {
		if err := forEach(ctx, 1, c.Rooms, s.placeRoom); err != nil {
			s.Log(plain(err))
		}
		for _, r := range s.config.Rooms {
			if !slices.ContainsFunc(c.Rooms, func(now RoomConfig) bool { return now.Name == r.Name }) {
				s.Log(fmt.Sprintf("the room %s is no longer in the configuration; it stays placed on NATS until a call ends it (DELETE)", r.Name))
			}
		}
	} else {
		s.applyRooms(ctx, c, texts)
	}
	s.config = c
	s.Log("the configuration is reloaded")
}

// applyRooms applies the rooms of c, the new configuration: it makes new rooms and ends removed rooms. A room with only
// an edited sheet changes while it plays. A room with other changed settings is ended and made again, except for
// Public, which only the guard uses. texts maps the name of each room to the text of its sheet. If the new room cannot
// be opened then, the old room is gone. A room that a call has ended is made again. Errors are logged. It is for
// servers without a cluster.
func (s *server) applyRooms(ctx context.Context, c *Config, texts map[string][]byte) {
	for _, name := range s.configRooms.names() {
		if !slices.ContainsFunc(c.Rooms, func(r RoomConfig) bool { return r.Name == name }) {
			s.removeRoom(name)
		}
	}
	for _, r := range c.Rooms {
		old, there := s.configRooms.get(r.Name)
		if there && s.service.Room(r.Name) != old.room { // a call has ended it
			s.configRooms.remove(r.Name)
			there = false
		}
		same := old.config
		same.Public = r.Public // only the guard uses it
		switch sum := hash(texts[r.Name]); {
		case there && same == r && old.sheet == sum:
		case there && same == r:
			if err := old.room.Change(ctx, texts[r.Name]); err != nil {
				s.Log(fmt.Sprintf("the room %s stays as it is: %s", r.Name, plain(err)))
				continue
			}
			s.configRooms.set(r.Name, configRoom{config: r, sheet: sum, room: old.room})
		default:
			if there {
				s.removeRoom(r.Name)
			}
			if err := s.openRoom(ctx, r); err != nil {
				s.Log(plain(err))
			}
		}
	}
}

// removeRoom ends a room that is no longer in the configuration or must be made again. The room called name must be in
// s.configRooms. removeRoom stores its state, fades it out, waits for the service with waitRemoved, and removes it from
// s.configRooms. The stored state is kept.
func (s *server) removeRoom(name string) {
	m, _ := s.configRooms.get(name)
	s.save(context.Background(), m.room)
	m.dropped = true
	s.configRooms.set(name, m) // its state is not stored after this
	if err := m.room.Close(fade); err != nil {
		s.Log(plain(err))
	}
	waitRemoved(s.service, m.room)
	s.configRooms.remove(name)
}
