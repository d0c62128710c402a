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

// String describes the running show in one line, so that a user can choose among several shows. The line has the
// socket, the sheet, the start time if it is known, the device and the cue on standby.
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

// Device returns the name of the device that the show plays on. If the sink is known, it follows after a space. Before
// the playback starts, Device returns the value of --device instead.
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

// All finds the running shows of this user and requests the state of each, up to 16 at once. The result is in the order
// of the socket paths. A show that does not answer within 2 s is left out. Without shows the result is nil without an
// error. An error is from Folder, the folder of the sockets.
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

// stateOf connects to the show whose socket has the given path, and returns the state of the show. If the show cannot
// be reached, answers with an error, or does not answer within 2 s, the result is nil.
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

// Find looks for the running show of this user that plays sheet, and connects to it if exactly one does. It compares
// the full path of sheet with the sheets of the shows. Only if no path is equal, it compares the file names. An empty
// sheet matches every show.
//
// all has every running show, and same has the matching ones. If no show or several shows match, conn is nil, and that
// is not an error. Otherwise the caller closes conn. An error is from All or Dial.
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

// pick returns the shows in all whose state satisfies the function match, in the same order. If no state does, the
// result is nil.
func pick(all []Running, match func(*showrun.State) bool) (some []Running) {
	for _, r := range all {
		if match(r.State) {
			some = append(some, r)
		}
	}
	return some
}
