package lineproto

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"voicepool/cmd/internal/show/showrun"
	"voicepool/internal/words"
)

// maxConns is the maximum number of simultaneous connections.
const maxConns = 64

// Socket is a Unix socket that controls a show.
type Socket struct {
	listener net.Listener
	path     string

	mutex sync.Mutex
	conns map[net.Conn]bool
	ended bool
	all   sync.WaitGroup
}

// Listen makes a Unix socket at path and lets clients control the show s through it, in the background, until Close.
// Only this user can access the socket. An old socket at path is replaced if no process listens on it. If another show
// answers there, or if path is another kind of file, Listen returns an error.
func Listen(path string, s *showrun.Show) (*Socket, error) {
	if err := removeStale(path); err != nil {
		return nil, err
	}
	l, err := listen(path)
	if err != nil {
		return nil, fmt.Errorf("unix:%s: %w", path, words.Cause(err))
	}
	one := &Socket{listener: l, path: path, conns: map[net.Conn]bool{}}
	one.all.Go(func() { one.accept(s) })
	return one, nil
}

// listen makes a Unix socket at path that only this user can connect to, and replaces a socket that exists there. It
// creates the socket in a temporary private folder beside path, sets the mode 0600, and renames the socket to path. So
// other users cannot connect at any time. The caller must remove path at the end, because closing the listener does
// not.
func listen(path string) (*net.UnixListener, error) {
	closed, err := os.MkdirTemp(filepath.Dir(path), ".voicepool-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(closed)
	inside := filepath.Join(closed, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: inside, Net: "unix"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	if err = os.Chmod(inside, 0o600); err == nil {
		err = os.Rename(inside, path)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// removeStale removes an old socket at path, if no process accepts a connection there within 1 s. If a process does, or
// if path is another kind of file, it changes no file and returns an error. If path does not exist or cannot be
// examined, the result is nil.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return nil // net.Listen reports the error
	}
	if info.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("unix:%s: a file is there already; name another, or remove it", path)
	}
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		c.Close()
		return fmt.Errorf("unix:%s: another show answers there; name another socket", path)
	}
	return os.Remove(path)
}

// accept accepts the connections of the socket and lets each client control the show, on a goroutine of its own. The
// parameter to is the show. accept returns when the listener is closed. While 64 connections are open, and after Close
// has begun, it closes a new connection at once. After another error of Accept it waits 50 ms and continues.
func (s *Socket) accept(to *showrun.Show) {
	for {
		c, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(50 * time.Millisecond) // for example, too many open files
			continue
		}
		s.mutex.Lock()
		full := s.ended || len(s.conns) >= maxConns
		if !full {
			s.conns[c] = true
			s.all.Go(func() {
				_ = Serve(c, c, to) // an error means that the client has gone
				s.mutex.Lock()
				delete(s.conns, c)
				s.mutex.Unlock()
				c.Close()
			})
		}
		s.mutex.Unlock()
		if full {
			c.Close()
		}
	}
}

// closeTimeout is the time limit for a client to read an answer when the socket is closed.
const closeTimeout = 200 * time.Millisecond

// Close closes the socket and its connections, waits for their goroutines, and removes the file of the socket. Commands
// that were read from a client before are still carried out and answered. The client has 200 ms to read the answers.
// Commands that were not yet read are dropped. Call Close once. It returns the errors of closing the listener and of
// removing the file.
func (s *Socket) Close() error {
	s.mutex.Lock()
	s.ended = true
	for c := range s.conns {
		c.SetReadDeadline(time.Unix(1, 0))
		c.SetWriteDeadline(time.Now().Add(closeTimeout))
	}
	s.mutex.Unlock()
	err := s.listener.Close()
	s.all.Wait()
	return errors.Join(err, os.Remove(s.path))
}

// Path returns the path of the socket.
func (s *Socket) Path() string { return s.path }

// Folder returns the folder for the sockets of this user's shows. That is XDG_RUNTIME_DIR/voicepool, or without that
// variable voicepool-UID in the folder for temporary files. Folder creates it if it is missing, and sets its mode to
// 0700. If another user owns it, or if it is not a folder, the result is an error.
func Folder() (string, error) {
	folder := filepath.Join(os.TempDir(), fmt.Sprintf("voicepool-%d", os.Getuid()))
	if run := os.Getenv("XDG_RUNTIME_DIR"); run != "" {
		folder = filepath.Join(run, "voicepool")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", words.Cause(err)
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return "", words.Cause(err)
	}
	if !info.IsDir() || os.Chmod(folder, 0o700) != nil { // only the owner may change the mode
		return "", fmt.Errorf("%s is not a private folder of this user", folder)
	}
	return folder, nil
}

// Shows returns the paths of the sockets of running shows: the files *.sock in Folder that accept a connection within
// 1 s. They are in the order of the paths. Without such sockets the result is nil without an error. An error is from
// Folder.
func Shows() ([]string, error) {
	folder, err := Folder()
	if err != nil {
		return nil, err
	}
	all, err := filepath.Glob(filepath.Join(folder, "*.sock"))
	var alive []string
	for _, path := range all {
		if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
			c.Close()
			alive = append(alive, path)
		}
	}
	return alive, err
}

// Dial connects to the running show at address, which has the form unix:PATH, within 2 s. Another form of address is an
// error. If the connection fails, the error wraps the syscall.Errno of the system if there is one. The caller closes
// the connection.
func Dial(address string) (net.Conn, error) {
	path, found := strings.CutPrefix(address, "unix:")
	if !found || path == "" {
		return nil, fmt.Errorf("invalid show address %s (want unix:PATH)", words.OneLine(address))
	}
	c, err := net.DialTimeout("unix", path, 2*time.Second)
	if err != nil {
		if number, ok := errors.AsType[syscall.Errno](err); ok {
			err = number
		}
		return nil, fmt.Errorf("unix:%s: no show answers there (%w)", words.OneLine(path), err)
	}
	return c, nil
}
