package room_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/internal/leak"
)

func TestMain(m *testing.M) { leak.Main(m) }

const sheet = `
voices: 2
overflow: reject
buses: {music: {}, sfx: {parent: music}}
sounds:
  bell: {bus: sfx}
  rain: {loop: true, bus: music}
  coin: {cooldown: 1s}
  knock: {limit: {voices: 1, full: reject}}
scenes: {quiet: {buses: {music: {gain: -20}}}}
list:
  - {cue: 1, play: bell}
  - {cue: 2, play: rain, id: weather}
`

// open opens a room without a sound card and closes it at the end of the test.
func open(t *testing.T, text string, change ...func(*room.Options)) *room.Room {
	t.Helper()
	o := room.Options{Name: "main", Title: "show.yaml", Text: []byte(text)}
	if text == "" {
		o.Text = nil
	}
	for _, c := range change {
		c(&o)
	}
	r, err := room.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(0); err != nil {
			t.Errorf("the end of the room: %v", err)
		}
	})
	return r
}

func yes() *bool { return new(true) }

// kindOf returns the kind of a room's error, or 0 for other errors.
func kindOf(err error) room.Kind {
	if e, ok := errors.AsType[*room.Error](err); ok {
		return e.Kind
	}
	return 0
}

// TestPlayResults checks the result of each order.
func TestPlayResults(t *testing.T) {
	second := time.Second
	for _, c := range []struct {
		name   string
		before []room.PlayRequest
		order  room.PlayRequest
		state  string
		kind   room.Kind
		says   string // a part of the error, its reason or its suggestion
	}{
		{name: "plays", order: room.PlayRequest{Sound: "bell", ID: "a"}, state: "playing"},
		{name: "later", order: room.PlayRequest{Sound: "bell", When: room.Moment{At: new(time.Hour)}}, state: "pending"},
		{name: "pool", before: []room.PlayRequest{{Sound: "rain"}, {Sound: "rain"}}, order: room.PlayRequest{Sound: "bell"}, kind: room.Refused, says: "pool full"},
		{name: "cooldown", before: []room.PlayRequest{{Sound: "coin"}}, order: room.PlayRequest{Sound: "coin"}, kind: room.Refused, says: "cooldown"},
		{name: "limit", before: []room.PlayRequest{{Sound: "knock"}}, order: room.PlayRequest{Sound: "knock"}, kind: room.Refused, says: "limit of the sound"},
		{name: "no sound", order: room.PlayRequest{Sound: "bel"}, kind: room.NotFound, says: "bell"},
		{name: "no bus", order: room.PlayRequest{Sound: "bell", Bus: "musik"}, kind: room.NotFound, says: "music"},
		{name: "loud", order: room.PlayRequest{Sound: "bell", Gain: 40}, kind: room.Range, says: "gain: 40 is out of range; want a number of decibels from -120 to 24"},
		{name: "never", order: room.PlayRequest{Sound: "bell", From: -second}, kind: room.Range, says: "from: -1s"},
		{name: "no loop", order: room.PlayRequest{Sound: "bell", Loop: yes()}, kind: room.Range, says: "loop"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := open(t, sheet)
			for _, o := range c.before {
				if _, err := r.Play(o); err != nil {
					t.Fatalf("%s: before: %v", c.name, err)
				}
			}
			v, err := r.Play(c.order)
			if v.State != c.state || kindOf(err) != c.kind {
				t.Errorf("%s: %+v, %v, want %q, kind %d", c.name, v, err, c.state, c.kind)
			}
			if e, ok := errors.AsType[*room.Error](err); ok && !strings.Contains(e.Detail+e.Reason+e.Nearest, c.says) {
				t.Errorf("%s: %+v, want %q", c.name, e, c.says)
			}
			if c.kind == 0 && c.state == "playing" && (v.Voice == 0 || v.Slot < 0 || v.ID != c.order.ID) {
				t.Errorf("%s: %+v", c.name, v)
			}
		})
	}
}

// TestOrders checks that moves, stops and pauses appear in the state and in the events.
func TestOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet)
		v, err := r.Play(room.PlayRequest{Sound: "rain", ID: "w"})
		if err != nil {
			t.Fatal(err)
		}
		if n, err := r.Set("w", room.VoiceChange{Gain: new(-6.0), Pan: new(0.5), Pause: yes()}); err != nil || len(n) != 1 || n[0] != v.Voice {
			t.Errorf("set: %v, %v", n, err)
		}
		before := r.State()
		if len(before.Voices) != 1 || before.Voices[0].State != "paused" || before.Voices[0].ID != "w" || before.Voices[0].Sound != "rain" {
			t.Errorf("voices: %+v", before.Voices)
		}
		b, err := r.SetBus("music", room.BusChange{Gain: new(-12.0), Mute: yes()})
		if err != nil || b.Gain != -12 || !b.Mute {
			t.Errorf("bus: %+v, %v", b, err)
		}
		time.Sleep(50 * time.Millisecond)
		if now := r.State(); now.Revision == before.Revision {
			t.Errorf("the revision %d stays", now.Revision)
		}
		if n, err := r.Stop("w", 0, room.Moment{}); err != nil || len(n) != 1 {
			t.Errorf("stop: %v, %v", n, err)
		}
		if _, err := r.Stop("w", 0, room.Moment{}); kindOf(err) != room.NotFound {
			t.Errorf("stop of what is gone: %v", err)
		}
		if err := r.Show().Go(""); err != nil {
			t.Error(err)
		}
		time.Sleep(500 * time.Millisecond)
		said := ""
		events, first := r.Events(1, 100)
		for _, e := range events {
			said += e.Text + "\n"
		}
		if want := "rain #1 begins in slot 0\nrain #1 was stopped\nbell #2 begins in slot 0\n"; said != want || first != 1 {
			t.Errorf("events from %d:\n%swant:\n%s", first, said, want)
		}
	})
}

// TestListen checks that a listener gets the mix in real time, and its end. A listener that does not read is dropped.
func TestListen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, "")
		l, err := r.Listen("")
		if err != nil {
			t.Fatal(err)
		}
		slow, _ := r.Listen("master")
		if _, err := r.Play(room.PlayRequest{Sound: "bell"}); err != nil {
			t.Fatal(err)
		}
		bytes, loud := 0, false
		for begun := time.Now(); time.Since(begun) < 3*time.Second; {
			block, err := l.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			bytes += len(block)
			for _, b := range block {
				loud = loud || b != 0
			}
		}
		if want := 3 * 4 * l.Rate(); bytes < want-4*l.Rate()/50 || bytes > want+4*l.Rate()/50 || !loud {
			t.Errorf("%d bytes, want about %d; loud: %t", bytes, want, loud)
		}
		if _, err := slow.Next(t.Context()); !errors.Is(err, room.ErrSlow) {
			t.Errorf("who does not listen: %v", err)
		}
		if now, dropped := r.Listeners(); now != 1 || dropped != 1 {
			t.Errorf("%d listen, %d dropped", now, dropped)
		}
		go r.Close(100 * time.Millisecond)
		for err == nil {
			_, err = l.Next(t.Context())
		}
		if !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	})
}

// TestSleep checks that a silent room is not mixed until its next order.
func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := room.NewWorkers(2)
		defer w.Close()
		r := open(t, sheet, func(o *room.Options) { o.Workers = w })
		time.Sleep(time.Second)
		asleep := w.Stats()
		if time.Sleep(time.Minute); w.Stats().Blocks != asleep.Blocks || asleep.Rooms != 1 || asleep.Awake != 0 {
			t.Errorf("a silent room: %+v, then %+v", asleep, w.Stats())
		}
		v, err := r.Play(room.PlayRequest{Sound: "bell"})
		if want := int64(61 * r.State().Rate); err != nil || v.Frame < want-1 || v.Frame > want+1 {
			t.Errorf("it begins at %d, %v, want %d", v.Frame, err, want)
		}
		time.Sleep(100 * time.Millisecond)
		if p := w.Stats(); p.Awake != 1 || p.Late != 0 || p.Skipped != 0 {
			t.Errorf("then: %+v", p)
		}
		time.Sleep(10 * time.Second)
		if err := r.Show().Go("2"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond)
		if st := r.State(); st.Playing != 1 || len(st.Running) != 1 {
			t.Errorf("after a GO in its sleep: %+v", st.Running)
		}
		r.Close(0)
	})
}

// TestWatch checks that events arrive as they happen, including the end.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet)
		w := r.Watch(0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := w.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("nothing has happened: %v", err)
		}
		if _, err := r.Play(room.PlayRequest{Sound: "bell"}); err != nil {
			t.Fatal(err)
		}
		events, err := w.Next(t.Context())
		if err != nil || len(events) != 1 || events[0].Number != 1 || events[0].Sound != "bell" {
			t.Errorf("%+v, %v", events, err)
		}
		text, err := r.Explain(events[0].Voice)
		if err != nil || len(text) < 2 {
			t.Errorf("explain: %q, %v", text, err)
		}
		r.Close(0)
		for err == nil {
			_, err = w.Next(t.Context())
		}
		if !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	})
}

// TestCard uses a room on a null device.
func TestCard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet, func(o *room.Options) { o.Device = "null" })
		l, err := r.Listen("")
		if err != nil {
			t.Fatal(err)
		}
		if v, err := r.Play(room.PlayRequest{Sound: "bell"}); err != nil || v.State != "playing" {
			t.Errorf("%+v, %v", v, err)
		}
		if block, err := l.Next(t.Context()); err != nil || len(block) == 0 {
			t.Errorf("%d bytes, %v", len(block), err)
		}
		r.Close(0)
	})
}

// TestFiles checks that a sheet from the network can read only its folder.
func TestFiles(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct{ file, folder string }{
		{"bell.wav", ""}, {"../bell.wav", folder}, {"/etc/passwd", folder}, {"a/../../b.wav", folder},
	} {
		_, err := room.Open(t.Context(), room.Options{Name: "main", Text: []byte("sounds: {a: " + c.file + "}\n"), Folder: c.folder})
		if e, ok := errors.AsType[*room.Error](err); !ok || e.Kind != room.Range || e.Field != "sounds.a" {
			t.Errorf("%s in %q: %v", c.file, c.folder, err)
		}
	}
}
