package cluster

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"
)

// audible is the least sample of 16 bits that counts as a sound: -60 dB.
const audible = 32

// block is what came at once.
type block struct {
	at    time.Time // of the test's clock, monotonic
	frame int64     // its last, since the connection began
	peak  int
}

// Listener hears a room on one node, from its audio.wav, and knows when it heard what.
type Listener struct {
	where string
	mutex sync.Mutex
	all   []block
	lost  int    // connections that ended
	last  string // why the last one did, or why there is none
}

// Listen begins to hear a room on the node at a URL. It takes neither a redirect nor an answer with Via,
// which are of another node, and connects anew when the connection ends, until the test does: so it may
// begin before the node has the room.
func Listen(t testing.TB, node, room string) *Listener {
	t.Helper()
	return ListenIn(t, nil, node, room)
}

// ListenIn is Listen from inside a namespace: it hears a node that is cut off from the others.
func ListenIn(t testing.TB, s *Space, node, room string) *Listener {
	t.Helper()
	l := &Listener{where: node + "/v1/rooms/" + url.PathEscape(room) + "/audio.wav"}
	ctx, cancel := context.WithCancel(context.Background())
	client := s.Client()
	client.Timeout = 0
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			err := l.hear(ctx, client)
			l.mutex.Lock()
			l.last = fmt.Sprint(err)
			l.mutex.Unlock()
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return l
}

// hear reads one connection to its end.
func (l *Listener) hear(ctx context.Context, client *http.Client) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, l.where, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s", answer.Status)
	}
	if via := answer.Header.Get("Via"); via != "" {
		return fmt.Errorf("it is passed on from another node: %s", via)
	}
	if _, err := io.CopyN(io.Discard, answer.Body, 44); err != nil { // the header
		return err
	}
	defer func() {
		l.mutex.Lock()
		l.lost++
		l.mutex.Unlock()
	}()
	var frames int64
	for kept, buffer := 0, make([]byte, 1<<16); ; {
		n, err := answer.Body.Read(buffer[kept:])
		now := time.Now()
		whole := (kept + n) &^ 3
		if whole > 0 {
			peak := 0
			for i := 0; i < whole; i += 2 {
				x := int(int16(binary.LittleEndian.Uint16(buffer[i:])))
				peak = max(peak, x, -x)
			}
			frames += int64(whole / 4)
			l.mutex.Lock()
			l.all = append(l.all, block{now, frames, peak})
			l.mutex.Unlock()
			kept = copy(buffer, buffer[whole:kept+n])
		} else {
			kept += n
		}
		if err != nil {
			return err
		}
	}
}

// sounds returns the times at which something audible came.
func (l *Listener) sounds() []time.Time {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	var all []time.Time
	for i := range l.all {
		if l.all[i].peak >= audible {
			all = append(all, l.all[i].at)
		}
	}
	return all
}

// LastSound returns when something audible came last; the zero time: never.
func (l *Listener) LastSound() time.Time {
	all := l.sounds()
	if len(all) == 0 {
		return time.Time{}
	}
	return all[len(all)-1]
}

// FirstSoundAfter returns when something audible came first after a time; the zero time: not yet.
func (l *Listener) FirstSoundAfter(when time.Time) time.Time {
	all := l.sounds()
	i, _ := slices.BinarySearchFunc(all, when, func(one, when time.Time) int {
		if one.After(when) {
			return 1
		}
		return -1
	})
	if i == len(all) {
		return time.Time{}
	}
	return all[i]
}

// SilentSince reports whether nothing audible came after a time. A node that sends nothing is silent.
func (l *Listener) SilentSince(when time.Time) bool { return l.FirstSoundAfter(when).IsZero() }

// Sounding reports whether something audible came within the last while.
func (l *Listener) Sounding(while time.Duration) bool { return time.Since(l.LastSound()) < while }

// Connected reports whether anything came within the last while, silence or sound.
func (l *Listener) Connected(while time.Duration) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.all) > 0 && time.Since(l.all[len(l.all)-1].at) < while
}

// Why returns why the last connection ended, or why there is none.
func (l *Listener) Why() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.last
}

// Span is a time in which there was sound.
type Span struct{ From, To time.Time }

// Spans returns when there was sound. What is silent for less than gap does not end one.
func (l *Listener) Spans(gap time.Duration) []Span {
	var all []Span
	for _, at := range l.sounds() {
		if n := len(all); n > 0 && at.Sub(all[n-1].To) < gap {
			all[n-1].To = at
			continue
		}
		all = append(all, Span{at, at})
	}
	return all
}

// LongestSilence returns the longest time between two sounds that any of the listeners heard, from one
// time to another, and the longest time in which more than one heard a sound. Blocks come every 10 ms, and
// later on a busy machine.
func LongestSilence(from, to time.Time, listeners ...*Listener) (silence, both time.Duration) {
	var all []time.Time
	var spans [][]Span
	for _, l := range listeners {
		for _, at := range l.sounds() {
			if at.After(from) && at.Before(to) {
				all = append(all, at)
			}
		}
		spans = append(spans, l.Spans(100*time.Millisecond))
	}
	slices.SortFunc(all, time.Time.Compare)
	last := from
	for _, at := range append(all, to) {
		silence, last = max(silence, at.Sub(last)), at
	}
	for i := range spans {
		for j := range i {
			for _, a := range spans[i] {
				for _, b := range spans[j] {
					begin, end := latest(a.From, b.From, from), earliest(a.To, b.To, to)
					both = max(both, end.Sub(begin))
				}
			}
		}
	}
	return silence, both
}

func latest(all ...time.Time) time.Time   { return slices.MaxFunc(all, time.Time.Compare) }
func earliest(all ...time.Time) time.Time { return slices.MinFunc(all, time.Time.Compare) }
