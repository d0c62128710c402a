package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/internal/lateness"
)

// rate requests 10,000 starts a second from one room over 32 connections at an even pace, first over HTTP, then
// over WebSockets. The latency of a start includes its wait for earlier starts on the same connection.
func rate(ctx context.Context, o *options, j *judge) error {
	if err := paced(ctx, o, j, "HTTP", callHTTP); err != nil {
		return err
	}
	return paced(ctx, o, j, "WebSockets", orderWS)
}

// asking requests a start on a connection and returns the status of the response.
type asking func(conn net.Conn, answers *bufio.Reader) (status int, err error)

// connecting prepares a connection and returns a function that requests a start.
type connecting func(conn net.Conn, answers *bufio.Reader, host string) (asking, error)

// paced requests starts over connections of one kind.
func paced(ctx context.Context, o *options, j *judge, name string, connect connecting) error {
	s, err := serve(ctx, o, 1, 32)
	if err != nil {
		return err
	}
	defer s.kill()
	before, err := s.metrics(ctx)
	if err != nil {
		return err
	}
	const connections = 32
	wanted := 10_000 / o.share
	each := time.Duration(connections) * time.Second / time.Duration(wanted)
	host := strings.TrimPrefix(s.url, "http://")
	var all sync.WaitGroup
	var wrong atomic.Int64
	took := make([][]time.Duration, connections)
	control := lateness.Start()
	defer control.Stop()
	begin := time.Now().Add(100 * time.Millisecond)
	end := begin.Add(time.Duration(o.seconds) * time.Second)
	for c := range connections {
		all.Go(func() {
			conn, err := net.Dial("tcp", host)
			if err != nil {
				wrong.Add(1)
				return
			}
			defer conn.Close()
			conn.SetDeadline(end.Add(2 * time.Minute))
			answers := bufio.NewReader(conn)
			ask, err := connect(conn, answers, host)
			if err != nil {
				wrong.Add(1)
				return
			}
			for due := begin.Add(each * time.Duration(c) / connections); due.Before(end) && ctx.Err() == nil; due = due.Add(each) {
				time.Sleep(time.Until(due))
				status, err := ask(conn, answers)
				if err != nil {
					wrong.Add(1)
					return
				}
				took[c] = append(took[c], time.Since(due))
				if status != http.StatusCreated && status != http.StatusConflict {
					wrong.Add(1)
				}
			}
		})
	}
	all.Wait()
	over := time.Since(begin)
	after, err := s.metrics(ctx)
	if err != nil {
		return err
	}
	times := slices.Concat(took...)
	slices.Sort(times)
	if len(times) == 0 {
		return fmt.Errorf("no play over %s was answered", name)
	}
	at := func(share float64) time.Duration { return times[int(share*float64(len(times)-1))] }
	t, err := s.totals(ctx, "room0")
	if err != nil {
		return err
	}
	j.check(wrong.Load() == 0, "%d of %d answers over %s were wrong", wrong.Load(), len(times), name)
	j.check(t.Asked == int64(len(times)), "the room was asked for %d starts, and answered %d", t.Asked, len(times))
	share, skipped := late(before, after)
	j.note("%s: %.0f starts a second: median %v, 99th percentile %v (5 ms wanted), longest %v; %.1f us of processor time each",
		name, float64(len(times))/over.Seconds(), at(0.5), at(0.99), at(1), 1e6*s.processor()/float64(len(times)))
	j.note("%.2f %% of the blocks were late, %.0f frames skipped", 100*share, skipped)
	// Speed is reported, not checked. But a stalled server fails, unless the machine stalls.
	lost := control.Lost(begin, begin.Add(over))
	j.check(at(0.99) < 2*time.Second+2*lost, "the 99th percentile is below 2 s; the control lost %v of %v, and so did clients and server", lost, over)
	err = s.stop()
	j.check(err == nil, "it ends: %v", err)
	return nil
}

// callHTTP requests starts by POST.
func callHTTP(_ net.Conn, _ *bufio.Reader, host string) (asking, error) {
	body := `{"sound":"bell"}`
	text := []byte(fmt.Sprintf("POST /v1/rooms/room0/play HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		host, len(body), body))
	return func(conn net.Conn, answers *bufio.Reader) (int, error) {
		if _, err := conn.Write(text); err != nil {
			return 0, err
		}
		return readAnswer(answers)
	}, nil
}

// orderWS requests starts by orders on a WebSocket that receives only replies. It writes and reads frames by
// hand (RFC 6455, 5.2) for the same reason as readAnswer.
func orderWS(conn net.Conn, answers *bufio.Reader, host string) (asking, error) {
	_, err := fmt.Fprintf(conn, "GET /v1/rooms/room0/ws?tell=replies HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", host)
	if err != nil {
		return nil, err
	}
	answer, err := http.ReadResponse(answers, nil)
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		return nil, fmt.Errorf("no WebSocket: %v", err)
	}
	text := `{"ref":1,"do":"play","with":{"sound":"bell"}}`
	frame := append([]byte{0x81, 0x80 | byte(len(text)), 0, 0, 0, 0}, text...) // masked with zeros
	return func(conn net.Conn, answers *bufio.Reader) (int, error) {
		if _, err := conn.Write(frame); err != nil {
			return 0, err
		}
		return readReply(answers)
	}, nil
}

// readReply reads a reply from a WebSocket and returns its status. It does not answer pings; the load ends
// before the server times out.
func readReply(r *bufio.Reader) (status int, err error) {
	for {
		head, err := r.Peek(4)
		if err != nil {
			return 0, err
		}
		kind, skip, length := head[0]&0xf, 2, int(head[1])
		if length == 126 {
			skip, length = 4, int(head[2])<<8|int(head[3])
		}
		if length > 126 && skip == 2 || kind == 8 {
			return 0, fmt.Errorf("a frame of kind %d, length %d", kind, length)
		}
		text, err := r.Peek(skip + length)
		if err != nil {
			return 0, err
		}
		_, rest, found := bytes.Cut(text[skip:], []byte(`"status":`))
		if found && len(rest) >= 3 {
			status, err = strconv.Atoi(string(rest[:3]))
		}
		r.Discard(skip + length)
		if found || err != nil {
			return status, err
		}
	}
}

// readAnswer reads a response with a length and returns its status. It does no other work, because clients and
// server share the processors.
func readAnswer(r *bufio.Reader) (status int, err error) {
	line, err := r.ReadSlice('\n')
	if err != nil || len(line) < 12 {
		return 0, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, err
	}
	length := -1
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if len(line) <= 2 {
			break
		}
		if text, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(text))); err != nil {
				return 0, err
			}
		}
	}
	if length < 0 {
		return 0, errors.New("an answer has no length")
	}
	_, err = r.Discard(length)
	return status, err
}
