package bank_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"voicepool/bank"
	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// musicModel is a slow model of a theme. It finds points by counting frames one by one, and the times of its beats are
// rational numbers.
type musicModel struct {
	rate     int
	segments []*modelSegment
	rows     []modelRow

	now     int64
	current *modelSegment // nil: the theme does not play
	pos     int64
	begun   bool // the start of current has been recorded
	paused  bool

	to          *modelSegment // of the transition under way; may be nil
	planned     bool          // false while the theme is paused
	started     bool          // the start of to has been recorded
	start, exit int64

	transitions int

	events   []bank.MusicEvent
	claps    []int64         // frames of quantized starts to come
	starts   []string        // "NAME FRAME"
	optional map[string]bool // starts that end at their first frame
}

type modelRow struct{ from, to, at string }

type modelSegment struct {
	name, text     string
	frames, pickup int64
	loop           [2]int64
	next           *modelSegment
	exits          []string
	beats          []int64  // positions
	at             [][2]int // by beat: bar and beat of the bar
	markers        map[string]int64
	known          map[string][]bool // results of isAt, by position
}

// table returns the results of isAt by position.
func (s *modelSegment) table(point string) []bool {
	if s.known[point] == nil {
		all := make([]bool, s.frames+1)
		for i := range all {
			all[i] = s.isAt(int64(i), point)
		}
		s.known[point] = all
	}
	return s.known[point]
}

// isAt reports whether a position of s is at a point.
func (s *modelSegment) isAt(pos int64, point string) bool {
	if name, ok := strings.CutPrefix(point, "marker "); ok {
		m, ok := s.markers[name]
		return ok && m == pos
	}
	i, ok := slices.BinarySearch(s.beats, pos)
	if !ok || point == "beat" {
		return ok
	}
	every := 1
	if point != "bar" {
		fmt.Sscanf(point, "%d bars", &every)
	}
	return s.at[i][1] == 1 && (s.at[i][0]-1)%every == 0
}

// step returns the place one frame later. At the end of the last segment it returns the same place.
func (s *modelSegment) step(pos int64) (*modelSegment, int64) {
	switch pos++; {
	case s.loop[1] > 0 && pos == s.loop[1]:
		return s, s.loop[0]
	case pos == s.frames && s.next != nil:
		return s.next, 0
	}
	return s, min(pos, s.frames)
}

// find returns the first frame from earliest with a point, and whether there is one. Otherwise it returns the end of
// the music, at least earliest, or -1 without an end.
func (m *musicModel) find(earliest int64, points func(*modelSegment) []string) (int64, bool) {
	s, pos := m.current, m.pos
	var of *modelSegment
	var tables [][]bool
	over := false // the segment before the exit has ended
	for frame := m.now; frame < m.now+5*int64(m.rate); frame++ {
		if m.planned && frame == m.exit {
			s, pos, over = m.to, m.to.pickup, false
		}
		if of != s {
			of, tables = s, nil
			for _, p := range points(s) {
				tables = append(tables, s.table(p))
			}
		}
		if frame >= earliest && pos >= 0 && !over {
			for _, at := range tables {
				if at[pos] {
					return frame, true
				}
			}
		}
		if over = pos == s.frames; over && !(m.planned && frame < m.exit) {
			return max(frame, earliest), false
		}
		s, pos = s.step(pos)
	}
	return -1, false
}

// plan plans the transition to m.to and reports whether there is an exit.
func (m *musicModel) plan() bool {
	frame, _ := m.find(m.now+m.to.pickup, func(s *modelSegment) []string {
		for _, r := range m.rows {
			if (r.from == "any" || r.from == s.name) && (r.to == "any" || r.to == m.to.name) {
				if r.at != "" {
					return []string{r.at}
				}
				break
			}
		}
		return s.exits
	})
	if frame < 0 {
		m.to = nil
		return false
	}
	m.exit, m.start, m.planned, m.started = frame, frame-m.to.pickup, true, false
	return true
}

// cancel drops the commands of the transition.
func (m *musicModel) cancel() {
	if m.planned && m.start == m.now {
		m.optional[fmt.Sprint(m.to.name, " ", m.now)] = true
	}
	m.planned = false
}

// complete completes the transition if its exit has come.
func (m *musicModel) complete() {
	if !m.planned || m.exit > m.now {
		return
	}
	if m.current != nil && m.pos == 0 {
		m.optional[fmt.Sprint(m.current.name, " ", m.now)] = true
	}
	m.noteStart()
	m.transitions++
	m.current, m.pos, m.begun, m.to, m.planned = m.to, m.to.pickup, true, nil, false
}

// noteStart records the start of the transition if it is due.
func (m *musicModel) noteStart() {
	if m.planned && !m.started && m.start <= m.now {
		m.started = true
		m.starts = append(m.starts, fmt.Sprint(m.to.name, " ", m.now))
	}
}

// reach makes the changes that happen before the frame m.now.
func (m *musicModel) reach() {
	m.claps = slices.DeleteFunc(m.claps, func(frame int64) bool {
		if frame == m.now {
			m.starts = append(m.starts, fmt.Sprint("clap ", frame))
		}
		return frame == m.now
	})
	m.noteStart()
	m.complete()
	if m.current != nil && m.pos == m.current.frames {
		m.current = nil
	}
	if m.current != nil && m.pos == 0 && !m.begun {
		m.begun = true
		m.starts = append(m.starts, fmt.Sprint(m.current.name, " ", m.now))
	}
}

// run advances the model by n frames.
func (m *musicModel) run(n int64) {
	for range n {
		m.reach()
		m.noteEvents()
		m.now++
		if m.current == nil || m.paused {
			continue
		}
		before := m.current
		if m.current, m.pos = before.step(m.pos); m.current != before {
			m.begun = false
		}
	}
	m.reach()
}

// noteEvents records the beat and the marker of the frame m.now.
func (m *musicModel) noteEvents() {
	if m.current == nil || m.paused || m.pos < 0 {
		return
	}
	isBeat, isMarker := m.current.table("beat")[m.pos], m.current.table("marker m")[m.pos]
	if !isBeat && !isMarker {
		return
	}
	p := m.position()
	one := bank.MusicEvent{Segment: p.Segment, Bar: p.Bar, Beat: p.Beat, Frame: m.now}
	if isBeat {
		m.events = append(m.events, one)
	}
	if isMarker {
		one.Marker = "m"
		m.events = append(m.events, one)
	}
}

// position returns the place as Music.Position does.
func (m *musicModel) position() bank.Position {
	if m.current == nil {
		return bank.Position{}
	}
	p := bank.Position{Segment: m.current.name, Frame: m.now}
	for i, b := range m.current.beats {
		if b <= m.pos {
			p.Bar, p.Beat = m.current.at[i][0], m.current.at[i][1]
		}
	}
	return p
}

// drawSegment returns a random segment and its sound.
func drawSegment(r *rand.Rand, name string, rate int) (*modelSegment, *fstest.MapFile) {
	s := &modelSegment{name: name, frames: int64(rate/4 + r.IntN(rate/2)), markers: map[string]int64{}, known: map[string][]bool{}}
	var b strings.Builder
	fmt.Fprintf(&b, "{file: %s.wav", name)
	switch r.IntN(3) {
	case 0:
		s.loop = [2]int64{0, s.frames}
		b.WriteString(", loop: true")
	case 1:
		from, to := r.IntN(200), 201+r.IntN(49)
		s.loop = [2]int64{int64((from*rate + 500) / 1000), int64((to*rate + 500) / 1000)}
		fmt.Fprintf(&b, ", loop: {from: %dms, to: %dms}", from, to)
	}
	// The map of the tempo: changes with bar, bpm in thousandths, meter.
	type change struct {
		bar, bpm    int
		ramp        bool
		beats, unit int
	}
	changes := []change{{bar: 1, bpm: 200000 + r.IntN(800001), beats: 1 + r.IntN(7), unit: 1 << (1 + r.IntN(4))}}
	for range r.IntN(4) {
		c := change{bar: changes[len(changes)-1].bar + 1 + r.IntN(3)}
		if r.IntN(3) > 0 {
			c.bpm, c.ramp = 200000+r.IntN(800001), r.IntN(2) == 0
		}
		if c.bpm == 0 || r.IntN(2) == 0 {
			c.beats, c.unit = 1+r.IntN(7), 1<<(1+r.IntN(4))
		}
		changes = append(changes, c)
	}
	b.WriteString(", tempo: [")
	for i, c := range changes {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "{bar: %d", c.bar)
		if c.bpm > 0 {
			fmt.Fprintf(&b, ", bpm: %d.%03d, ramp: %v", c.bpm/1000, c.bpm%1000, c.ramp)
		}
		if c.beats > 0 {
			fmt.Fprintf(&b, ", meter: %d/%d", c.beats, c.unit)
		}
		b.WriteString("}")
	}
	b.WriteString("]")
	half := func(x *big.Rat) int64 {
		x = new(big.Rat).Add(new(big.Rat).Mul(x, big.NewRat(int64(rate), 1)), big.NewRat(1, 2))
		return new(big.Int).Div(x.Num(), x.Denom()).Int64()
	}
	beat := func(bpm *big.Rat, unit int) *big.Rat { return new(big.Rat).Quo(big.NewRat(240, int64(unit)), bpm) }
	offset := int64(0)
	if r.IntN(3) == 0 {
		beats := int64(1 + r.IntN(2))
		x := new(big.Rat).Mul(big.NewRat(beats, 1), beat(big.NewRat(int64(changes[0].bpm), 1000), changes[0].unit))
		if half(x) < s.frames/2 && (s.loop[1] == 0 || half(x) < s.loop[1]) {
			s.pickup, offset = half(x), half(x)
			fmt.Fprintf(&b, ", pickup: %d beats", beats)
		}
	}
	if r.IntN(3) == 0 {
		ms := r.IntN(100)
		offset = int64((ms*rate + 500) / 1000)
		fmt.Fprintf(&b, ", offset: %dms", ms)
	}
	// The beats, one by one.
	at, bar, inBar, k := new(big.Rat), 1, 1, 0
	beats, unit, from, to, steps := 0, 0, new(big.Rat), new(big.Rat), 0
	for {
		if inBar == 1 {
			for i, c := range changes {
				if c.bar != bar {
					continue
				}
				if c.beats > 0 {
					beats, unit = c.beats, c.unit
				}
				if c.bpm == 0 {
					continue
				}
				from, k, steps = big.NewRat(int64(c.bpm), 1000), 0, 0
				n, per := 0, beats // beats until the next tempo
				for j := i + 1; j < len(changes); j++ {
					n += (changes[j].bar - changes[j-1].bar) * per
					if changes[j].beats > 0 {
						per = changes[j].beats
					}
					if changes[j].bpm > 0 {
						if changes[j].ramp {
							to, steps = big.NewRat(int64(changes[j].bpm), 1000), n
						}
						break
					}
				}
			}
		}
		p := offset + half(at)
		if p > s.frames {
			break
		}
		s.beats, s.at = append(s.beats, p), append(s.at, [2]int{bar, inBar})
		bpm := from
		if steps > 0 {
			bpm = new(big.Rat).Sub(to, from)
			bpm.Mul(bpm, big.NewRat(int64(k), int64(steps)))
			bpm.Add(bpm, from)
		}
		at.Add(at, beat(bpm, unit))
		if k, inBar = k+1, inBar+1; inBar > beats {
			bar, inBar = bar+1, 1
		}
	}
	if r.IntN(2) == 0 || name == "a" { // points need a marker of any segment
		ms := r.IntN(250)
		s.markers["m"] = int64((ms*rate + 500) / 1000)
		fmt.Fprintf(&b, ", markers: {m: %dms}", ms)
	}
	s.exits = []string{"bar"}
	if r.IntN(2) == 0 {
		s.exits = []string{drawPoint(r), drawPoint(r)}
		fmt.Fprintf(&b, ", exits: [%s]", strings.Join(s.exits, ", "))
	}
	s.text = b.String()
	return s, toneAt(int(s.frames), rate)
}

// toneAt returns a quiet WAV file at a rate of rate Hz.
func toneAt(frames, rate int) *fstest.MapFile {
	wav := tone(frames, 0.01)
	binary.LittleEndian.PutUint32(wav.Data[24:], uint32(rate))
	binary.LittleEndian.PutUint32(wav.Data[28:], uint32(4*rate))
	return wav
}

func drawPoint(r *rand.Rand) string {
	return [...]string{"beat", "bar", "2 bars", "3 bars", "marker m"}[r.IntN(5)]
}

// runMusicModel compares a random theme with its model, and returns the number of transitions.
func runMusicModel(t *testing.T, seed uint64, calls int) int {
	r := rand.New(rand.NewPCG(seed, 40))
	m := &musicModel{rate: [...]int{8000, 8000, 8000, 11025, 22050, 44100, 48000, 96000, 192000}[r.IntN(9)], optional: map[string]bool{}}
	fsys := fstest.MapFS{"clap.wav": toneAt(10, m.rate)}
	for i := range 2 + r.IntN(3) {
		s, wav := drawSegment(r, string(rune('a'+i)), m.rate)
		m.segments, fsys[s.name+".wav"] = append(m.segments, s), wav
	}
	text := "voices: 64\nmaster: {limiter: false}\nsounds: {clap: {file: clap.wav}}\nmusic:\n  theme:\n    segments:\n"
	for i, s := range m.segments {
		if s.loop[1] == 0 && i+1 < len(m.segments) && r.IntN(4) > 0 {
			s.next = m.segments[i+1+r.IntN(len(m.segments)-i-1)]
			s.text += ", next: " + s.next.name
		}
		text += fmt.Sprintf("      %s: %s}\n", s.name, s.text)
	}
	text += "    transitions:\n"
	name := func() string {
		if r.IntN(3) == 0 {
			return "any"
		}
		return m.segments[r.IntN(len(m.segments))].name
	}
	for range 1 + r.IntN(4) {
		row := modelRow{from: name(), to: name()}
		text += fmt.Sprintf("      - {from: %s, to: %s", row.from, row.to)
		if r.IntN(3) > 0 {
			row.at = drawPoint(r)
			text += ", at: next " + row.at
		}
		text += [...]string{"", ", fade_out: 30ms", ", crossfade: 1 beat", ", crossfade: 20ms"}[r.IntN(4)] + "}\n"
		m.rows = append(m.rows, row)
	}
	fsys["sounds.yaml"] = &fstest.MapFile{Data: []byte(text)}
	b, err := bank.Open(fsys, "sounds.yaml", library.NewLibrary(library.Options{Rate: m.rate}))
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	mix, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	defer mix.Close()
	mu, err := b.Music("theme")
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	mu.Events(nil)
	passed, few := []bank.MusicEvent{}, make([]bank.MusicEvent, 100)
	var log []string
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("seed %d: %s\n%s\n%s", seed, fmt.Sprintf(format, args...), text, strings.Join(log[max(len(log)-12, 0):], "\n"))
	}
	block, events := make([]pcm.Frame, 4096), make([]mixer.Event, 256)
	var got []string
	for range calls {
		var err error
		switch call := r.IntN(12); {
		case call < 5:
			n := 1 + r.IntN([...]int{4, 64, 1024, 4096}[r.IntN(4)])
			log = append(log, fmt.Sprint("render ", n))
			mix.Render(block[:n])
			m.run(int64(n))
			for n := mix.Events(events); n > 0; n = mix.Events(events) {
				for i, e := range events[:n] {
					cancelled := slices.ContainsFunc(events[i:n], func(o mixer.Event) bool {
						return o.Kind == mixer.EventStopped && o.Voice == e.Voice && o.Frame == e.Frame
					})
					if e.Kind == mixer.EventStarted && e.Voice != 0 && !cancelled {
						got = append(got, fmt.Sprint(e.Sound.Name(), " ", e.Frame))
					}
				}
			}
			must := func(all []string) []string {
				all = slices.DeleteFunc(slices.Clone(all), func(s string) bool { return m.optional[s] })
				slices.Sort(all)
				return slices.Compact(all)
			}
			// The model has recorded the starts of the next frame already.
			next := fmt.Sprint(" ", m.now)
			want := slices.DeleteFunc(must(m.starts), func(s string) bool { return strings.HasSuffix(s, next) })
			if have := must(got); !slices.Equal(have, want) {
				fail("starts %v\nwant %v", have[max(len(have)-6, 0):], want[max(len(want)-6, 0):])
			}
			keep := func(s string) bool { return !strings.HasSuffix(s, next) }
			m.starts, got = slices.DeleteFunc(m.starts, keep), nil
		case call < 7:
			if m.complete(); m.current == nil {
				m.segments[0].begin(m, int64(r.IntN(100)))
				log = append(log, fmt.Sprint("play at ", m.now-m.pos))
				err = mu.PlayAt(m.now-m.pos, bank.Options{})
				break
			}
			to := m.segments[r.IntN(len(m.segments))]
			log = append(log, "go "+to.name)
			before := *m
			m.cancel()
			m.to = to
			ok := m.paused || m.plan()
			if !ok { // the transition before stays
				m.to, m.planned, m.started, m.start, m.exit = before.to, before.planned, before.started, before.start, before.exit
			}
			if err = mu.Go(to.name); !ok && errors.Is(err, mixer.ErrOption) {
				err = nil
			} else if !ok {
				fail("no exit, but the error %v", err)
			}
		case call == 7 && m.current != nil && m.pos >= 0:
			log = append(log, "pause")
			m.complete()
			m.cancel()
			m.paused = true
			err = mu.Pause()
		case call == 8 && m.current != nil && m.paused:
			log = append(log, "resume")
			m.complete()
			m.paused = false
			if ok := m.to == nil || m.plan(); ok {
				err = mu.Resume()
			} else if err = mu.Resume(); errors.Is(err, mixer.ErrOption) {
				err = nil
			}
		case call == 9 && m.current != nil && m.pos > 0:
			m.complete()
			end := m.current.frames
			if m.current.loop[1] > 0 {
				end = m.current.loop[1]
			}
			to := r.Int64N(end)
			log = append(log, fmt.Sprint("seek ", to))
			m.cancel()
			m.pos = to
			ok := m.to == nil || m.paused || m.plan()
			if err = mu.Seek(pcm.Duration(to, m.rate)); !ok && errors.Is(err, mixer.ErrOption) {
				err = nil
			}
		case call >= 10:
			point := drawPoint(r)
			m.complete()
			want := int64(mixer.Now)
			if m.current != nil {
				if frame, ok := m.find(m.now, func(*modelSegment) []string { return []string{point} }); ok {
					want = frame
				}
			}
			if frame := mu.Next(bank.Point(point)); frame != want {
				fail("%s is at %d, want %d", point, frame, want)
			}
			log = append(log, fmt.Sprint("clap at ", point))
			_, clap := b.Play("clap", bank.Options{Quantize: bank.Point(point)})
			if want == mixer.Now || m.paused {
				if !errors.Is(clap, mixer.ErrOption) {
					fail("a clap without a point: %v", clap)
				}
			} else if err = clap; err == nil {
				m.claps = append(m.claps, want)
			}
		}
		if err != nil {
			fail("%v", err)
		}
		m.complete()
		if r.IntN(4) == 0 || len(m.events) > 150 {
			for n := len(few); n == len(few); {
				n = mu.Events(few)
				passed = append(passed, few[:n]...)
			}
			if !slices.Equal(passed, m.events) {
				fail("events %v\nwant %v", passed, m.events)
			}
			passed, m.events = passed[:0], m.events[:0]
		}
		if p := mu.Position(); p != m.position() {
			fail("at %+v, want %+v", p, m.position())
		}
	}
	return m.transitions
}

// begin starts s in the model after delay frames.
func (s *modelSegment) begin(m *musicModel, delay int64) {
	m.cancel()
	m.current, m.pos, m.begun, m.paused, m.to = s, -delay, false, false, nil
}

// TestMusicModel compares random themes with a model: tempo maps with ramps, meters, pickups, offsets, loops,
// transitions, pauses, seeks, quantized starts and events, at 8 to 192 kHz in blocks of 1 to 4096 frames. With
// VOICEPOOL_LONG=1 it makes 1,000 transitions, and with VOICEPOOL_LONG=day 100,000, which takes about an hour.
func TestMusicModel(t *testing.T) {
	want, calls := 100, 400
	switch {
	case longtest.Day():
		want, calls = 100_000, 2000
	case longtest.Enabled():
		want, calls = 1000, 2000
	}
	transitions, themes := 0, uint64(0)
	for ; transitions < want; themes++ {
		transitions += runMusicModel(t, themes, calls)
		if themes%100 == 99 {
			t.Logf("%d transitions in %d themes", transitions, themes+1)
		}
	}
	t.Logf("%d transitions in %d themes", transitions, themes)
}
