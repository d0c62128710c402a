// Package show is a show that people run: what stands by, GO with its guard, panic, pause, and the
// words by which all of this is asked for, from a terminal, a socket or a MIDI device. It knows no
// terminal and no socket.
package show

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"voicepool/cmd/internal/live"
	"voicepool/cue"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Player is what a show plays: a cue.Player.
type Player interface {
	FireFrom(list int, from time.Duration) error
	Panic(over time.Duration)
	Cease(list int, over time.Duration)
	Hold(on bool)
	Trim(list int, by pcm.Decibels)
	Do(words ...string) error
	Playing() []cue.Running
	Standby() int
	Finish()
	Mixer() *mixer.Mixer
}

const (
	// Guard is how long after a GO no other counts, where Options do not say.
	Guard = 300 * time.Millisecond

	// Fade is how long a stop takes that does not say.
	Fade = 2 * time.Second

	panicOver = time.Second          // the fade of a panic; another one within it is hard
	hardOver  = 5 * time.Millisecond // of the second
)

// Options say how a show is run.
type Options struct {
	Guard    time.Duration // 0: none
	Begun    time.Time     // when the show began
	File     string        // the absolute path of its sheet; empty: none
	Device   string        // as --device was given
	Panicked func()        // called by Panic and PanicIn, under a lock: it calls nothing of the show; nil: nobody
}

// Show is a show while it is run. Its methods may be called by any goroutine.
type Show struct {
	sheet   *cue.Sheet
	player  Player
	options Options
	done    chan struct{} // closed by Quit

	mutex    sync.Mutex
	standby  int           // the place in the list that the next GO begins; its length: none
	last     int           // that the last GO began; -1: none
	loaded   time.Duration // how far within it the cue that stands by begins
	pressed  time.Time     // when GO was asked for last, whether it counted or not
	alarmed  time.Time     // when the last panic was
	paused   bool
	quit     bool
	said     []string
	muted    map[string]bool // buses
	trims    map[int]float64 // of cues, by their place in the list
	picture  live.Picture
	troubles int // of the picture, that have been told
	watchers map[chan<- string]bool
}

// New returns a show of a sheet, where its player begins.
func New(sheet *cue.Sheet, player Player, o Options) *Show {
	s := &Show{sheet: sheet, player: player, options: o, last: -1, done: make(chan struct{}), watchers: map[chan<- string]bool{}, muted: map[string]bool{}, trims: map[int]float64{}}
	for i := range sheet.Buses {
		s.muted[sheet.Buses[i].Name] = sheet.Buses[i].Mute
	}
	s.standby = player.Standby()
	return s
}

// Done is closed when the show has been told to end.
func (s *Show) Done() <-chan struct{} { return s.done }

// from returns the first cue that is armed from a place on, in steps of 1 or -1; the length of the
// list where there is none behind it, and -1 where there is none before it.
func (s *Show) from(at, step int) int {
	for at >= 0 && at < len(s.sheet.List) && s.sheet.List[at].Off {
		at += step
	}
	return at
}

// after returns what stands by when a cue has begun, and all that goes on from it.
func (s *Show) after(head int) int {
	i := head
	for i < len(s.sheet.List)-1 && s.sheet.List[i].Then != cue.ThenWait {
		i = s.from(i+1, 1)
	}
	return min(s.from(i+1, 1), len(s.sheet.List))
}

// What a show does not do now.
var (
	ErrGuard  = errors.New("within the guard of the last GO; nothing is fired")
	ErrPaused = errors.New("the show is paused; resume it first")
	ErrOver   = errors.New("no cue stands by: the list is over; choose one with standby")
	ErrEnd    = errors.New("there is no cue further on")
)

// Go begins the cue of a number, or the one that stands by where it is empty. A GO within the guard
// of another does nothing, and begins the guard anew: a key that is held is one GO.
func (s *Show) Go(number string) error {
	_, err := s.Begin(number, nil)
	return err
}

// Begin is Go at a time within the cue; nil: as Load says, or at its beginning. It returns the number of
// the cue that has begun.
func (s *Show) Begin(number string, at *time.Duration) (begun string, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	i := s.standby
	if number != "" {
		if i, err = s.find(number); err != nil {
			return "", err
		}
	}
	switch {
	case s.paused:
		return "", ErrPaused
	case i >= len(s.sheet.List):
		return "", ErrOver
	}
	now := time.Now()
	soon := !s.pressed.IsZero() && now.Sub(s.pressed) < s.options.Guard
	s.pressed = now
	if soon {
		return "", ErrGuard
	}
	from := s.loaded
	switch {
	case at != nil:
		from = *at
	case i != s.standby:
		from = 0
	}
	if err := s.player.FireFrom(i, from); err != nil {
		return "", err
	}
	s.last, s.standby, s.loaded = i, s.after(i), 0
	line := "go " + s.sheet.List[i].Number
	if from > 0 {
		line += " from " + from.String()
	}
	s.tell(line)
	return s.sheet.List[i].Number, nil
}

// Next returns the number of the cue that stands by; empty at the end of the list.
func (s *Show) Next() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.number(s.standby)
}

// Load has the cue that stands by begin at a time within it, at its next GO; 0: at its beginning.
func (s *Show) Load(at time.Duration) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.standby >= len(s.sheet.List) {
		return ErrOver
	}
	s.loaded = at
	s.tell(fmt.Sprintf("load %s to %v", s.number(s.standby), at))
	return nil
}

// find returns the place in the list of a cue that can begin.
func (s *Show) find(number string) (int, error) {
	i, err := s.sheet.Place(number)
	if err == nil && s.sheet.List[i].Off {
		err = fmt.Errorf("cue %q has `arm: false`, so no GO reaches it", s.sheet.List[i].Number)
	}
	return i, err
}

// Standby has the cue of a number stand by.
func (s *Show) Standby(number string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	i, err := s.find(number)
	if err == nil {
		s.stand(i)
	}
	return err
}

func (s *Show) stand(i int) {
	s.standby, s.loaded = i, 0
	s.tell("standby " + s.number(i))
}

// number returns that of a place; empty at the end of the list.
func (s *Show) number(i int) string {
	if i < 0 || i >= len(s.sheet.List) {
		return ""
	}
	return s.sheet.List[i].Number
}

// Step moves standby to the next cue, or to the one before.
func (s *Show) Step(by int) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	i := s.from(s.standby+by, by)
	if i < 0 || s.standby >= len(s.sheet.List) && by > 0 {
		return ErrEnd
	}
	s.stand(min(i, len(s.sheet.List)))
	return nil
}

// Panic fades everything out within a second, and cancels waits, follow-ons and the timeline. A
// second one within that is at once.
func (s *Show) Panic() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	over := panicOver
	if now := time.Now(); !s.alarmed.IsZero() && now.Sub(s.alarmed) < panicOver {
		over = hardOver
	} else {
		s.alarmed = now
	}
	if s.paused { // what is paused would never fade
		s.paused = false
		s.player.Hold(false)
	}
	s.fall(over)
	s.tell("panic")
}

// fall has everything fade out, and all that waits be cancelled. The mutex is held.
func (s *Show) fall(over time.Duration) {
	s.player.Panic(over)
	if s.options.Panicked != nil {
		s.options.Panicked()
	}
}

// Stop has the cues that run fade out, with what they wait for.
func (s *Show) Stop(over time.Duration) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, r := range s.player.Playing() {
		s.player.Cease(r.List, over)
	}
	s.tell("stop")
}

// Pause has everything stand still, or go on: voices, the timeline, waits and follow-ons.
func (s *Show) Pause(on bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.paused != on {
		s.paused = on
		s.player.Hold(on)
		s.tell(map[bool]string{true: "pause", false: "resume"}[on])
	}
}

// Paused reports whether everything stands still.
func (s *Show) Paused() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.paused
}

// Quit ends the show. Nothing is asked of it after.
func (s *Show) Quit() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.quit {
		s.quit = true
		s.tell("quit")
		close(s.done)
		s.player.Finish()
	}
}

// Change has the show go by another sheet, which its player has changed to, and returns the trims that
// are not written, by the numbers of cues. What stands by and what was fired last is found again by its
// number; where the number is gone, the next one that is still there stands by, or the one behind the
// last, or the first. take has the player show it, while nothing is asked of that by a place in the list.
func (s *Show) Change(sheet *cue.Sheet, take func()) map[string]float64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	take()
	where := func(i int) int {
		if i >= 0 && i < len(s.sheet.List) {
			if j, err := sheet.Place(s.sheet.List[i].Number); err == nil {
				return j
			}
		}
		return -1
	}
	trims, places := map[string]float64{}, map[int]float64{}
	for i, by := range s.trims {
		if j := where(i); j >= 0 {
			trims[sheet.List[j].Number], places[j] = by, by
		}
	}
	standby := -1
	for i := s.standby; i < len(s.sheet.List) && standby < 0; i++ {
		standby = where(i)
	}
	s.last, s.trims, s.sheet = where(s.last), places, sheet
	switch {
	case standby < 0 && s.last >= 0:
		s.standby = s.after(s.last)
	default:
		s.standby = s.from(max(standby, 0), 1)
	}
	return trims
}

// Say notes something that has happened, for screens and whoever watches.
func (s *Show) Say(line string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.tell(line)
}

// kept is how many lines of what has happened a screen can ask for.
const kept = 100

func (s *Show) tell(line string) {
	if s.said = append(s.said, line); len(s.said) > kept {
		s.said = slices.Delete(s.said, 0, len(s.said)-kept)
	}
	for w := range s.watchers {
		select {
		case w <- line:
		default: // who does not read loses lines
		}
	}
}

// Watch has a channel get what happens, in lines, while there is room in it, until Unwatch.
func (s *Show) Watch(lines chan<- string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.watchers[lines] = true
}

// Unwatch ends Watch.
func (s *Show) Unwatch(lines chan<- string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.watchers, lines)
}
