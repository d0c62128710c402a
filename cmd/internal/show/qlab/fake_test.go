package qlab

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/show/showrun"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/internal/leak"
	"voicepool/mixer"
	"voicepool/pcm"
)

func TestMain(m *testing.M) { leak.Main(m) }

const sheet = `
buses: {music: {}, sfx: {}}
scenes: {night: {}}
list:
  - {cue: 1, name: House music, note: doors, colour: Red, play: theme, id: house, loop: true, bus: music}
  - {cue: 2, name: Rain, play: rain, id: rain, loop: true, then: continue, wait: 1s}
  - {cue: 2.5, name: Thunder, play: explosion}
  - {cue: 3, name: Spare, play: coin, arm: false}
  - {cue: Q4, name: Blackout, pre: 500ms, stop: all, over: 500ms}
`

// player plays no sound and records its calls.
type player struct {
	mixer *mixer.Mixer
	sheet *cue.Sheet

	mutex   sync.Mutex
	asked   []string
	playing []play.Running
}

func (p *player) note(format string, args ...any) {
	p.asked = append(p.asked, fmt.Sprintf(format, args...))
}

func (p *player) FireFrom(list int, from time.Duration) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.note("fire %s", p.sheet.List[list].Number)
	p.playing = append(p.playing, play.Running{List: list, StartFrame: 0, Remaining: -1})
	return nil
}

func (p *player) Panic(over time.Duration) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.note("panic %v", over)
	p.playing = nil
}

func (p *player) StopCue(list int, over time.Duration) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.note("cease %s %v", p.sheet.List[list].Number, over)
	p.playing = slices.DeleteFunc(p.playing, func(r play.Running) bool { return r.List == list })
}

func (p *player) Hold(on bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.note("hold %v", on)
}

func (p *player) Playing() []play.Running {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return slices.Clone(p.playing)
}

func (p *player) Trim(int, pcm.Decibels)   {}
func (p *player) Do(words ...string) error { return fmt.Errorf("cue: no action: %v", words) }
func (p *player) Standby() int             { return 0 }
func (p *player) Finish()                  {}
func (p *player) Mixer() *mixer.Mixer      { return p.mixer }

// take returns and clears the recorded calls.
func (p *player) take() string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	defer func() { p.asked = nil }()
	return strings.Join(p.asked, ", ")
}

// fake is a room without sound.
type fake struct {
	*player
	show *showrun.Show
	done chan struct{}

	fails error
}

func newFake(t testing.TB, text string) *fake {
	t.Helper()
	s, err := cue.Parse("show.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := mixer.New(s.Config())
	if err != nil {
		t.Fatal(err)
	}
	p := &player{mixer: m, sheet: s}
	return &fake{player: p, show: showrun.New(s, p, showrun.Options{}), done: make(chan struct{})}
}

func (f *fake) Show() *showrun.Show   { return f.show }
func (f *fake) Sheet() *cue.Sheet     { return f.sheet }
func (f *fake) Done() <-chan struct{} { return f.done }

func (f *fake) State() *room.State {
	st := f.show.State()
	return &room.State{
		Room: "main", Title: st.Show, Paused: st.Paused, Standby: st.Standby, Loaded: st.Loaded, Last: st.Last, List: st.List, Running: st.Running,
		Sounds: []room.Sound{{Sound: "theme", Seconds: 8}, {Sound: "rain", Seconds: 4}},
	}
}

func (f *fake) Levels() (*room.Levels, int64, bool) {
	st := f.show.State()
	hash := fnv.New64()
	fmt.Fprint(hash, st.List, st.Standby, st.Last, st.Loaded)
	return &room.Levels{Standby: st.Standby, Paused: st.Paused, Running: st.Running}, int64(hash.Sum64() >> 1), false
}

// did records an order to a room and returns the error set by the test.
func (f *fake) did(format string, args ...any) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.note(format, args...)
	return f.fails
}

func (f *fake) Play(o room.PlayRequest) (room.PlayResult, error) {
	loop, at := "", ""
	if o.Loop != nil {
		loop = fmt.Sprint(*o.Loop)
	}
	if o.When.At != nil {
		at = o.When.At.String()
	}
	importance := ""
	if o.Importance != 0 {
		importance = fmt.Sprintf(" importance=%g", o.Importance)
	}
	return room.PlayResult{Voice: 17, Sound: o.Sound, ID: o.ID, State: "playing"},
		f.did("play %s gain=%g pan=%g pitch=%g speed=%g bus=%s loop=%s priority=%d%s id=%s fade_in=%v from=%v at=%s", o.Sound, o.Gain, o.Pan, o.Pitch, o.Speed, o.Bus, loop, o.Priority, importance, o.ID, o.FadeIn, o.From, at)
}

func (f *fake) Set(target string, m room.VoiceChange) ([]uint64, error) {
	text := "set " + target
	for name, x := range map[string]*float64{"gain": m.Gain, "pan": m.Pan, "pitch": m.Pitch, "speed": m.Speed} {
		if x != nil {
			text += fmt.Sprintf(" %s=%g", name, *x)
		}
	}
	if m.Seek != nil {
		text += fmt.Sprintf(" seek=%v", *m.Seek)
	}
	if m.Pause != nil {
		text += fmt.Sprintf(" pause=%v", *m.Pause)
	}
	return []uint64{17}, f.did("%s over=%v shape=%s", text, m.Over, m.Shape)
}

func (f *fake) Stop(target string, over time.Duration, _ room.Moment) ([]uint64, error) {
	return []uint64{17}, f.did("stop %s %v", target, over)
}

func (f *fake) SetBus(bus string, m room.BusChange) (room.Bus, error) {
	b := room.Bus{Bus: bus}
	if m.Gain != nil {
		b.Gain = *m.Gain
	}
	if m.Mute != nil {
		b.Mute = *m.Mute
	}
	cutoffs := ""
	if m.Volume != nil {
		b.Volume = *m.Volume
		cutoffs += fmt.Sprintf(" volume=%g", b.Volume)
	}
	if m.LowPass != nil {
		cutoffs += fmt.Sprintf(" lowpass=%g", *m.LowPass)
	}
	if m.HighPass != nil {
		cutoffs += fmt.Sprintf(" highpass=%g", *m.HighPass)
	}
	return b, f.did("bus %s gain=%g mute=%v over=%v%s", bus, b.Gain, b.Mute, m.Over, cutoffs)
}

func (f *fake) CheckScene(string, time.Duration) error { return nil }

func (f *fake) Schedule(when room.Moment, what string, do func() error) (int64, bool, error) {
	if when.At == nil {
		return 0, false, nil
	}
	return int64(when.At.Seconds() * 48000), true, f.did("later %s at %v", what, *when.At)
}

func (f *fake) Scene(name string, over time.Duration) error { return f.did("scene %s %v", name, over) }
