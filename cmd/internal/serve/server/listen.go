package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"sync/atomic"

	"voicepool/cmd/internal/serve/systemd"
	"voicepool/internal/words"
)

// checkAddress returns an error if address is not HOST:PORT with a port number from 0 to 65535. The host may be empty
// and is not looked up.
func checkAddress(address string) error {
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		n, e := strconv.Atoi(port)
		if e == nil && n >= 0 && n <= 65535 {
			return nil
		}
		return fmt.Errorf("%s has no port, want 0..65535 after the last colon", words.OneLine(address))
	}
	return fmt.Errorf("invalid address %q (want HOST:PORT such as 127.0.0.1:7700, or :7700 for all interfaces)", words.OneLine(address))
}

// listen returns the listening socket of the server. It is the first socket that the service manager has passed; other
// passed sockets are closed. Without such a socket, listen opens a TCP socket at address, HOST:PORT. The error of
// opening names the flag --listen.
func listen(ctx context.Context, address string) (net.Listener, error) {
	if l, err := systemd.Listener(); l != nil || err != nil {
		return l, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	return l, listenError("listen", address, err)
}

// listenError converts err, an error of listening at address, to an error for the user. flag is the flag that the
// message names, such as "listen". If the address is in use or not permitted, the message explains the remedy.
// Otherwise the result wraps the cause, as plainNet returns it. If err is nil, the result is nil.
func listenError(flag, address string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errAddressInUse):
		return fmt.Errorf("--%s: %s is in use by another voicepool serve or another program; choose another port", flag, address)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("--%s: this user may not listen at %s; choose a port from 1024 on", flag, address)
	}
	return fmt.Errorf("--%s: %s: %w", flag, address, plainNet(err))
}

// plainNet returns the cause inside err, a network error, so that the message has no addresses. If err wraps an
// *os.SyscallError, the result is the system error inside. Otherwise, if err wraps a *net.OpError, it is the error
// inside that. Any other error, also nil, is returned unchanged.
func plainNet(err error) error {
	var at *os.SyscallError
	if errors.As(err, &at) {
		return at.Err
	}
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
}

// loopback reports whether only this machine can reach the address a. That is so for a TCP address on loopback and for
// a Unix socket. For any other kind of address, also UDP, the result is false.
func loopback(a net.Addr) bool {
	switch a := a.(type) {
	case *net.TCPAddr:
		return a.IP.IsLoopback()
	case *net.UnixAddr:
		return true
	}
	return false
}

// boardAddress returns the URL of the board, the web page of the server, with a slash at the end. The server listens at
// a. If a means all interfaces, the URL has the name of this host, or localhost if the host has no name. If secure is
// true, the scheme is https.
func boardAddress(a net.Addr, secure bool) string {
	scheme := "http"
	if secure {
		scheme = "https"
	}
	host := a.String()
	if t, ok := a.(*net.TCPAddr); ok && t.IP.IsUnspecified() {
		name, err := os.Hostname()
		if err != nil || name == "" {
			name = "localhost"
		}
		host = net.JoinHostPort(name, strconv.Itoa(t.Port))
	}
	return scheme + "://" + host + "/"
}

// ownNames returns two names of this machine: its host name, and the host name with ".local" appended. If the machine
// has no name, it returns nil.
func ownNames() []string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return nil
	}
	return []string{name, name + ".local"}
}

// certificate is a TLS certificate that can be reloaded.
type certificate struct {
	cert, key string
	now       atomic.Pointer[tls.Certificate]
}

// load reads the certificate and its key from the files c.cert and c.key. New connections use them from now on. After
// an error the previous certificate stays in use.
func (c *certificate) load() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("--cert %s, --key %s: %w", words.OneLine(c.cert), words.OneLine(c.key), words.Cause(err))
	}
	c.now.Store(&pair)
	return nil
}

// config returns a TLS configuration for TLS 1.2 and later. Each new connection gets the certificate that load has read
// last, also if load is called after config. load must succeed before the first connection.
func (c *certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.now.Load(), nil },
	}
}
