package asynclog

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/internal/leak"
)

// reader accepts one write per value of let.
type reader struct {
	strings.Builder
	let chan error
}

func (r *reader) Write(p []byte) (int, error) {
	if err := <-r.let; err != nil {
		n, _ := r.Builder.Write(p[:len(p)/2])
		return n, err
	}
	return r.Builder.Write(p)
}

// TestLogIsWrittenInOrder checks that all lines arrive in order.
func TestLogIsWrittenInOrder(t *testing.T) {
	defer leak.Check(t)
	var out, want strings.Builder
	l := New(&out)
	for i := range 10000 {
		fmt.Fprintln(&want, i)
		fmt.Fprintln(l, i)
	}
	dropped, err := l.Close(time.Minute)
	if dropped != 0 || err != nil || out.String() != want.String() {
		t.Errorf("%d lines are dropped, %v, %d bytes of %d arrive", dropped, err, out.Len(), want.Len())
	}
}

// TestLogCounts checks that every unwritten line is counted, whatever the reason.
func TestLogCounts(t *testing.T) {
	full := errors.New("full")
	for _, c := range []struct {
		name  string
		each  int     // bytes of a line
		lines int     // number of lines
		say   []error // results of the reader's first writes; later writes block
		want  int     // dropped lines
		err   error
	}{
		{name: "all is read", each: 10, lines: 3, say: []error{nil, nil, nil}},
		{name: "nobody reads", each: 10, lines: 3, want: 3, err: ErrUnread},
		{name: "the second fails", each: 10, lines: 3, say: []error{nil, full}, want: 2, err: full},
		{name: "too many wait", each: maxQueued / 4, lines: 7, want: 7, err: ErrUnread},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out := &reader{let: make(chan error, len(c.say))}
				for _, err := range c.say {
					out.let <- err
				}
				l := New(out)
				for range c.lines {
					l.Write([]byte(strings.Repeat("x", c.each-1) + "\n"))
					synctest.Wait()
				}
				begin := time.Now()
				dropped, err := l.Close(time.Second)
				if took := time.Since(begin); dropped != c.want || !errors.Is(err, c.err) || took > time.Second {
					t.Errorf("%d lines are dropped, %v, after %v; want %d, %v", dropped, err, took, c.want, c.err)
				}
				if got := strings.Count(out.String(), "\n"); got != c.lines-c.want {
					t.Errorf("%d lines arrived, want %d", got, c.lines-c.want)
				}
				close(out.let) // the goroutine ends
			})
		})
	}
}
