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

// audible is the smallest 16-bit sample that counts as sound: -60 dB.
const audible = 32

// block is the audio of one read.
type block struct {
	at    time.Time // of the test's monotonic clock
	frame int64     // its last frame, since the connection began
	peak  int
}

// Listener plays a room's audio.wav from one node and records when sound arrived.
type Listener struct {
	where string
	mutex sync.Mutex
	all   []block
	lost  int    // number of connections that ended
	last  string // why the last connection ended, or could not be opened
}

// Listen starts to receive a room from the node at a URL. It ignores redirects and responses with a Via header,
// which come from other nodes. It reconnects until the test ends, so it may begin before the node has the room.
func Listen(t testing.TB, node, room string) *Listener {
	t.Helper()
	return ListenIn(t, nil, node, room)
}

// ListenIn is Listen from inside a namespace. It can hear a node that is cut off from the others.
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
	if _, err := io.CopyN(io.Discard, answer.Body, 44); err != nil { // the WAV header
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

// sounds returns the arrival times of audible blocks.
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

// LastSound returns the arrival time of the latest audible block, or the zero time.
func (l *Listener) LastSound() time.Time {
	all := l.sounds()
	if len(all) == 0 {
		return time.Time{}
	}
	return all[len(all)-1]
}

// FirstSoundAfter returns the arrival time of the first audible block after a time, or the zero time.
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

// SilentSince reports whether no audible block arrived after a time. A node that sends no data counts as
// silent.
func (l *Listener) SilentSince(when time.Time) bool { return l.FirstSoundAfter(when).IsZero() }

// Sounding reports whether an audible block arrived within the given last time.
func (l *Listener) Sounding(while time.Duration) bool { return time.Since(l.LastSound()) < while }

// Connected reports whether any block, silent or not, arrived within the given last time.
func (l *Listener) Connected(while time.Duration) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.all) > 0 && time.Since(l.all[len(l.all)-1].at) < while
}

// Why returns why the last connection ended, or could not be opened.
func (l *Listener) Why() string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.last
}

// Span is a time range with sound.
type Span struct{ From, To time.Time }

// Spans returns the time ranges with sound. A silence shorter than gap does not end a range.
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

// LongestSilence returns the longest time in the range from..to without a sound on any listener, and the
// longest time with sound on more than one. Blocks arrive every 10 ms, or later on a busy machine.
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
