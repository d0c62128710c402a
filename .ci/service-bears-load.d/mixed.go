package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

const (
	mixedRooms  = 100
	mixedVoices = 8

	// the share of blocks that may be late because the clients share the processors
	mostLate = 0.01
)

// ledger counts the starts of each room as its clients know them.
type ledger struct {
	answered []atomic.Int64 // plays with a response
	unknown  []atomic.Int64 // plays whose response was not read
	requests atomic.Int64
	deaths   atomic.Int64 // of clients, during an action
	wrong    atomic.Int64 // unexpected responses
	example  atomic.Pointer[string]
}

func (l *ledger) mistake(format string, args ...any) {
	l.wrong.Add(1)
	text := fmt.Sprintf(format, args...)
	l.example.CompareAndSwap(nil, &text)
}

// mixed runs plays, WebSockets, listeners, and clients that die and reconnect, on a hundred rooms. A loop
// sounds in every tenth room. A second server has the same rooms and no clients: its late blocks are caused by
// the machine.
func mixed(ctx context.Context, o *options, j *judge) error {
	s, err := beside(ctx, o, mixedRooms, mixedVoices)
	if err != nil {
		return err
	}
	defer s.kill()
	l := &ledger{answered: make([]atomic.Int64, mixedRooms), unknown: make([]atomic.Int64, mixedRooms)}
	if err := s.begin(ctx); err != nil {
		return err
	}
	for r := range mixedRooms {
		t, err := s.totals(ctx, s.names[r])
		if err != nil {
			return err
		}
		l.answered[r].Add(t.Asked)
	}
	length := time.Duration(o.seconds) * time.Second
	loaded, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	var all sync.WaitGroup
	clients := func(n int, one func(context.Context, *server, *ledger, *rand.Rand)) {
		for i := range max(n/o.share, 1) {
			all.Go(func() {
				chance := rand.New(rand.NewPCG(uint64(i), uint64(n)))
				for loaded.Err() == nil {
					one(loaded, s.server, l, chance)
				}
			})
		}
	}
	clients(32, plays)
	clients(32, socket)
	clients(16, listens)
	clients(16, dies)
	var heap []float64
	for loaded.Err() == nil {
		pause(loaded, length/20)
		if m, err := s.metrics(ctx); err == nil {
			heap = append(heap, m["go_memstats_heap_inuse_bytes"])
		}
	}
	all.Wait()
	after, err := s.end(ctx, j)
	if err != nil {
		return err
	}
	calmAfter, err := s.control.metrics(ctx)
	if err != nil {
		return err
	}
	j.check(l.wrong.Load() == 0, "%d of %d answers were wrong%s", l.wrong.Load(), l.requests.Load(), say(l.example.Load()))
	adds, counted := 0, int64(0)
	for r, name := range s.names {
		t, err := s.totals(ctx, name)
		if err != nil {
			return err
		}
		least, most := l.answered[r].Load(), l.answered[r].Load()+l.unknown[r].Load()
		if t.Asked >= least && t.Asked <= most && t.Asked == t.Started+t.Rejected+t.Limited+t.Coalesced && t.Started == t.Ended+t.Stopped+t.Stolen+t.Playing {
			adds++
		} else {
			j.note("%s: %+v, of which clients know %d to %d", name, t, least, most)
		}
		counted += t.Asked
	}
	j.check(adds == mixedRooms, "counters add up in %d of %d rooms: %d starts, %d requests, %d clients died", adds, mixedRooms, counted, l.requests.Load(), l.deaths.Load())
	first, last := middle(heap, 0), middle(heap, 1)
	grown := (last - first) / (length.Seconds() / 2)
	j.check(last < 1.5*first+64e6, "the heap was %.0f MB in the first half and %.0f MB in the second: %+.0f KB/s, kept events included", first/1e6, last/1e6, grown/1e3)
	share, skipped := late(s.before, after)
	without, left := late(s.calm, calmAfter)
	short := s.shortage(without)
	j.check(share <= mostLate+short, "%.3f %% of %.0f blocks were late; of the same rooms without clients, at the same time, %.3f %%",
		100*share, after["voicepool_blocks_total"]-s.before["voicepool_blocks_total"], 100*without)
	frames := float64(o.seconds) * mixedRooms * 48000
	j.check(skipped <= (0.001+short)*frames+left, "%.0f frames were skipped of %.0f, without clients %.0f", skipped, frames, left)
	j.note("longest block took %.1f ms, %.0f s of processor time in %d s, without clients %.1f ms, %.0f s",
		1000*after["voicepool_block_longest_seconds"], s.processor(), o.seconds, 1000*calmAfter["voicepool_block_longest_seconds"], s.control.processor())
	s.control.kill()
	err = s.stop()
	j.check(err == nil, "it ends within a second or two: %v", err)
	return nil
}

// middle returns the median of the first or the second half.
func middle(all []float64, half int) float64 {
	n := len(all) / 2
	if n == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(all[half*n:][:n]))[n/2]
}

func say(text *string) string {
	if text == nil {
		return ""
	}
	return ": " + *text
}

// late returns the share of late blocks and the number of skipped frames between two readings of the metrics.
func late(before, after map[string]float64) (share, skipped float64) {
	blocks := after["voicepool_blocks_total"] - before["voicepool_blocks_total"]
	return (after["voicepool_blocks_late_total"] - before["voicepool_blocks_late_total"]) / max(blocks, 1),
		after["voicepool_frames_skipped_total"] - before["voicepool_frames_skipped_total"]
}

// humming starts a server with an endless sound in every tenth room.
func humming(ctx context.Context, o *options, rooms, voices int) (*server, error) {
	s, err := serve(ctx, o, rooms, voices)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(s.names); i += 10 {
		status, text, err := s.call(ctx, http.MethodPost, "/v1/rooms/"+s.names[i]+"/play", map[string]any{"sound": "hum", "priority": 9})
		if err != nil || status != http.StatusCreated {
			s.kill()
			return nil, fmt.Errorf("hum: %d %s %w", status, text, err)
		}
	}
	return s, nil
}

// settled waits up to 20 s until the number of goroutines is back at the given one, and returns the metrics.
func (s *server) settled(ctx context.Context, goroutines float64) (m map[string]float64, err error) {
	for range 100 {
		if m, err = s.metrics(ctx); err != nil || m["go_goroutines"] <= goroutines {
			return m, err
		}
		s.client.CloseIdleConnections()
		time.Sleep(200 * time.Millisecond)
	}
	return m, err
}

var names = []string{"bell", "step", "coin"}

// plays requests starts over HTTP, one after another.
func plays(ctx context.Context, s *server, l *ledger, chance *rand.Rand) {
	r := chance.IntN(len(s.names))
	for range 20 {
		l.unknown[r].Add(1)
		status, text, err := s.call(ctx, http.MethodPost, "/v1/rooms/"+s.names[r]+"/play",
			map[string]any{"sound": names[chance.IntN(len(names))], "gain": -6 - chance.IntN(20), "pan": chance.Float64()*2 - 1})
		l.requests.Add(1)
		switch {
		case err != nil && ctx.Err() == nil:
			l.mistake("a play: %v", err)
			return
		case err != nil:
			return
		case status != http.StatusCreated && status != http.StatusConflict:
			l.mistake("a play was answered %d %s", status, text)
			continue // it was rejected before it reached the room
		}
		l.unknown[r].Add(-1)
		l.answered[r].Add(1)
		pause(ctx, time.Duration(chance.IntN(40))*time.Millisecond)
	}
}

func pause(ctx context.Context, t time.Duration) {
	select {
	case <-time.After(t):
	case <-ctx.Done():
	}
}

// socket plays over a WebSocket and reads the messages.
func socket(ctx context.Context, s *server, l *ledger, chance *rand.Rand) {
	r := chance.IntN(len(s.names))
	conn, _, err := websocket.Dial(ctx, s.url+"/v1/rooms/"+s.names[r]+"/ws", &websocket.DialOptions{HTTPClient: s.client})
	if err != nil {
		if ctx.Err() == nil {
			l.mistake("a WebSocket: %v", err)
		}
		return
	}
	defer conn.CloseNow()
	conn.SetReadLimit(8 << 20)
	sent, replies := 0, 0
	const orders = 20
	go func() {
		for i := range orders {
			l.unknown[r].Add(1)
			text := fmt.Sprintf(`{"ref":%d,"do":"play","with":{"sound":%q}}`, i+1, names[i%len(names)])
			if conn.Write(ctx, websocket.MessageText, []byte(text)) != nil {
				return
			}
			pause(ctx, 30*time.Millisecond)
		}
	}()
	for replies < orders {
		_, text, err := conn.Read(ctx)
		if err != nil {
			if ctx.Err() == nil {
				l.mistake("a WebSocket was closed: %v after %d of %d", err, replies, sent)
			}
			return
		}
		var m struct {
			Type   string
			Status int
		}
		if json.Unmarshal(text, &m) != nil {
			l.mistake("a WebSocket said %q", text)
		}
		if m.Type != "reply" {
			continue
		}
		l.requests.Add(1)
		if replies++; m.Status != http.StatusCreated && m.Status != http.StatusConflict {
			l.mistake("a play over a WebSocket was answered %s", text)
			continue
		}
		l.unknown[r].Add(-1)
		l.answered[r].Add(1)
	}
	conn.Close(websocket.StatusNormalClosure, "")
}

// listens reads the audio of a room for a while.
func listens(ctx context.Context, s *server, l *ledger, chance *rand.Rand) {
	while, cancel := context.WithTimeout(ctx, time.Duration(500+chance.IntN(3000))*time.Millisecond)
	defer cancel()
	r, err := http.NewRequestWithContext(while, http.MethodGet, s.url+"/v1/rooms/"+s.names[chance.IntN(len(s.names))]+"/audio.wav", nil)
	if err != nil {
		l.mistake("%v", err)
		return
	}
	l.requests.Add(1)
	answer, err := s.client.Transport.RoundTrip(r)
	if err != nil {
		if while.Err() == nil {
			l.mistake("audio: %v", err)
		}
		return
	}
	defer answer.Body.Close()
	head := make([]byte, 12)
	if _, err := io.ReadFull(answer.Body, head); err == nil && !(strings.HasPrefix(string(head), "RIFF") && string(head[8:]) == "WAVE") {
		l.mistake("audio began with %q", head)
	}
	_, _ = io.Copy(io.Discard, answer.Body) // ends when the context does
}

// dies is a client that disconnects during a request, a WebSocket session or an audio stream.
func dies(ctx context.Context, s *server, l *ledger, chance *rand.Rand) {
	r := chance.IntN(len(s.names))
	life, cancel := context.WithTimeout(ctx, time.Duration(chance.IntN(50))*time.Millisecond)
	defer cancel()
	l.deaths.Add(1)
	switch chance.IntN(3) {
	case 0:
		l.unknown[r].Add(1) // the start may or may not have been requested
		status, _, err := s.call(life, http.MethodPost, "/v1/rooms/"+s.names[r]+"/play", map[string]any{"sound": "bell"})
		if err == nil && (status == http.StatusCreated || status == http.StatusConflict) {
			l.unknown[r].Add(-1)
			l.answered[r].Add(1)
		}
	case 1:
		conn, _, err := websocket.Dial(life, s.url+"/v1/rooms/"+s.names[r]+"/ws", &websocket.DialOptions{HTTPClient: s.client})
		if err == nil {
			_, _, _ = conn.Read(life)
			conn.CloseNow()
		}
	case 2:
		q, err := http.NewRequestWithContext(life, http.MethodGet, s.url+"/v1/rooms/"+s.names[r]+"/events?from=1", nil)
		if err != nil {
			return
		}
		if answer, err := s.client.Transport.RoundTrip(q); err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			answer.Body.Close()
		}
	}
	pause(ctx, 20*time.Millisecond)
}
