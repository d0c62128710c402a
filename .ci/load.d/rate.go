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
)

// rate asks one room for 10,000 starts a second over 32 connections, at an even pace: a start that waits for the one
// before it on its connection counts the wait.
func rate(ctx context.Context, o *options, j *judge) error {
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
	body := `{"sound":"bell"}`
	ask := fmt.Sprintf("POST /v1/rooms/room0/play HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		strings.TrimPrefix(s.url, "http://"), len(body), body)
	var all sync.WaitGroup
	var wrong atomic.Int64
	took := make([][]time.Duration, connections)
	begin := time.Now().Add(100 * time.Millisecond)
	end := begin.Add(time.Duration(o.seconds) * time.Second)
	for c := range connections {
		all.Go(func() {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				wrong.Add(1)
				return
			}
			defer conn.Close()
			conn.SetDeadline(end.Add(30 * time.Second))
			answers := bufio.NewReader(conn)
			for due := begin.Add(each * time.Duration(c) / connections); due.Before(end) && ctx.Err() == nil; due = due.Add(each) {
				time.Sleep(time.Until(due))
				if _, err := conn.Write([]byte(ask)); err != nil {
					wrong.Add(1)
					return
				}
				status, err := readAnswer(answers)
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
		return fmt.Errorf("no play was answered")
	}
	at := func(share float64) time.Duration { return times[int(share*float64(len(times)-1))] }
	t, err := s.totals(ctx, "room0")
	if err != nil {
		return err
	}
	j.check(wrong.Load() == 0, "%d of %d answers were wrong", wrong.Load(), len(times))
	j.check(t.Asked == int64(len(times)), "the room was asked for %d starts, and answered %d", t.Asked, len(times))
	share, skipped := late(before, after)
	j.note("%.0f starts a second: median %v, 99th percentile %v (5 ms wanted), longest %v; %.1f us of processor time each",
		float64(len(times))/over.Seconds(), at(0.5), at(0.99), at(1), 1e6*s.processor()/float64(len(times)))
	j.note("%.2f %% of the blocks were late, %.0f frames skipped", 100*share, skipped)
	// Speed goals are told, not judged; but a server that stands still fails.
	j.check(at(0.99) < 100*time.Millisecond*20, "the 99th percentile is below 2 s")
	err = s.stop()
	j.check(err == nil, "it ends: %v", err)
	return nil
}

// readAnswer reads an answer with a length, and returns its status. It does no more than that: what the
// clients spend is taken from the server, which shares their processors.
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
