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

// Listen makes a Unix socket at path that only this user can access, and serves clients of the show s in the background
// until Close. It replaces an old socket at path if no process listens there. If another show answers there, or path is
// another kind of file, it returns an error.
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

// listen makes a Unix socket at path that only this user can connect to, and replaces a socket there. It creates the
// socket in a temporary private folder beside path, sets its mode to 0600, and then renames it to path. Closing the
// listener does not remove path; the caller must.
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

// removeStale removes the socket file path if no process accepts a connection there within 1 s. If a show answers
// there, or path is another kind of file, it changes no file and returns an error. If path does not exist or cannot
// be examined, it returns nil.
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

// accept serves each new connection as a client of the show to, on its own goroutine, until the listener is closed. It
// closes a connection at once if 64 are open or Close has begun. After another error of Accept it tries again 50 ms
// later.
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

// Close closes the socket and all connections, waits for their goroutines, and removes the socket's file. Running
// commands are still carried out, and a client has 200 ms to read the answer. Call it once; an error is from the
// listener or the removal.
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

// Folder returns the folder for the sockets of this user's shows: XDG_RUNTIME_DIR/voicepool, or else voicepool-UID in
// the folder for temporary files. It creates the folder if it is missing, and sets its mode to 0700. If the folder is
// not a folder of this user, it returns an error.
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

// Shows returns the paths of the sockets in Folder (*.sock) that accept a connection within 1 s, in order of path.
// Without shows it returns nil and no error; an error is from Folder.
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

// Dial connects to the show at address, unix:PATH, within 2 s. Another form of address is an error. If the connection
// fails, the error wraps the system's error number.
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
