package steal

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"voicepool/pcm"
)

// ErrScene is wrapped by the errors of NewScene.
var ErrScene = errors.New("steal: no such scene")

// Event is one start.
type Event struct {
	At    int64        // frame
	Sound int          // index in the corpus
	Gain  pcm.Decibels // in steps of 0.01
	Pan   float64      // -1..+1, in steps of 0.01
	Speed float64      // 0.92, 1 or 1.09
	Stop  int64        // for a loop: the frame at which it is stopped; 0: no loop

	Wall  Wall   // between the emitter and the listener
	Moves []Move // of a loop, by frame
	Bus   string // empty: the default bus
}

// Move is a change of gain and pan that begins at a frame and lasts moveFrames.
type Move struct {
	At   int64
	Gain pcm.Decibels // in steps of 0.01
	Pan  float64      // in steps of 0.01
}

// moveFrames is the interval between the moves of a loop.
const moveFrames = Rate / 2

// Pause holds the voices of a bus between two frames.
type Pause struct {
	Bus      string
	From, To int64
}

// Scene is a list of starts that a game requests within some seconds.
type Scene struct {
	Name   string
	Seed   uint64
	Frames int64   // length; playing sounds are cut at its end
	Events []Event // sorted by frame
	Pause  Pause   // the zero value: no pause
}

// Separable reports whether Parts can render the events of the scene alone. Scenes with moves or a pause are not
// separable.
func (s *Scene) Separable() bool {
	return s.Pause.Bus == "" && !slices.ContainsFunc(s.Events, func(e Event) bool { return e.Moves != nil })
}

// SceneFrames is the length of each scene that is not cut.
const SceneFrames = sceneSeconds * Rate

const sceneSeconds = 8

// Scenes returns the names of all scenes, in the order of the table.
func Scenes() (names []string) {
	for _, s := range scenes {
		names = append(names, s.name)
	}
	return names
}

var scenes = [...]struct {
	name string
	make func(*sceneBuilder)
}{
	{"fire", (*sceneBuilder).fire}, {"plat", (*sceneBuilder).plat}, {"rts", (*sceneBuilder).rts},
	{"amb", (*sceneBuilder).amb}, {"rhythm", (*sceneBuilder).rhythm}, {"walls", (*sceneBuilder).walls},
	{"engines", (*sceneBuilder).engines}, {"crowd", (*sceneBuilder).crowd}, {"music", (*sceneBuilder).music}, {"menu", (*sceneBuilder).menu},
}

// NewScene makes the built-in test scene called name: a list of the starts that a game would request within 8 seconds.
// The starts are drawn with seed and refer to the sounds of corpus. Equal arguments give equal scenes. If the name is
// unknown, the error wraps ErrScene and lists the known names. If corpus lacks a kind of sound that the scene uses,
// NewScene panics; see Lacks.
func NewScene(name string, seed uint64, corpus []Recording) (*Scene, error) {
	s := &sceneBuilder{Scene: Scene{Name: name, Seed: seed, Frames: SceneFrames}, random: newRandom(seed, name), kinds: map[Kind][]int{}}
	for i, r := range corpus {
		s.kinds[r.Kind] = append(s.kinds[r.Kind], i)
	}
	i := slices.Index(Scenes(), name)
	if i < 0 {
		return nil, fmt.Errorf("%w as %q, only %s", ErrScene, name, strings.Join(Scenes(), ", "))
	}
	scenes[i].make(s)
	slices.SortStableFunc(s.Events, func(a, b Event) int { return cmp.Compare(a.At, b.At) })
	return &s.Scene, nil
}

// Cut ends the scene after the given number of frames, at least 1. If the scene is not longer, it does not change.
func (s *Scene) Cut(frames int64) {
	s.Frames = min(s.Frames, frames)
	s.Events = slices.DeleteFunc(s.Events, func(e Event) bool { return e.At >= s.Frames })
}

// sceneBuilder is a scene under construction.
type sceneBuilder struct {
	Scene
	*random
	kinds map[Kind][]int
}

// Gains of categories, as factors.
const (
	weapon   = 0.7
	impact   = 0.8
	footstep = 0.4
	shout    = 0.8
	menu     = 0.5
	ambience = 0.35
)

// distant returns the gain in dB of a sound at a distance in metres. The parameter category is the linear gain of its
// category at distance 0. At 3 m the gain is half of that, and it keeps falling with the distance.
func distant(category, metres float64) pcm.Decibels {
	return pcm.FromLinear(category / (1 + metres/3))
}

// any draws a random sound whose kind is in kinds, and returns its index in the corpus. Each sound of a kind that is
// given twice is twice as likely. The corpus must have a sound of such a kind, otherwise any panics.
func (s *sceneBuilder) any(kinds ...Kind) int {
	var all []int
	for _, k := range kinds {
		all = append(all, s.kinds[k]...)
	}
	return all[s.n(len(all))]
}

// randomPan returns a random pan, -0.8..0.8.
func (s *sceneBuilder) randomPan() float64 { return s.between(-0.8, 0.8) }

var speeds = [...]float64{0.92, 1, 1.09}

// start adds to the scene an event that starts a sound, with a random playback speed. The parameter seconds is its
// time, sound its index in the corpus. gain and pan are rounded to hundredths. start returns a pointer to the event,
// valid until the next call of start. For a time at or after the end of the scene, it adds no event and returns a
// pointer to an unused one.
func (s *sceneBuilder) start(seconds float64, sound int, gain pcm.Decibels, pan float64) *Event {
	e := Event{
		At: frames(seconds), Sound: sound, Gain: pcm.Decibels(hundredths(float64(gain))), Pan: hundredths(pan),
		Speed: speeds[s.n(len(speeds))],
	}
	if e.At >= s.Frames {
		return new(Event)
	}
	s.Events = append(s.Events, e)
	return &s.Events[len(s.Events)-1]
}

// loop adds to the scene a random looping engine or wind. It plays from the time from to the time to, both in seconds,
// but not longer than the scene. Its pan and speed are random.
func (s *sceneBuilder) loop(from, to float64, gain pcm.Decibels) {
	e := s.start(from, s.any(Engine, Wind), gain, s.randomPan())
	e.Stop = min(frames(to), s.Frames)
}

// frames converts seconds to frames, rounded half up.
func frames(seconds float64) int64 { return int64(math.Floor(float64(seconds*Rate) + 0.5)) }

// hundredths rounds x to two decimals.
func hundredths(x float64) float64 { return math.Floor(float64(x*100)+0.5) / 100 }

// eachRandomTime calls f with random times in seconds, in ascending order, until the end of the scene. The first time
// is in 0..hi. The intervals between the times are in lo..hi seconds.
func (s *sceneBuilder) eachRandomTime(lo, hi float64, f func(at float64)) {
	for at := s.between(0, hi); at < sceneSeconds; at += s.between(lo, hi) {
		f(at)
	}
}

// cue is one line of a scene's sheet.
type cue struct {
	frame  int64
	event  int
	kind   cueKind
	change int // index of the change of the wall, or of the move
}

// cueKind is the action of a line.
type cueKind int

const (
	stops       cueKind = iota
	wallChanges         // the wall appears or disappears
	moves
	pauses
	resumes
	starts
)

// cues returns the lines of the scene's cue sheet, ordered by time: the start of each event, the stop of each loop,
// each change of a wall and each move while its event plays, and the pause. In the same frame, stops come first, then
// changes of walls, moves and the pause, then starts. corpus gives the lengths of the sounds. A loop that plays to the
// end of the scene has no stop.
func (s *Scene) cues(corpus []Recording) (all []cue) {
	for i, e := range s.Events {
		if e.Stop > 0 && e.Stop < s.Frames {
			all = append(all, cue{frame: e.Stop, event: i, kind: stops})
		}
		for k, at := range e.Wall.within(e.At, s.end(&e, corpus)) {
			all = append(all, cue{frame: at, event: i, kind: wallChanges, change: k})
		}
		for k, m := range e.Moves {
			if m.At < s.end(&e, corpus) {
				all = append(all, cue{frame: m.At, event: i, kind: moves, change: k})
			}
		}
		all = append(all, cue{frame: e.At, event: i, kind: starts})
	}
	if p := s.Pause; p.Bus != "" && p.From < s.Frames {
		all = append(all, cue{frame: p.From, kind: pauses}, cue{frame: min(p.To, s.Frames), kind: resumes})
	}
	slices.SortStableFunc(all, func(a, b cue) int { return cmp.Or(cmp.Compare(a.frame, b.frame), cmp.Compare(a.kind, b.kind)) })
	return all
}

// end returns the frame at the end of the event e, or a frame shortly after it. The result is at most the length of
// the scene. corpus gives the length of the sound.
func (s *Scene) end(e *Event, corpus []Recording) int64 {
	if e.Stop > 0 {
		return min(e.Stop, s.Frames)
	}
	return min(e.At+int64(float64(len(corpus[e.Sound].Samples))/e.Speed)+1, s.Frames)
}

// Sheet returns the scene as the YAML text of a cue sheet without a limiter. The sheet expects each sound of corpus in
// a WAV file, whose path is the parameter folder directly followed by the name and ".wav". The result events has an
// element for each cue of the sheet: the index of its event in s.Events, or -1 for a cue that starts no sound.
func (s *Scene) Sheet(corpus []Recording, folder string) (text []byte, events []int) {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "# The scene %s, seed %d.\nrate: %d\nlength: %s\nmaster: {limiter: false}\nquality: cubic # as Part.Add reads, so that a voice can be mixed alone\nsounds:\n", s.Name, s.Seed, Rate, seconds(s.Frames))
	for i := range corpus {
		fmt.Fprintf(b, "  %s: {file: %s}", corpus[i].Name, strconv.Quote(folder+corpus[i].Name+".wav"))
		if from := corpus[i].File; from != "" {
			fmt.Fprintf(b, " # %s", strconv.Quote(from))
		}
		fmt.Fprintln(b)
	}
	if s.Pause.Bus != "" {
		fmt.Fprintf(b, "buses: {%s: {}}\n", s.Pause.Bus)
	}
	fmt.Fprintf(b, "cues:\n")
	for _, c := range s.cues(corpus) {
		e := &s.Events[c.event]
		if c.kind != starts {
			what := fmt.Sprintf("stop: e%d", c.event)
			switch c.kind {
			case wallChanges:
				what = fmt.Sprintf("set: e%d, lowpass: %s, over: %s", c.event, e.Wall.cutoff(c.change+1), seconds(wallFrames))
			case moves:
				m := &e.Moves[c.change]
				what = fmt.Sprintf("set: e%d, gain: %g, pan: %g, over: %s", c.event, float64(m.Gain), m.Pan, seconds(moveFrames))
			case pauses:
				what = "pause: " + s.Pause.Bus
			case resumes:
				what = "resume: " + s.Pause.Bus
			}
			fmt.Fprintf(b, "  - {at: %s, %s}\n", seconds(c.frame), what)
			events = append(events, -1)
			continue
		}
		fmt.Fprintf(b, "  - {at: %s, play: %s, gain: %g, pan: %g, speed: %g", seconds(c.frame), corpus[e.Sound].Name, float64(e.Gain), e.Pan, e.Speed)
		if e.Stop > 0 || e.Wall.Changes != nil {
			fmt.Fprintf(b, ", id: e%d", c.event)
		}
		if e.Stop > 0 {
			fmt.Fprint(b, ", loop: true")
		}
		if e.Bus != "" {
			fmt.Fprint(b, ", bus: ", e.Bus)
		}
		if e.Wall.Behind {
			fmt.Fprint(b, ", lowpass: ", e.Wall.cutoff(0))
		}
		fmt.Fprintf(b, "}\n")
		events = append(events, c.event)
	}
	fmt.Fprintf(b, "  - {at: %s, stop: all}\n", seconds(s.Frames))
	return b.Bytes(), append(events, -1)
}

// seconds formats the time of a frame at Rate as seconds with six decimals, which a sheet rounds back to the same
// frame.
func seconds(frame int64) string {
	us := (frame*1e6 + Rate/2) / Rate
	return fmt.Sprintf("%d.%06d", us/1e6, us%1e6)
}
