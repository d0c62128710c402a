package sounds

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pipe is a pipe that can be given up: neither its opening nor a read keeps a
// thread waiting.
type pipe struct {
	file  *os.File
	conn  syscall.RawConn
	ctx   context.Context
	stop  func() bool
	begun bool // something has come
}

func openPipe(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // which does not wait for a writer
	if err != nil {
		return nil, err
	}
	conn, err := f.SyscallConn()
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = f.SetReadDeadline(time.Unix(1, 0)) })
	return &pipe{file: f, conn: conn, ctx: ctx, stop: stop}, nil
}

// Read waits for a writer first: without one a pipe that nobody waits for looks as
// if it had ended.
func (p *pipe) Read(b []byte) (n int, err error) {
	waited := p.conn.Read(func(fd uintptr) bool {
		for {
			n, err = syscall.Read(int(fd), b)
			switch {
			case errors.Is(err, syscall.EINTR):
				continue
			case errors.Is(err, syscall.EAGAIN):
				return false
			case n > 0 || err != nil || p.begun:
				return true
			}
			if ready := readiness(int(fd)); ready&unix.POLLIN == 0 { // else it came just now
				return ready != 0 // a writer came and went
			}
		}
	})
	n = max(n, 0)
	switch {
	case waited != nil && p.ctx.Err() != nil:
		return 0, p.ctx.Err()
	case waited != nil:
		return 0, waited
	case err != nil:
		return n, err
	case n == 0 && len(b) > 0:
		return 0, io.EOF
	}
	p.begun = true
	return n, nil
}

func (p *pipe) Close() error {
	p.stop()
	return p.file.Close()
}

// readiness returns what there is to be said of an open pipe: POLLIN, POLLHUP when
// all writers have left it, 0 as long as none has come.
func readiness(fd int) int16 {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	_, err := unix.Poll(fds, 0)
	for errors.Is(err, unix.EINTR) {
		_, err = unix.Poll(fds, 0)
	}
	if err != nil {
		return unix.POLLERR
	}
	return fds[0].Revents
}
