package lineproto

import (
	"fmt"
	"net"
	"path/filepath"
	"sync"
	"time"

	"voicepool/cmd/internal/show/showrun"
	"voicepool/internal/words"
)

// Running is a running show of this user.
type Running struct {
	Path  string // of its socket
	State *showrun.State
}

// String describes the show in one line, for a choice among several: socket, sheet, start time if known, device and the
// cue on standby.
func (r Running) String() string {
	s := r.State
	text := fmt.Sprintf("unix:%s  %s", r.Path, words.OneLine(s.Show))
	if start, err := time.Parse(time.RFC3339, s.Started); err == nil {
		text += "  since " + start.Local().Format("2 Jan 15:04:05")
	}
	standby := "no cue on standby"
	if s.Standby != "" {
		standby = "standby " + words.OneLine(s.Standby)
	}
	return text + "  on " + words.OneLine(r.Device()) + "  " + standby
}

// Device returns the device that the show plays on, followed by a space and the sink if the sink is known. Before the
// playback starts, it returns the value of --device.
func (r Running) Device() string {
	switch s := r.State; {
	case s.Device == "":
		return s.Requested // it has not started to play
	case s.Sink != "":
		return s.Device + " " + s.Sink
	default:
		return s.Device
	}
}

// replyTimeout is the time limit of a show's answer when all shows are listed. maxQueries is the number of
// shows that are queried at once.
const replyTimeout, maxQueries = 2 * time.Second, 16

// All returns the running shows of this user, in the order of their socket paths. Shows that do not answer within 2 s
// are left out. Without shows it returns nil and no error; an error is from Folder.
func All() (all []Running, err error) {
	paths, err := Shows()
	if err != nil {
		return nil, err
	}
	states := make([]*showrun.State, len(paths))
	slots := make(chan struct{}, maxQueries)
	var queries sync.WaitGroup
	for i, path := range paths {
		slots <- struct{}{}
		queries.Go(func() {
			states[i] = stateOf(path)
			<-slots
		})
	}
	queries.Wait()
	for i, s := range states {
		if s != nil {
			all = append(all, Running{paths[i], s})
		}
	}
	return all, nil
}

// stateOf connects to the show with the socket path and returns its state. If the show does not answer within 2 s, or
// with an error, it returns nil.
func stateOf(path string) *showrun.State {
	conn, err := Dial("unix:" + path)
	if err != nil {
		return nil
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(replyTimeout)) // a stopped process never answers
	answer, err := Remote(conn)("state")
	if err != nil {
		return nil
	}
	return answer.State
}

// Find connects to the only running show of this user that plays sheet. It compares sheet with the full path of each
// show's sheet, and only if no path is equal, with the file name. "" matches every show. same has the matching shows
// and all every running show. If same does not have exactly one element, conn is nil and err is nil. The caller closes
// conn.
func Find(sheet string) (conn net.Conn, same, all []Running, err error) {
	if all, err = All(); err != nil {
		return nil, nil, nil, err
	}
	same = all
	if path, err := filepath.Abs(sheet); sheet != "" && err == nil {
		same = pick(all, func(s *showrun.State) bool { return s.File == path })
		if len(same) == 0 {
			same = pick(all, func(s *showrun.State) bool { return s.Show == sheet || filepath.Base(s.Show) == filepath.Base(sheet) })
		}
	}
	if len(same) == 1 {
		conn, err = Dial("unix:" + same[0].Path)
	}
	return conn, same, all, err
}

// pick returns the shows in all whose state satisfies match, in the same order, or nil if no state does.
func pick(all []Running, match func(*showrun.State) bool) (some []Running) {
	for _, r := range all {
		if match(r.State) {
			some = append(some, r)
		}
	}
	return some
}
