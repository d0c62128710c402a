package cluster

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// round is the length of the sheet's loop, longer than anything a test waits for.
const round = 60 * time.Second

// site is a set of nodes on NATS. The first node brings the sheet of the room main.
type site struct {
	t     *testing.T
	nats  *NATS
	nodes []*node
}

// node is a `voicepool serve` process with a listener to its room main.
type node struct {
	name, url string
	space     *Space
	process   *Process
	heard     *Listener
}

// newSite starts two nodes on the servers. The i-th node runs in spaces[i], or on the machine itself.
func newSite(t *testing.T, n *NATS, spaces ...*Space) *site {
	t.Helper()
	s := &site{t: t, nats: n}
	for i, name := range []string{"a", "b"} {
		one := &node{name: name}
		address := fmt.Sprintf("127.0.0.1:%d", Port(t))
		if len(spaces) > 0 {
			one.space, address = spaces[i], spaces[i].Address+":7700"
		}
		one.url = "http://" + address
		args := []string{"serve", "--nats", n.URL(), "--node", name, "--listen", address, "--device", "none"}
		if i == 0 {
			args = append(args, sheet(t))
		}
		one.process = RunIn(t, one.space, args...)
		one.heard = ListenIn(t, one.space, one.url, "main")
		s.nodes = append(s.nodes, one)
		Await(t, hangs, "the node "+name+" is ready", func() bool {
			if one.process.Ended() && early.MatchString(one.process.Stderr.Tail(1)) {
				one.process = RunIn(t, one.space, args...) // the servers have just started
			}
			status, _ := Call(t, one.space, "GET", one.url+"/readyz", "")
			return status == 200
		})
	}
	Await(t, hangs, "the room is played", func() bool { return s.owner() != nil })
	return s
}

// sheet writes a sheet with a loop of one round and a shot of five seconds.
func sheet(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	tone(t, filepath.Join(folder, "hum.wav"), 220, round)
	tone(t, filepath.Join(folder, "shot.wav"), 880, 5*time.Second)
	path := filepath.Join(folder, "main.yaml")
	if err := os.WriteFile(path, []byte("sounds:\n  hum: {file: hum.wav, loop: true}\n  shot: {file: shot.wav}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// tone writes a WAV file of a sine.
func tone(t *testing.T, path string, hertz float64, long time.Duration) {
	t.Helper()
	const rate = 12000
	data := make([]byte, 0, 2*int(long.Seconds()*rate))
	for i := range int(long.Seconds() * rate) {
		data = binary.LittleEndian.AppendUint16(data, uint16(int16(8000*math.Sin(2*math.Pi*hertz*float64(i)/rate))))
	}
	file := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(36+len(data)))
	file = binary.LittleEndian.AppendUint32(append(file, "WAVEfmt "...), 16)
	for _, x := range []uint16{1, 1} { // PCM, mono
		file = binary.LittleEndian.AppendUint16(file, x)
	}
	for _, x := range []uint32{rate, 2 * rate} {
		file = binary.LittleEndian.AppendUint32(file, x)
	}
	for _, x := range []uint16{2, 16} {
		file = binary.LittleEndian.AppendUint16(file, x)
	}
	file = binary.LittleEndian.AppendUint32(append(file, "data"...), uint32(len(data)))
	if err := os.WriteFile(path, append(file, data...), 0o600); err != nil {
		t.Fatal(err)
	}
}

// placed is a room in the output of `voicepool rooms --json`.
type placed struct {
	Room, Node, Address, State string
	Epoch, Revision            int64
	Since                      string
}

// rooms returns the rooms and their nodes.
func (s *site) rooms() ([]placed, error) {
	s.t.Helper()
	p := RunIn(s.t, s.nats.Hub(), "rooms", "--nats", s.nats.URL(), "--json")
	if code := p.Wait(hangs); code != 0 {
		return nil, fmt.Errorf("rooms ends with %d: %s", code, p.Stderr)
	}
	var all struct{ Rooms []placed }
	err := json.Unmarshal([]byte(p.Stdout.String()), &all)
	return all.Rooms, err
}

// main returns the node of the room main.
func (s *site) main() (placed, bool) {
	s.t.Helper()
	all, err := s.rooms()
	if err != nil {
		return placed{}, false
	}
	for _, one := range all {
		if one.Room == "main" {
			return one, true
		}
	}
	return placed{}, false
}

// owner returns the node that plays the room main, or nil.
func (s *site) owner() *node {
	s.t.Helper()
	one, found := s.main()
	for _, n := range s.nodes {
		if found && one.State == "playing" && n.name == one.Node {
			return n
		}
	}
	return nil
}

// pair returns the node that plays the room, and the other node.
func (s *site) pair() (owner, other *node) {
	s.t.Helper()
	Await(s.t, 30*time.Second, "the room is played", func() bool { owner = s.owner(); return owner != nil })
	for _, n := range s.nodes {
		if n != owner {
			other = n
		}
	}
	return owner, other
}

// play starts a sound on a node and waits until it is audible.
func (s *site) play(n *node, sound string) {
	s.t.Helper()
	began := time.Now()
	if status, text := Call(s.t, n.space, "POST", n.url+"/v1/rooms/main/play", fmt.Sprintf(`{"sound":%q,"id":%q}`, sound, sound)); status != 201 {
		s.t.Fatalf("%s plays not: %d: %s", n.name, status, text)
	}
	Await(s.t, 5*time.Second, n.name+" is heard", func() bool { return !n.heard.FirstSoundAfter(began).IsZero() })
}

// state has the fields of a room's state that the tests read.
type state struct {
	Lost   string
	Totals struct{ Started int64 }
	Voices []struct {
		Sound, State string
		Position     float64
	}
}

// state requests the state of the room from a node.
func (s *site) state(n *node) (st state, status int) {
	s.t.Helper()
	status, text := Call(s.t, n.space, "GET", n.url+"/v1/rooms/main/state", "")
	if status == 200 {
		if err := json.Unmarshal([]byte(text), &st); err != nil {
			s.t.Fatalf("%v: %s", err, text)
		}
	}
	return st, status
}

// phase returns when the loop of a node began by the test's clock, modulo a round. It is constant while the
// show follows the clock. phase takes the quickest of several requests; on a busy machine it repeats until one
// takes less than 10 ms, at most 500 times.
func (s *site) phase(n *node) time.Duration {
	s.t.Helper()
	quickest, phase := time.Hour, time.Duration(-1)
	for look := 0; look < 10 || quickest > 10*time.Millisecond && look < 500; look++ {
		asked := time.Now()
		st, _ := s.state(n)
		took := time.Since(asked)
		for _, v := range st.Voices {
			if v.Sound == "hum" && took < quickest {
				at := asked.Add(took/2).Sub(born) - time.Duration(v.Position*float64(time.Second))
				quickest, phase = took, (at%round+round)%round
			}
		}
		time.Sleep(7 * time.Millisecond) // not in step with the blocks
	}
	if phase < 0 {
		s.t.Fatalf("%s plays no loop", n.name)
	}
	return phase
}

// born is the start time of the test.
var born = time.Now()

// apart returns the distance of two phases.
func apart(a, b time.Duration) time.Duration {
	d := ((a-b)%round + round) % round
	return min(d, round-d)
}
