package service_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"voicepool/cmd/internal/serve/pipenet"
	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/serve/service"
	"voicepool/internal/longtest"
)

// day is a server with its clients.
type day struct {
	*testing.T
	server *service.Server
	client *http.Client
	rooms  []string
	chance *rand.Rand
	known  map[string]int64 // answered plays, by room
	lost   map[string]int64 // plays whose client died before the answer
}

// call makes a call whose client dies after a time.
func (d *day) call(life time.Duration, method, path, body string) (status int, text string, err error) {
	ctx, cancel := context.WithTimeout(d.Context(), life)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, "http://127.0.0.1"+path, strings.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	if method == http.MethodPut {
		r.Header.Set("Content-Type", "application/yaml")
	}
	w, err := d.client.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer w.Body.Close()
	b, err := io.ReadAll(w.Body)
	return w.StatusCode, string(b), err
}

// play starts a sound and counts the start.
func (d *day) play(name, sound string) {
	status, text, err := d.call(time.Second, http.MethodPost, "/v1/rooms/"+name+"/play", fmt.Sprintf(`{"sound":%q}`, sound))
	if err != nil || status != http.StatusCreated && status != http.StatusConflict {
		d.Fatalf("a play: %d %s, %v", status, text, err)
	}
	d.known[name]++
}

// socket plays over a WebSocket, and then closes it or dies.
func (d *day) socket(name string) {
	conn, _, err := websocket.Dial(d.Context(), "ws://127.0.0.1/v1/rooms/"+name+"/ws", &websocket.DialOptions{HTTPClient: d.client})
	if err != nil {
		d.Fatal(err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 20)
	orders := d.chance.IntN(5)
	for i := range orders {
		d.lost[name]++
		if err := conn.Write(d.Context(), websocket.MessageText, fmt.Appendf(nil, `{"ref":%d,"do":"play","with":{"sound":"bell"}}`, i+1)); err != nil {
			d.Fatal(err)
		}
	}
	if d.chance.IntN(2) == 0 {
		return // it dies, and it is unknown whether its plays were carried out
	}
	for replies := 0; replies < orders; {
		_, text, err := conn.Read(d.Context())
		if err != nil {
			d.Fatal(err)
		}
		var m struct{ Type string }
		if err := json.Unmarshal(text, &m); err != nil {
			d.Fatal(err)
		}
		if m.Type == "reply" {
			replies++
			d.known[name]++
			d.lost[name]--
		}
	}
	conn.Close(websocket.StatusNormalClosure, "")
}

// totals returns the counters of a room.
func (d *day) totals(name string) (t struct {
	Asked, Started, Rejected, Limited, Coalesced, Ended, Stopped, Stolen, Playing int64
}) {
	status, text, err := d.call(time.Minute, http.MethodGet, "/v1/rooms/"+name+"/state", "")
	state := struct{ Totals any }{&t}
	if err != nil || status != http.StatusOK || json.Unmarshal([]byte(text), &state) != nil {
		d.Fatalf("the state of %s: %d %s, %v", name, status, text, err)
	}
	return t
}

// round does the actions of ten simulated minutes.
func (d *day) round(n int) {
	for _, name := range d.rooms {
		for range d.chance.IntN(12) {
			d.play(name, []string{"bell", "coin"}[d.chance.IntN(2)])
			time.Sleep(time.Duration(d.chance.IntN(300)) * time.Millisecond)
		}
		d.socket(name)
		// Listeners, event readers and plays whose clients die in between.
		_, _, _ = d.call(time.Duration(d.chance.IntN(2000))*time.Millisecond, http.MethodGet, "/v1/rooms/"+name+"/audio.wav", "")
		_, _, _ = d.call(time.Duration(d.chance.IntN(500))*time.Millisecond, http.MethodGet, "/v1/rooms/"+name+"/events?from=1", "")
		d.lost[name]++
		if status, _, err := d.call(time.Duration(d.chance.IntN(3))*time.Microsecond, http.MethodPost, "/v1/rooms/"+name+"/play", `{"sound":"bell"}`); err == nil && status < 500 {
			d.lost[name]--
			d.known[name]++
		}
	}
	if n%6 == 0 { // a loop that plays for a minute, and a temporary room
		d.play(d.rooms[0], "rain")
		time.Sleep(time.Minute)
		if status, text, err := d.call(time.Second, http.MethodPost, "/v1/rooms/"+d.rooms[0]+"/panic", ""); err != nil || status != http.StatusOK {
			d.Fatalf("a panic: %d %s, %v", status, text, err)
		}
		path := fmt.Sprintf("/v1/rooms/guest%d", n)
		if status, text, err := d.call(time.Minute, http.MethodPut, path, "sounds: {bell: {}}"); err != nil || status != http.StatusCreated {
			d.Fatalf("a room: %d %s, %v", status, text, err)
		}
		d.known[path[10:]] = 0
		d.play(path[10:], "bell")
		if status, text, err := d.call(time.Minute, http.MethodDelete, path, ""); err != nil || status >= 300 {
			d.Fatalf("its end: %d %s, %v", status, text, err)
		}
	}
}

// TestDay simulates 24 hours with clients that come, go and die. The counters must add up, the heap
// must stay flat, and all goroutines must end.
func TestDay(t *testing.T) {
	if !longtest.Enabled() {
		t.Skip("a day takes some seconds")
	}
	synctest.Test(t, func(t *testing.T) {
		d := &day{T: t, server: service.New(service.Options{}), rooms: []string{"one", "two", "three"}, chance: rand.New(rand.NewPCG(1, 2)), known: map[string]int64{}, lost: map[string]int64{}}
		for _, name := range d.rooms {
			r, err := room.Open(t.Context(), room.Options{Name: name, Text: []byte(sheet)})
			if err != nil {
				t.Fatal(err)
			}
			if err := d.server.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		network := pipenet.New()
		web := &http.Server{Handler: d.server}
		var served sync.WaitGroup
		served.Go(func() { _ = web.Serve(network) })
		t.Cleanup(func() {
			web.Close()
			served.Wait()
		})
		d.client = network.Client()
		defer func() {
			d.server.Close(0)
			d.client.CloseIdleConnections()
		}()
		begin := time.Now()
		heap := func() uint64 {
			d.client.CloseIdleConnections()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		var early uint64
		goroutines := 0
		for n := 0; time.Since(begin) < 24*time.Hour; n++ {
			d.round(n)
			time.Sleep(time.Until(begin.Add(time.Duration(n+1) * 10 * time.Minute)))
			if n == 12 {
				early, goroutines = heap(), runtime.NumGoroutine()
			}
		}
		late, left := heap(), runtime.NumGoroutine()
		starts := int64(0)
		for _, name := range d.rooms {
			c := d.totals(name)
			starts += c.Started
			if c.Asked < d.known[name] || c.Asked > d.known[name]+d.lost[name] {
				t.Errorf("%s: clients know of %d to %d plays, and the room of %d", name, d.known[name], d.known[name]+d.lost[name], c.Asked)
			}
			if c.Asked != c.Started+c.Rejected+c.Limited+c.Coalesced || c.Started != c.Ended+c.Stopped+c.Stolen+c.Playing || c.Playing != 0 {
				t.Errorf("%s does not add up: %+v", name, c)
			}
		}
		if starts < 1000 {
			t.Errorf("a day has %d starts", starts)
		}
		// The stored events may grow the heap: a start has two events of at most 48 bytes each.
		if most := early + uint64(96*starts) + 1<<20; late > most {
			t.Errorf("the heap was %d bytes after two hours and %d after a day", early, late)
		}
		if left > goroutines {
			t.Errorf("%d goroutines after two hours, %d after a day", goroutines, left)
		}
		t.Logf("%d starts; heap %d KB after two hours, %d KB after a day", starts, early>>10, late>>10)
	})
}
