package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/internal/longtest"
	"voicepool/internal/schematest"
)

// sheets returns the matrix of cue sheets.
func sheets() (*schematest.Matrix, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	return schematest.Sheets(cue.Schema(), func(text string) int {
		_, err := cue.Parse("matrix.yaml", []byte(text))
		if all, listed := errors.AsType[rules.Errors](err); listed || err == nil {
			return len(all)
		}
		return 1000
	})
}

// edits returns texts of sheets: with many keys of a mapping at once, and with each key alone,
// valid and invalid.
func edits(t *testing.T) []string {
	t.Helper()
	texts, err := sheetTexts()
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// short names shorter sounds, which rooms decode sooner.
var short = strings.NewReplacer("coin", "blip", "bell", "hat")

// sheetTexts makes the texts of edits.
var sheetTexts = sync.OnceValues(func() (texts []string, err error) {
	m, err := sheets()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	add := func(c schematest.Case) {
		if text := short.Replace(c.File.Flow()); !seen[text] {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	for c := range m.Cover() {
		add(c)
	}
	n, every := 0, 4
	if !longtest.Enabled() {
		every = 48
	}
	fresh := map[string]bool{} // the short variants of tests try a key that occurs in several places once
	for c := range m.Singles(false) {
		key := fmt.Sprint(c.Keys[0].Name, c.Keys[0].Good[:1])
		if n++; c.Good && (!fresh[key] || longtest.Enabled()) || n%every == 0 {
			add(c)
		}
		fresh[key] = fresh[key] || c.Good
	}
	return texts, nil
})

// located matches an error with the line and the column of a sheet.
var located = regexp.MustCompile(`[a-z0-9]+(\.yaml)?:[1-9][0-9]*:[1-9][0-9]*: `)

// steady makes a room with a loop. plays checks that the loop plays through changes of other rooms.
func (s *running) steady() (plays func()) {
	s.is("PUT /v1/rooms/steady", "sounds: {coin: {loop: true}}", 201, "")
	s.is("POST /v1/rooms/steady/play", `{"sound":"coin"}`, 201, "playing")
	return func() {
		s.t.Helper()
		s.is("GET /v1/rooms/steady/state", "", 200, `"playing":1,`)
	}
}

// TestRoomsTakeEveryKey puts sheets with each key into rooms, alone and with as many others as
// possible. Each rejection must have a line and a column.
func TestRoomsTakeEveryKey(t *testing.T) {
	t.Parallel()
	inBubble(roomsTakeEveryKey)(t)
}

func roomsTakeEveryKey(t *testing.T) {
	in := t.TempDir()
	config := filepath.Join(in, "c.yaml")
	if err := os.WriteFile(filepath.Join(in, "show.yaml"), []byte("sounds: {coin: {}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("rooms: {main: {sheet: show.yaml}}\nlimits: {requests: 1000000, requests_per_address: 1000000}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := run(t, Options{Config: config})
	plays := s.steady()
	var made, taken, refused atomic.Int64
	put := func(room, text string) {
		status, answer := s.ask("PUT /v1/rooms/"+room, text)
		var problem struct{ Detail string }
		json.Unmarshal([]byte(answer), &problem)
		switch {
		case status == 201:
			made.Add(1)
		case status == 200:
			taken.Add(1)
		case status == 429 || strings.Contains(problem.Detail, "`rate` is"): // of the server, and of the room
			refused.Add(1)
		case status == 400:
			if refused.Add(1); !located.MatchString(problem.Detail) {
				t.Errorf("%s has no line and column\n%s", answer, text)
			}
		default:
			t.Errorf("%d %s\n%s", status, answer, text)
		}
	}
	all := edits(t)
	const rooms = 8 // they change at once
	var done sync.WaitGroup
	for i := range rooms {
		done.Go(func() {
			for j := i; j < len(all) && !t.Failed(); j += rooms {
				put(fmt.Sprint("edited", i), all[j])
				if j%5 == 0 {
					room := fmt.Sprint("new", i)
					put(room, all[j])
					s.ask("DELETE /v1/rooms/"+room+"?over=0", "")
				}
				if j%64 == i {
					plays()
				}
			}
			s.is(fmt.Sprintf("GET /v1/rooms/edited%d/state", i), "", 200, "")
		})
	}
	done.Wait()
	plays()
	t.Logf("%d made, %d taken, %d refused", made.Load(), taken.Load(), refused.Load())
	least := int64(len(all) / 2)
	if longtest.Enabled() {
		least = 500
	}
	if made.Load() < least/5 || taken.Load() < least || refused.Load() < 10 {
		t.Error("they are too few")
	}
}

// reloaded is a server that reloads its files.
type reloaded struct {
	*running
	folder  string
	hangUps chan struct{}
}

// configured starts a server with some files. Its configuration is c.yaml.
func configured(t *testing.T, files map[string]string) *reloaded {
	t.Helper()
	s := &reloaded{running: &running{t: t}, folder: t.TempDir(), hangUps: make(chan struct{})}
	for name, text := range files {
		s.write(name, text)
	}
	s.running = run(t, Options{Config: filepath.Join(s.folder, "c.yaml"), Hangups: s.hangUps})
	return s
}

func (s *reloaded) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.folder, name), []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// hangUp makes the server reload its configuration, and returns its log lines.
func (s *reloaded) hangUp() string {
	synctest.Wait() // the second reload of the call before has ended
	s.mutex.Lock()
	s.lines = nil
	s.mutex.Unlock()
	s.hangUps <- struct{}{}
	s.hangUps <- struct{}{} // received when the first reload is done
	return s.said()
}

// TestHangUpsTakeEveryKey changes the sheets of rooms at a SIGHUP to sheets with each key, alone
// and with as many others as possible. Each rejection must have a line and a column.
func TestHangUpsTakeEveryKey(t *testing.T) {
	t.Parallel()
	inBubble(hangUpsTakeEveryKey)(t)
}

func hangUpsTakeEveryKey(t *testing.T) {
	const rooms = 24
	config, first := "limits: {requests: 1000000, requests_per_address: 1000000}\nrooms:\n", map[string]string{}
	for i := range rooms {
		config += fmt.Sprintf("  r%d: {sheet: r%d.yaml}\n", i, i)
		first[fmt.Sprintf("r%d.yaml", i)] = "rate: 8000\nsounds: {coin: {}}\n"
	}
	first["c.yaml"] = config
	s := configured(t, first)
	plays := s.steady()
	all := edits(t)
	changed, kept, least := 0, 0, len(all)/2
	if longtest.Enabled() {
		least = 500
	}
	for len(all) > 0 {
		n := min(rooms, len(all))
		for i, text := range all[:n] {
			s.write(fmt.Sprintf("r%d.yaml", i), text)
		}
		said := s.hangUp()
		if !strings.Contains(said, "the configuration is reloaded") {
			t.Fatalf("it says %s", said)
		}
		refused := map[string]bool{} // the second reload rejects them, too
		for line := range strings.Lines(said) {
			if room, _, stays := strings.Cut(line, " stays as it is: "); stays {
				if refused[room] = true; !located.MatchString(line) && !strings.Contains(line, "`rate` is") {
					t.Errorf("it says %s", line)
				}
			}
		}
		changed, kept, all = changed+n-len(refused), kept+len(refused), all[n:]
		plays()
		for i := range n {
			s.is(fmt.Sprintf("GET /v1/rooms/r%d/state", i), "", 200, "")
		}
	}
	t.Logf("%d sheets were taken, and %d refused", changed, kept)
	if changed < least || kept < least/25 {
		t.Errorf("%d sheets were taken and %d refused: too few", changed, kept)
	}
}

// TestHangUpsTakeEveryKeyOfTheConfiguration reloads configurations with each key, valid and
// invalid. An error must have a line and a column, or name another unreadable file. Rooms play on.
func TestHangUpsTakeEveryKeyOfTheConfiguration(t *testing.T) {
	t.Parallel()
	inBubble(hangUpsTakeEveryKeyOfTheConfiguration)(t)
}

func hangUpsTakeEveryKeyOfTheConfiguration(t *testing.T) {
	const room = "rooms: {main: {sheet: show.yaml}}\n"
	s := configured(t, map[string]string{"c.yaml": room, "show.yaml": "sounds: {coin: {loop: true}}\n"})
	plays := s.steady()
	s.is("POST /v1/rooms/main/play", `{"sound":"coin"}`, 201, "playing")
	read, refused, bare := 0, 0, 0
	try := func(c schematest.Case) {
		text := c.File.Flow()
		if strings.Contains(text, "pulse") { // it depends on the machine
			return
		}
		if built := !strings.Contains(text, "sheet:") && !strings.Contains(text, "bank:"); built && !longtest.Enabled() {
			// A room without a sheet decodes all built-in sounds, so every fourth such room is one.
			if bare++; bare%4 != 1 {
				text = strings.NewReplacer("main: {}", "main: {sheet: show.yaml}", "main: {", "main: {sheet: show.yaml, ").Replace(text)
			}
		}
		s.write("c.yaml", text)
		switch said := s.hangUp(); {
		case strings.Contains(said, "the configuration is reloaded"):
			read++
		case strings.Contains(said, "not reloaded, the old configuration stays in use: "):
			if refused++; !located.MatchString(said) && (strings.Contains(said, "c.yaml") || !strings.Contains(said, s.folder)) {
				t.Errorf("it says %s\n%s", said, text)
			}
		default:
			t.Errorf("it says %s\n%s", said, text)
		}
	}
	m := configs(t)
	for c := range m.Cover() {
		try(c)
	}
	n := 0
	for c := range m.Singles(false) {
		if n++; c.Good || n%2 == 0 || longtest.Enabled() {
			try(c)
		}
	}
	plays()
	s.write("c.yaml", room)
	s.hangUp()
	s.is("GET /v1/rooms/main/state", "", 200, `"room":"main"`)
	t.Logf("%d configurations were read, and %d refused", read, refused)
	if read < 20 || refused < 20 {
		t.Errorf("%d configurations were read and %d refused: too few", read, refused)
	}
}
