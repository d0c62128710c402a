// Package sound plays the events of the world: every event starts a sound, and every enemy has an engine
// sound that follows it. The pool decides which sounds are audible.
package sound

import (
	"embed"
	"errors"
	"time"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
	"voicepool/space"

	"voicepool/examples/game/world"
)

//go:embed sounds.yaml
var assets embed.FS

// MaxVoices is the largest pool size for SetVoices.
const MaxVoices = 32

// Goal is the number of points after which the music celebrates, each time.
const Goal = 300

var (
	// Sliders lists the buses whose volume the player sets.
	Sliders = [...]string{"master", "sfx", "engines", "music"}
	// Scenes lists the scenes of sounds.yaml. The first is the menu, which pauses the game.
	Scenes = [...]string{"menu", "cave", "water"}
)

// Options are the settings that the keys and tests change.
type Options struct {
	Policy  mixer.Overflow
	Virtual int
	Journal int // see mixer.Config
}

// Sound is the sound of a game. Only the goroutine of the game's Update may call its methods.
type Sound struct {
	Options
	Slots  [MaxVoices]Slot // for drawing
	Steals [12]mixer.Event // the last losses of a slot to another sound, newest first; Frame 0: empty
	Place  bank.Position   // of the music

	bank    *bank.Bank
	mixer   *mixer.Mixer
	out     output
	old     []*mixer.Mixer
	motors  [world.Enemies]mixer.Handle
	spots   [world.Enemies]space.Spot // positions of the motors
	emitter space.Emitter             // position of the present start
	events  [256]mixer.Event

	faders [len(Sliders)]float64 // positions, 0 to 1
	active [len(Scenes)]bank.ActiveScene
	on     [len(Scenes)]bool
	music  *bank.Music
	wanted string // the segment that plays or comes next
	goal   int    // the score of the next victory
}

// Slot is a voice of the pool in the last frame of the game.
type Slot struct {
	Name  string // of the sound's file; "": free slot
	Loud  pcm.Decibels
	Pan   float64
	Since int // frames of the game since a voice was stolen here
}

// screen maps the field to the space of sounds. The ship is the listener.
var screen = space.Flat{Width: world.Width, Near: 120, Far: 1000}

var plays = [...]string{
	world.Appeared: "motor", world.Fired: "fire", world.Shot: "laser",
	world.Hit: "hit", world.Destroyed: "boom", world.Wounded: "ouch",
}

// New loads the sounds, creates a mixer and begins the music. An error of the embedded sound sheet or of a sound is
// returned.
func New(o Options) (*Sound, error) {
	s := &Sound{Options: o, goal: Goal}
	for i := range s.faders {
		s.faders[i] = 1
	}
	b, err := bank.Open(assets, "sounds.yaml", library.NewLibrary(library.Options{Masking: true}), embedded.Sources()...)
	if err != nil {
		return nil, err
	}
	s.bank = b
	if s.music, err = b.Music("theme"); err != nil {
		return nil, err
	}
	return s, s.renew()
}

// Config returns the mixer configuration of sounds.yaml with the present Options and MaxVoices slots.
func (s *Sound) Config() mixer.Config {
	c := s.bank.Config()
	c.MaxVoices, c.Meters = MaxVoices, true
	c.Overflow, c.Virtual, c.Journal = s.Policy, s.Virtual, s.Journal
	return c
}

// renew creates a mixer with the present Options, volumes and scenes, and starts the music on it. The output
// crossfades to it. Sounds of the earlier mixer end, and the handles of engines are reset.
func (s *Sound) renew() error {
	m, err := mixer.New(s.Config())
	if err != nil {
		return err
	}
	if err := s.bank.Use(m); err != nil {
		return err
	}
	if s.mixer != nil {
		s.old = append(s.old, s.mixer)
	}
	s.mixer = m
	s.motors = [world.Enemies]mixer.Handle{}
	s.out.next.Store(m)
	for i, on := range s.on {
		if s.on[i] = false; on {
			if err := s.setScene(i, true, 0); err != nil {
				return err
			}
		}
	}
	for i := range s.faders {
		if err := s.applyFader(i); err != nil {
			return err
		}
	}
	s.wanted = "calm"
	return s.music.Play(bank.Options{})
}

// Output returns the renderer that a device plays, with its rate in frames per second. It stays valid when the mixer
// changes.
func (s *Sound) Output() interface {
	Render([]pcm.Frame)
	Rate() int
} {
	return &s.out
}

// Mixer returns the mixer that plays now. SetPolicy replaces it.
func (s *Sound) Mixer() *mixer.Mixer { return s.mixer }

// Close closes the present and all earlier mixers. Close the device first.
func (s *Sound) Close() {
	for _, m := range append(s.old, s.mixer) {
		m.Close()
	}
}

// SetPolicy sets the policy of a full pool and the largest number of virtual voices, with a new mixer. It keeps the
// pool size, the volumes and the scenes, starts the engines of the living enemies in w again, and clears Steals.
func (s *Sound) SetPolicy(p mixer.Overflow, virtual int, w *world.World) error {
	s.Policy, s.Virtual = p, virtual
	voices := int(s.mixer.Stats().Voices)
	if err := s.renew(); err != nil {
		return err
	}
	if err := s.SetVoices(voices); err != nil {
		return err
	}
	s.Steals = [12]mixer.Event{}
	for i := range w.Enemies {
		if e := &w.Enemies[i]; e.Alive {
			if err := s.start(world.Event{Kind: world.Appeared, Enemy: i, X: e.X, Y: e.Y}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Toggle enters or leaves the scene Scenes[i] within 300 ms, with a click.
func (s *Sound) Toggle(i int) error {
	if _, err := s.bank.Play("click", bank.Options{}); err != nil && !errors.Is(err, mixer.ErrBusy) {
		return err
	}
	return s.setScene(i, !s.on[i], 300*time.Millisecond)
}

// Active reports whether the scene Scenes[i] is active.
func (s *Sound) Active(i int) bool { return s.on[i] }

// Paused reports whether the menu is open.
func (s *Sound) Paused() bool { return s.on[0] }

// setScene enters or leaves the scene Scenes[i] over a duration. The menu pauses the buses of the game.
func (s *Sound) setScene(i int, on bool, over time.Duration) (err error) {
	if i == 0 {
		game, err := s.mixer.Bus("game")
		if err != nil {
			return err
		}
		change := game.Resume
		if on {
			change = game.Pause
		}
		if err := change(); err != nil {
			return err
		}
	}
	if s.on[i] = on; !on {
		return s.active[i].Leave(over)
	}
	s.active[i], err = s.bank.EnterScene(Scenes[i], over)
	return err
}

// SetFader sets the volume of the bus Sliders[i] to the position of a slider, limited to 0 to 1.
func (s *Sound) SetFader(i int, position float64) error {
	s.faders[i] = min(max(position, 0), 1)
	return s.applyFader(i)
}

// Fader returns the position of the slider of the bus Sliders[i], 0 to 1.
func (s *Sound) Fader(i int) float64 { return s.faders[i] }

// applyFader sets the volume of the bus Sliders[i].
func (s *Sound) applyFader(i int) error {
	bus, err := s.mixer.Bus(Sliders[i])
	if err != nil {
		return err
	}
	return bus.SetVolume(pcm.FromFader(s.faders[i]))
}

// SetVoices sets the pool size to n, limited to 1 to MaxVoices.
func (s *Sound) SetVoices(n int) error {
	return s.mixer.Engine().At(mixer.Now).Resize(min(max(n, 1), MaxVoices))
}

// Frame plays the events of the last step of w, moves the listener and the engines, and chooses the music. It then
// updates Slots, Steals and Place. It allocates only for a transition of the music.
func (s *Sound) Frame(w *world.World) error {
	for _, e := range w.Events {
		if err := s.start(e); err != nil {
			return err
		}
	}
	if err := s.mixer.SetListener(screen.Listener(w.X, world.ShipY)); err != nil {
		return err
	}
	for i := range w.Enemies {
		s.spots[i] = screen.Spot(w.Enemies[i].X, w.Enemies[i].Y)
	}
	// Handles of ended engines are ignored.
	if err := s.mixer.SetPositions(s.motors[:], s.spots[:]); err != nil {
		return err
	}
	s.updateSlots()
	s.Place = s.music.Position()
	return s.chooseMusic(w)
}

// chooseMusic starts a transition to the segment that fits the world: calm or battle by the number of enemies, and
// victory at each goal.
func (s *Sound) chooseMusic(w *world.World) error {
	enemies := 0
	for i := range w.Enemies {
		if w.Enemies[i].Alive {
			enemies++
		}
	}
	want := s.wanted
	switch {
	case s.wanted == "victory":
		if s.Place.Segment == "victory" {
			s.wanted = "calm" // follows by itself
		}
		return nil
	case w.Score >= s.goal:
		want = "victory"
	case enemies >= 20:
		want = "battle"
	case enemies <= 10:
		want = "calm"
	}
	if want == s.wanted {
		return nil
	}
	if err := s.music.Go(want); err != nil {
		if errors.Is(err, mixer.ErrBusy) {
			return nil // no block has been mixed for a while: try again in the next frame
		}
		return err
	}
	if s.wanted = want; want == "victory" {
		s.goal = w.Score + Goal
	}
	return nil
}

// start plays the sound of an event at its position. An Appeared enemy gets an engine, and the engine of a Destroyed
// one stops. If the mixer's queue is full, the sound is dropped without an error.
func (s *Sound) start(e world.Event) error {
	s.emitter = *screen.Emitter(e.X, e.Y)
	h, err := s.bank.Play(plays[e.Kind], bank.Options{Emitter: &s.emitter})
	if errors.Is(err, mixer.ErrBusy) {
		return nil // the queue is full because no block has been mixed for a while: drop the sound
	}
	if err != nil {
		return err
	}
	switch e.Kind {
	case world.Appeared:
		s.motors[e.Enemy] = h.Handle
	case world.Destroyed:
		if err := s.motors[e.Enemy].Stop(0); err != nil && !errors.Is(err, mixer.ErrGone) {
			return err
		}
	}
	return nil
}

// updateSlots updates Slots and Steals from the voices and events of the mixer. It consumes the events.
func (s *Sound) updateSlots() {
	for i := range s.Slots {
		s.Slots[i].Name = ""
		s.Slots[i].Since++
	}
	for h := range s.mixer.Voices() {
		i, sound := h.Slot(), h.Sound()
		if i < 0 || i >= MaxVoices || sound == nil {
			continue
		}
		v := &s.Slots[i]
		v.Name, v.Loud, v.Pan = sound.Name(), h.Audibility(), h.Pan()
	}
	for n := s.mixer.Events(s.events[:]); n > 0; n = s.mixer.Events(s.events[:]) {
		for _, e := range s.events[:n] {
			if e.Kind != mixer.EventStolen && e.Kind != mixer.EventVirtual || e.Steal.BySound == nil {
				continue
			}
			if e.Slot >= 0 && e.Slot < MaxVoices {
				s.Slots[e.Slot].Since = 0
			}
			copy(s.Steals[1:], s.Steals[:])
			s.Steals[0] = e
		}
	}
}
