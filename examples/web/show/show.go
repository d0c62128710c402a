// Package show plays the sounds of the page: a tune and, every few seconds, a storm of more sounds than the
// pool has voices. It needs no browser, so tests can listen to it.
package show

import (
	"embed"
	"errors"
	"fmt"
	"strings"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

//go:embed sounds.yaml
var assets embed.FS

// MaxVoices is the maximum number of voices in the pool; the minimum is 1.
const MaxVoices = 16

// Keys are the keys that play a sound, in the order of the page.
var Keys = []Key{
	{Key: "a", Sound: "bell"}, {Key: "s", Sound: "chime"}, {Key: "d", Sound: "glass"},
	{Key: "f", Sound: "marimba"}, {Key: "g", Sound: "pluck"}, {Key: "h", Sound: "coin"},
	{Key: "j", Sound: "bird"}, {Key: "k", Sound: "thunder"}, {Key: "l", Sound: "gong"},
}

// Key is a key and the sound that it plays.
type Key struct {
	Key   string `json:"key"`
	Sound string `json:"sound"`
}

// Show is the running show. One goroutine may call its methods, the page's.
type Show struct {
	Storms bool // play storms automatically

	bank   *bank.Bank
	mixer  *mixer.Mixer
	begun  bool
	done   int64 // frames of the score that have been played
	struck int   // number of sounds played by keys
	events [256]mixer.Event

	gave    int             // number of stolen voices
	yielded map[uint64]bool // stolen voices that are still alive
}

// New loads the sounds and creates their mixer. The music begins with the first Step. An error of a sound is
// returned.
func New() (*Show, error) {
	b, err := bank.Open(assets, "sounds.yaml", library.NewLibrary(library.Options{}), embedded.Sources()...)
	if err != nil {
		return nil, err
	}
	c := b.Config()
	c.MaxVoices, c.Meters = MaxVoices, true
	m, err := mixer.New(c)
	if err != nil {
		return nil, err
	}
	return &Show{Storms: true, bank: b, mixer: m, yielded: map[uint64]bool{}}, b.Use(m)
}

// Mixer returns the mixer, which the caller plays on a device.
func (s *Show) Mixer() *mixer.Mixer { return s.mixer }

// Close closes the mixer. Close the device first.
func (s *Show) Close() { s.mixer.Close() }

// Press plays the sound of a key of Keys, each time with another pan. Another key is an error.
func (s *Show) Press(key string) error {
	for _, k := range Keys {
		if k.Key == key {
			s.struck++
			return s.play(k.Sound, bank.Options{Pan: float64(s.struck*5%9-4) / 5})
		}
	}
	names := make([]string, len(Keys))
	for i, k := range Keys {
		names[i] = k.Key
	}
	return fmt.Errorf("no sound has the key %q, only %s", key, strings.Join(names, " "))
}

// Resize sets the pool size to n voices, limited to 1 to MaxVoices.
func (s *Show) Resize(n int) error {
	return s.mixer.Engine().At(mixer.Now).Resize(min(max(n, 1), MaxVoices))
}

// play starts the sound with a name. If the mixer's queue is full, the sound is dropped without an error.
func (s *Show) play(name string, o bank.Options) error {
	_, err := s.bank.Play(name, o)
	if errors.Is(err, mixer.ErrBusy) {
		return nil // the queue is full because no block has been mixed for a while: drop the sound
	}
	return err
}

// Step plays the notes of the score up to the mixer's present time. The page calls it for each picture; notes missed
// by more than 250 ms are omitted.
func (s *Show) Step() error {
	now := s.mixer.Now()
	if !s.begun {
		s.begun = true
		for _, name := range []string{"theme", "rain"} {
			if err := s.play(name, bank.Options{}); err != nil {
				return err
			}
		}
	}
	rate := int64(s.mixer.Rate())
	// After a long pause, for example of a hidden page, the score continues without the missed beats.
	s.done = max(s.done, now-rate/4)
	for _, n := range score {
		if n.storm && !s.Storms {
			continue
		}
		for beat := n.after(s.done, rate); beat.frame < now; beat = n.after(beat.frame+1, rate) {
			o := bank.Options{Pan: float64(beat.count*7%11-5) / 6}
			if n.tune {
				o.Pitch = tune[beat.count%len(tune)]
			}
			if err := s.play(n.sound, o); err != nil {
				return err
			}
		}
	}
	s.done = max(s.done, now)
	return nil
}

// tune is the melody of the bells: A minor, F, C, G, in semitones.
var tune = []pcm.Semitones{0, 3, 7, 12, -4, 0, 3, 8, 3, 7, 10, 15, -2, 2, 5, 10}
