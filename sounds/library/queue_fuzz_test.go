package library

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"voicepool/internal/longtest"
	"voicepool/pcm"
	"voicepool/sounds"
)

// queueFiles are files, some of which can be opened only once: the check at Add succeeds, the later playback
// fails.
type queueFiles struct {
	fstest.MapFS
	mu   sync.Mutex
	once map[string]int
}

func (q *queueFiles) Open(name string) (fs.File, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if left, ok := q.once[name]; ok {
		if left == 0 {
			return nil, fs.ErrNotExist
		}
		q.once[name]--
	}
	return q.MapFS.Open(name)
}

// Stat replaces the Stat method of the map, which would not wait for put.
func (q *queueFiles) Stat(name string) (fs.FileInfo, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.MapFS.Stat(name)
}

// put adds a file and returns its name. Streams may open other files concurrently.
func (q *queueFiles) put(data []byte, once bool) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	name := fmt.Sprint("f", len(q.MapFS))
	q.MapFS[name] = &fstest.MapFile{Data: data}
	if once {
		q.once[name] = 1
	}
	return name
}

// queueLibrary is shared by all sessions, because making its filters takes longer than a session.
var queueLibrary = sync.OnceValue(func() *Library { return NewLibrary(Options{}) })

// queueModel models a queue as a list of runs. Each run holds joined samples, loaded as one clip.
type queueModel struct {
	t      *testing.T
	all    []pcm.Frame
	broken int // sources that are missing at playback
	added  int
}

type queueTrack struct {
	rate, channels int
	samples        []int16
	gone           bool
}

// add joins tracks with the same rate and channels into one run. A missing track is skipped, and the next track
// starts a new run.
func (q *queueModel) add(tracks []queueTrack) {
	var run queueTrack
	flush := func() {
		if len(run.samples) > 0 {
			clip, err := Decode(context.Background(), "joined", bytes.NewReader(wavBytes16(run.rate, run.channels, run.samples, [2]uint32{1, 0})), Limits{})
			if err != nil {
				q.t.Fatal(err)
			}
			s, _, err := prepare(context.Background(), clip, Options{}, clip.measure, "joined", "", &queueLibrary().filters, &workBuffers{})
			if err != nil {
				q.t.Fatal(err)
			}
			q.all = append(q.all, loaded(s, sounds.PlayRange{}, int(s.Frames()))...)
		}
		run = queueTrack{}
	}
	for _, tr := range tracks {
		if tr.gone {
			q.broken++
			flush()
			continue
		}
		if run.rate != tr.rate || run.channels != tr.channels {
			flush()
		}
		run.rate, run.channels = tr.rate, tr.channels
		run.samples = append(run.samples, tr.samples...)
	}
	flush()
	q.added += len(tracks)
}

// FuzzQueue adds files of all rates and lengths to a queue while voices listen, seek and leave. Some files are
// gone at playback. Each voice must play, sample-exactly and without a gap, the frames of the model.
func FuzzQueue(f *testing.F) {
	f.Add([]byte("\x00\x00\x25\x31\x01\xff\x02\x10\x01\x80\x00\x47\x01\xff\x01\xff"))
	f.Add([]byte("\x01\x20\x43\x8b\x43\x00\x42\x01\xff\x01\xff\x02\x90\x01\xff\x03\x01\xff"))
	f.Add([]byte{0x00, 0x10, 0x44, 0xc4, 0x01, 0xff, 0x01, 0xff, 0x00, 0x04, 0x02, 0x50, 0x04, 0x01, 0x40, 0x02, 0x00, 0x01, 0x10})
	f.Fuzz(func(t *testing.T, ops []byte) {
		if len(ops) > 64 {
			return
		}
		queueSession(t, ops)
	})
}

// TestQueueSessions runs FuzzQueue with random sessions.
func TestQueueSessions(t *testing.T) {
	sessions := 100
	switch {
	case longtest.Day():
		sessions = 5000
	case !longtest.Enabled():
		sessions = 10
	}
	for seed := range sessions {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		ops := make([]byte, 8+r.IntN(56))
		for i := range ops {
			ops[i] = byte(r.IntN(256))
		}
		if queueSession(t, ops); t.Failed() {
			t.Fatalf("session %d: %x", seed, ops)
		}
	}
}

// queueSession executes ops.
func queueSession(t *testing.T, ops []byte) {
	files := &queueFiles{MapFS: fstest.MapFS{"bad": {Data: []byte("no sound")}}, once: map[string]int{}}
	b := queueLibrary()
	model := &queueModel{t: t}
	faults := make(chan string, 1000)
	q, err := b.NewQueue("music", StreamOptions{Ahead: 100 * time.Millisecond, OnError: func(_ string, err error) { faults <- err.Error() }})
	if err != nil {
		t.Fatal(err)
	}
	next := func() (op byte) {
		if len(ops) > 0 {
			op, ops = ops[0], ops[1:]
		}
		return op
	}
	type voiceOf struct {
		*listener
		at int
	}
	var voices []voiceOf
	leave := func(i int) {
		voices[i].buffer.Close()
		voices = append(voices[:i], voices[i+1:]...)
	}
	hear := func(i, n int) {
		v := &voices[i]
		got := v.hear(n)
		from := min(v.at, len(model.all))
		want := model.all[from:min(from+n, len(model.all))]
		sameFrames(t, fmt.Sprintf("from frame %d of %d", v.at, len(model.all)), got, want)
		if v.at += n; len(got) < n {
			leave(i) // ended in any case
		}
	}
	// A missing file keeps its announced length, so positions behind it are undefined.
	breaks := next()%2 == 0
	for len(ops) > 0 && !t.Failed() {
		switch op := next(); op % 8 {
		case 0, 5, 6: // add one to three
			var tracks []queueTrack
			var sources []Source
			for range 1 + op>>4%3 {
				x := next()
				tr := queueTrack{
					rate: []int{48000, 44100, 22050, 48000}[x&3], channels: 1 + int(x>>2&1),
					gone: breaks && x>>6 == 3,
				}
				n := []int{0, 1, 7, 100, 900, 2500, 9000, 3333}[x>>3&7]
				tr.samples = noise(n, uint64(len(ops)))[:n*tr.channels]
				name := files.put(wavBytes16(tr.rate, tr.channels, tr.samples, [2]uint32{1, 0}), tr.gone)
				tracks, sources = append(tracks, tr), append(sources, Source{File: name, FS: files})
			}
			if op>>6 == 3 { // and one invalid source, so the call adds no track
				if err := q.Add(append(sources, Source{File: "bad", FS: files})...); err == nil {
					t.Fatal("no error")
				}
			} else if err := q.Add(sources...); err != nil {
				t.Fatal(err)
			} else {
				model.add(tracks)
			}
			if q.Sources() != model.added {
				t.Fatalf("%d sources, want %d", q.Sources(), model.added)
			}
		case 1, 7:
			if n := 1 + int(next())*50; len(voices) > 0 {
				hear(int(op>>3)%len(voices), n)
			}
		case 2: // a new listener at a position
			from := 0
			if x := int(next()); !breaks && len(model.all) > 0 {
				from = x * (len(model.all) + 20) / 255
			}
			if len(voices) < 3 {
				voices = append(voices, voiceOf{listen(t, q.Sound(), sounds.PlayRange{From: int64(from)}), from})
			}
		case 3:
			if len(voices) > 0 {
				leave(int(op>>3) % len(voices))
			}
		case 4: // read to the end
			if len(voices) > 0 {
				hear(int(op>>3)%len(voices), len(model.all)+1)
			}
		}
	}
	for len(voices) > 0 && !t.Failed() {
		hear(0, len(model.all)+1)
	}
	for len(voices) > 0 {
		leave(0)
	}
	if model.broken == 0 && len(faults) > 0 {
		t.Error(<-faults)
	}
}
