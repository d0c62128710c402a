package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// malformed is the number of broken messages per protocol.
const malformed = 10_000

// hostile attacks a server with slow and half-open sockets, floods, and 10,000 broken messages of HTTP,
// WebSocket and OSC, beside a control. A client that plays must get all answers. Memory must stay flat, and no
// goroutine may be left.
func hostile(ctx context.Context, o *options, j *judge) error {
	s, err := beside(ctx, o, 2, 8)
	if err != nil {
		return err
	}
	defer s.kill()
	if err := fill(ctx, s.server); err != nil {
		return err
	}
	address := strings.TrimPrefix(s.url, "http://")
	if err := s.begin(ctx); err != nil {
		return err
	}
	during, cancel := context.WithTimeout(ctx, max(time.Duration(o.seconds)*time.Second, 10*time.Second))
	defer cancel()
	var all, player sync.WaitGroup
	var played, missed atomic.Int64
	player.Go(func() {
		for during.Err() == nil {
			status, _, err := s.call(ctx, http.MethodPost, "/v1/rooms/room1/play", map[string]any{"sound": "bell"})
			if played.Add(1); err != nil || status != http.StatusCreated {
				missed.Add(1)
			}
			pause(during, 20*time.Millisecond)
		}
	})
	dial := func() net.Conn {
		conn, err := net.DialTimeout("tcp", address, 5*time.Second)
		if err != nil {
			return nil
		}
		conn.SetDeadline(time.Now().Add(60 * time.Second))
		return conn
	}
	for range 100 / o.share { // slowloris: a byte now and then
		all.Go(func() {
			conn := dial()
			if conn == nil {
				return
			}
			defer conn.Close()
			for _, b := range []byte("GET /v1/rooms HTTP/1.1\r\nHost: " + address + "\r\nX: " + strings.Repeat("y", 1000)) {
				if _, err := conn.Write([]byte{b}); err != nil || during.Err() != nil {
					return
				}
				pause(during, 200*time.Millisecond)
			}
		})
	}
	for range 100 / o.share { // half-open: no request, half a body, or a response that is not read
		for _, text := range []string{"", "POST /v1/rooms/room0/play HTTP/1.1\r\nHost: " + address + "\r\nContent-Length: 1000\r\n\r\n{", "GET /v1/rooms/room0/audio.wav HTTP/1.1\r\nHost: " + address + "\r\n\r\n",
			"GET /v1/rooms/room0/report HTTP/1.1\r\nHost: " + address + "\r\n\r\n"} {
			all.Go(func() {
				if conn := dial(); conn != nil {
					defer conn.Close()
					_, _ = io.WriteString(conn, text)
					<-during.Done()
				}
			})
		}
	}
	each := malformed / 10
	for i := range 10 {
		all.Go(func() { brokenHTTP(during, address, each, uint64(i)) })
		all.Go(func() { brokenSockets(during, address, each, uint64(i)) })
		all.Go(func() { brokenOSC(during, s.osc, each, uint64(i)) })
	}
	all.Wait()
	player.Wait()
	after, err := s.end(ctx, j)
	if err != nil {
		return err
	}
	j.check(missed.Load() == 0, "%d of %d plays in the midst of it were missed", missed.Load(), played.Load())
	_, skipped := late(s.before, after)
	if err := s.judge(ctx, j, skipped); err != nil {
		return err
	}
	const heap = "go_memstats_heap_inuse_bytes"
	j.check(after[heap] < s.before[heap]+128e6, "the heap was %.0f MB before, %.0f MB after", s.before[heap]/1e6, after[heap]/1e6)
	const lost = `voicepool_osc_messages_total{outcome="dropped"}`
	dropped := after[lost] - s.before[lost]
	j.check(dropped > 0, "%.0f OSC packets were counted as dropped", dropped)
	err = s.stop()
	j.check(err == nil, "it ends: %v", err)
	return nil
}

// fill gives a room a report of many megabytes, which some clients request and do not read.
func fill(ctx context.Context, s *server) error {
	steps := make([]any, 500)
	for i := range steps {
		steps[i] = map[string]any{"do": "play", "with": map[string]any{"sound": "bell"}}
	}
	for range 100 {
		var status int
		var err error
		for range 100 { // each order counts for the rate limit of all clients
			if status, _, err = s.call(ctx, http.MethodPost, "/v1/rooms/room0/batch", map[string]any{"commands": steps}); status != http.StatusTooManyRequests {
				break
			}
			pause(ctx, 50*time.Millisecond)
		}
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("a batch is answered %d, %v", status, err)
		}
	}
	return nil
}

// brokenHTTP sends invalid requests, or bodies that are not JSON.
func brokenHTTP(ctx context.Context, address string, n int, seed uint64) {
	chance := mathrand.New(mathrand.NewPCG(seed, 1))
	for range n {
		if ctx.Err() != nil {
			return
		}
		conn, err := net.DialTimeout("tcp", address, 5*time.Second)
		if err != nil {
			pause(ctx, 10*time.Millisecond)
			continue
		}
		conn.SetDeadline(time.Now().Add(5 * time.Second))
		noise := make([]byte, chance.IntN(300))
		_, _ = rand.Read(noise)
		switch chance.IntN(3) {
		case 0:
			_, _ = conn.Write(noise)
		case 1:
			fmt.Fprintf(conn, "POST /v1/rooms/room0/play HTTP/1.1\r\nHost: %s\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", address, len(noise), noise)
		case 2:
			fmt.Fprintf(conn, "%s /v1/rooms/%x HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", []string{"GET", "PATCH", "DELETE", "BREW"}[chance.IntN(4)], noise[:min(len(noise), 8)], address)
		}
		_ = conn.(*net.TCPConn).CloseWrite()
		_, _ = io.Copy(io.Discard, conn)
		conn.Close()
	}
}

// brokenSockets sends WebSocket frames that break the protocol, or are not orders.
func brokenSockets(ctx context.Context, address string, n int, seed uint64) {
	chance := mathrand.New(mathrand.NewPCG(seed, 2))
	for sent := 0; sent < n && ctx.Err() == nil; {
		conn, err := net.DialTimeout("tcp", address, 5*time.Second)
		if err != nil {
			pause(ctx, 10*time.Millisecond)
			continue
		}
		conn.SetDeadline(time.Now().Add(5 * time.Second))
		fmt.Fprintf(conn, "GET /v1/rooms/room0/ws HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", address)
		if answer, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil && answer.StatusCode == http.StatusSwitchingProtocols {
			for range 20 { // invalid orders leave it open
				noise := make([]byte, chance.IntN(100))
				_, _ = rand.Read(noise)
				frame := []byte{byte(chance.IntN(256)), 0x80 | byte(len(noise)), 0, 0, 0, 0}
				if chance.IntN(2) == 0 {
					text := fmt.Sprintf(`{"ref":%d,"do":"%x","with":%d}`, sent, noise[:min(len(noise), 4)], sent)
					frame, noise = []byte{0x81, 0x80 | byte(len(text)), 0, 0, 0, 0}, []byte(text)
				}
				sent++
				if _, err := conn.Write(append(frame, noise...)); err != nil {
					break
				}
			}
		} else {
			sent++
		}
		conn.Close()
	}
}

// brokenOSC sends invalid OSC packets over UDP, and as SLIP over TCP.
func brokenOSC(ctx context.Context, address string, n int, seed uint64) {
	chance := mathrand.New(mathrand.NewPCG(seed, 3))
	udp, err := net.Dial("udp", address)
	if err != nil {
		return
	}
	defer udp.Close()
	for i := range n {
		if ctx.Err() != nil {
			return
		}
		noise := make([]byte, 1+chance.IntN(200))
		_, _ = rand.Read(noise)
		if chance.IntN(2) == 0 {
			noise = append([]byte("/voicepool/room0/play\x00\x00\x00,s\x00\x00"), noise...)
		}
		if i%10 > 0 {
			_, _ = udp.Write(noise)
			pause(ctx, time.Millisecond)
			continue
		}
		if tcp, err := net.DialTimeout("tcp", address, 5*time.Second); err == nil {
			tcp.SetDeadline(time.Now().Add(5 * time.Second))
			_, _ = tcp.Write(append(append([]byte{0xC0}, noise...), 0xC0))
			tcp.Close()
		}
	}
}
