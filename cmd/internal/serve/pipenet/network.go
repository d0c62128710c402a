// Package pipenet is a network in memory for tests. It uses no sockets, so a server and its clients can run in a
// bubble of testing/synctest, on a clock that jumps over all waits.
package pipenet

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Network is a net.Listener whose connections are net.Pipes: a write blocks until it is read. All methods are safe
// for concurrent use.
type Network struct {
	conns chan net.Conn
	ended chan struct{}
	end   sync.Once
}

// New returns a network with the address 127.0.0.1:7700.
func New() *Network { return &Network{conns: make(chan net.Conn), ended: make(chan struct{})} }

// Accept waits for the next Dial and returns the server's end of that connection. The remote address of the connection
// is on loopback. After Close, Accept returns net.ErrClosed.
func (n *Network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.ended:
		return nil, net.ErrClosed
	}
}

// Close makes Accept and Dial return net.ErrClosed, also calls that are waiting. Open connections stay open. It always
// returns nil.
func (n *Network) Close() error {
	n.end.Do(func() { close(n.ended) })
	return nil
}

// Addr returns the address of the server.
func (n *Network) Addr() net.Addr { return address }

var address = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7700}

// Dial waits until the server calls Accept, and returns the client's end of the new connection. Its last two
// parameters, network and address, are ignored. If ctx ends first, Dial returns the error of ctx. After Close it
// returns net.ErrClosed.
func (n *Network) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case n.conns <- serverEnd{server}:
		return client, nil
	case <-n.ended:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Client returns a new HTTP client whose connections all use n, for any host in a URL.
func (n *Network) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: n.Dial}}
}

// serverEnd is the server's end of a connection. A pipe itself has no IP address.
type serverEnd struct{ net.Conn }

// RemoteAddr returns the address of Addr, which is on loopback. A pipe itself has no IP address.
func (serverEnd) RemoteAddr() net.Addr { return address }
