package mixer_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestEventReaders checks that each reader receives all events since its creation in order, independent
// of other readers, and so does Mixer.Events.
func TestEventReaders(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 4})
		s := level(t, 1000, 20, 0.1)
		var happened []string // started or ended, by frame and number
		type reader struct {
			events func([]mixer.Event) int
			close  func()
			from   int
			got    []string
		}
		readers := []*reader{{events: m.Events, close: func() {}}}
		read := func(r *reader, most int) {
			dst := make([]mixer.Event, most)
			n := r.events(dst)
			for _, e := range dst[:n] {
				r.got = append(r.got, fmt.Sprint(e.Frame, e.Kind, e.Voice))
			}
		}
		check := func(r *reader) {
			for range 100 {
				read(r, 7)
			}
			if got, want := fmt.Sprint(r.got), fmt.Sprint(happened[r.from:]); got != want {
				rt.Fatalf("a reader has\n%s\nwant\n%s", got, want)
			}
		}
		asked := 0
		rt.Repeat(map[string]func(*rapid.T){
			"play": func(rt *rapid.T) {
				if m.Stats().Playing < 4 && asked < 100 {
					asked++
					play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
					now := m.Now()
					left(m, 20)
					happened = append(happened, fmt.Sprint(now, mixer.EventStarted, asked), fmt.Sprint(now+20, mixer.EventEnded, asked))
				}
			},
			"read": func(rt *rapid.T) {
				read(rapid.SampledFrom(readers).Draw(rt, "reader"), rapid.IntRange(0, 5).Draw(rt, "most"))
			},
			"new": func(rt *rapid.T) {
				if len(readers) < 4 {
					check(readers[0])
					r := m.Engine().NewEventReader()
					readers = append(readers, &reader{events: r.Events, close: r.Close, from: len(happened)})
				}
			},
			"close": func(rt *rapid.T) {
				if n := len(readers); n > 1 {
					last := readers[n-1]
					check(last)
					last.close()
					readers = readers[:n-1]
				}
			},
		})
		for _, r := range readers {
			check(r)
		}
	})
}

// TestEventReaderIsBounded checks that a slow reader loses events and the other readers do not.
func TestEventReaderIsBounded(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Events: 4})
	idle, closed, busy := m.Engine().NewEventReader(), m.Engine().NewEventReader(), m.Engine().NewEventReader()
	closed.Close()
	s := level(t, 1000, 1, 0.1)
	dst := make([]mixer.Event, 16)
	for i := range 5 {
		play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
		left(m, 5)
		if n := busy.Events(dst); n != 2 || dst[0].Voice != uint64(i+1) || dst[0].Sound != s {
			t.Errorf("start %d: %d events, %v first", i, n, dst[0])
		}
	}
	if idle.Lost() != 6 || busy.Lost() != 0 || closed.Lost() != 0 {
		t.Errorf("%d, %d and %d events are lost, want 6, none and none", idle.Lost(), busy.Lost(), closed.Lost())
	}
	if n := idle.Events(dst); n != 4 || dst[0].Voice != 1 || dst[3].Voice != 2 {
		t.Errorf("who does not read has %d events from %v on, want the first 4", n, dst[0])
	}
	if n := m.Events(dst); n != 4 || closed.Events(dst) != 0 || m.Stats().EventsLost != 0 {
		t.Errorf("Events has %d, want 4; %d are lost on the audio side", n, m.Stats().EventsLost)
	}
}

// A log receives all events without taking any from the game.
func ExampleEngine_NewEventReader() {
	m, _ := mixer.New(mixer.Config{Rate: 8})
	log := m.Engine().NewEventReader()
	defer log.Close()
	coin, _ := sounds.NewSound(sounds.Samples{Name: "coin", Rate: 8, Channels: 1, Data: make([]float32, 4)})
	m.Play(coin, mixer.Options{})
	m.Render(make([]pcm.Frame, 8))
	events := make([]mixer.Event, 8)
	fmt.Println(m.Events(events), "events for the game")
	for _, e := range events[:log.Events(events)] {
		fmt.Println(e)
	}
	// Output:
	// 2 events for the game
	// frame 0: "coin" #1 started in slot 0
	// frame 4: "coin" #1 ended in slot 0
}
