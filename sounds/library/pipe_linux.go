package library

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pipe reads a named pipe without blocking a thread, so that ctx can cancel both the opening and the reads.
type pipe struct {
	file     *os.File
	conn     syscall.RawConn
	ctx      context.Context
	stop     func() bool
	received bool // data has arrived
}

// openPipe opens the named pipe at path for reading. It returns at once, even if no program has opened the pipe for
// writing; Read waits for one. When ctx ends, a waiting Read and all later ones fail with the error of ctx. The
// caller closes the result once. The error is the system's.
func openPipe(ctx context.Context, path string) (io.ReadCloser, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // O_NONBLOCK does not wait for a writer
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

// Read reads data of the pipe into b and returns the number of bytes. It waits until a program has opened the pipe
// for writing and has written data. It returns io.EOF when all writers have closed the pipe, even if they have
// written no data. When the context of the pipe ends, it returns the error of the context. The first data sets
// p.received. Unlike Read, a plain read would return the end of the file before the first writer.
func (p *pipe) Read(b []byte) (n int, err error) {
	waited := p.conn.Read(func(fd uintptr) bool {
		for {
			n, err = syscall.Read(int(fd), b)
			switch {
			case errors.Is(err, syscall.EINTR):
				continue
			case errors.Is(err, syscall.EAGAIN):
				return false
			case n > 0 || err != nil || p.received:
				return true
			}
			if ready := readiness(int(fd)); ready&unix.POLLIN == 0 { // otherwise data has just arrived
				return ready != 0 // a writer opened the pipe and closed it
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
	p.received = true
	return n, nil
}

// Close closes the reading end of the pipe and stops watching the context. It must be called once. The error is the
// pipe's.
func (p *pipe) Close() error {
	p.stop()
	return p.file.Close()
}

// readiness polls the file descriptor fd of a pipe without waiting, and returns the poll events. POLLIN means that
// data has arrived. POLLHUP means that all writers have closed the pipe. POLLERR means that the pipe or the poll
// itself has failed. The result is 0 before the first writer, and while a writer sends no data.
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
