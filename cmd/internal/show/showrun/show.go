// Package showrun controls a running show: standby, GO with its guard, panic, pause, and the text
// commands for them. Terminals, sockets and MIDI devices use it.
package showrun

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"voicepool/cmd/internal/view/liveview"
	"voicepool/cue"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Player is the part of cue.Player that a show uses.
type Player interface {
	FireFrom(list int, from time.Duration) error
	Panic(over time.Duration)
	StopCue(list int, over time.Duration)
	Hold(on bool)
	Trim(list int, by pcm.Decibels)
	Do(words ...string) error
	Playing() []cue.Running
	Standby() int
	Finish()
	Mixer() *mixer.Mixer
}

const (
	// Guard is the default time after a GO during which further GOs are ignored.
	Guard = 300 * time.Millisecond

	// Fade is the default fade time of a stop.
	Fade = 2 * time.Second

	panicFade     = time.Second          // the fade of a panic; a second panic within this time is immediate
	hardPanicFade = 5 * time.Millisecond // the fade of the second panic
)

// Options configure a show.
type Options struct {
	Guard    time.Duration // 0: off
	Started  time.Time     // when the show began
	File     string        // absolute path of the sheet; optional
	Device   string        // the value of --device
	Panicked func()        // called by Panic and PanicIn while the show is locked, so it must not call the show; optional
}

// Show is a running show. Its methods are safe for concurrent use.
type Show struct {
	sheet   *cue.Sheet
	player  Player
	options Options
	done    chan struct{} // closed by Quit

	answering sync.RWMutex // held for reading while a command is carried out and answered

	mutex            sync.Mutex
	standby          int           // list index of the cue for the next GO; the length of the list at its end
	last             int           // list index of the last GO; -1 before the first
	loaded           time.Duration // start time within the cue on standby
	lastGo           time.Time     // time of the last GO, accepted or not
	lastPanic        time.Time     // when the last panic was
	paused           bool
	quit             bool
	events           []string
	muted            map[string]bool // buses
	trims            map[int]float64 // in dB, by list index of the cue
	picture          liveview.Picture
	reportedFailures int // number of reported failures of the picture
	watchers         map[chan<- string]bool
}

// New returns a show of sheet, which player plays. The show takes over the cue that is on standby in player; later only
// the show moves standby. Buses are muted as in sheet. It starts no goroutine.
func New(sheet *cue.Sheet, player Player, o Options) *Show {
	s := &Show{sheet: sheet, player: player, options: o, last: -1, done: make(chan struct{}), watchers: map[chan<- string]bool{}, muted: map[string]bool{}, trims: map[int]float64{}}
	for i := range sheet.Buses {
		s.muted[sheet.Buses[i].Name] = sheet.Buses[i].Mute
	}
	s.standby = player.Standby()
	return s
}

// Done returns a channel that Quit closes.
func (s *Show) Done() <-chan struct{} { return s.done }

// armedFrom returns the list index of the first armed cue, searched from index at, inclusive, in direction step (1 or
// -1). Without such a cue it returns an index outside of the list: for step 1 at least its length, for step -1 less
// than 0. The caller holds s.mutex.
func (s *Show) armedFrom(at, step int) int {
	for at >= 0 && at < len(s.sheet.List) && s.sheet.List[at].Disabled {
		at += step
	}
	return at
}

// after returns the list index of the cue that is on standby after a GO of the cue with index head: the first armed cue
// behind the follow-ons that start automatically. At the end of the list it returns the length of the list. The caller
// holds s.mutex.
func (s *Show) after(head int) int {
	i := head
	for i < len(s.sheet.List)-1 && s.sheet.List[i].Then != cue.ThenWait {
		i = s.armedFrom(i+1, 1)
	}
	return min(s.armedFrom(i+1, 1), len(s.sheet.List))
}

// Errors of actions that the show rejects in its present state.
var (
	ErrGuard  = errors.New("GO ignored: it came within the guard time of the last GO")
	ErrPaused = errors.New("the show is paused; resume it first")
	ErrOver   = errors.New("no cue is on standby: the list is over; choose a cue with standby")
	ErrEnd    = errors.New("the list has no further cue")
)

// Go starts the cue called number, or the cue on standby if number is "", and moves standby behind its follow-ons, the
// cues that start automatically after it. Within the guard time of another GO it returns ErrGuard and restarts the
// guard, so a held key counts as one GO. Other errors are ErrPaused, ErrOver at the end of the list, and an unknown or
// disarmed cue.
func (s *Show) Go(number string) error {
	_, err := s.GoAt(number, nil)
	return err
}

// GoAt is like Go, but starts at the time *at within the cue. If at is nil, the cue on standby starts at the time set
// by Load, and any other cue at its beginning. It returns the number of the started cue, or "" with an error.
func (s *Show) GoAt(number string, at *time.Duration) (started string, err error) {
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
	soon := !s.lastGo.IsZero() && now.Sub(s.lastGo) < s.options.Guard
	s.lastGo = now
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
	s.report(line)
	return s.sheet.List[i].Number, nil
}

// Next returns the number of the cue on standby, or "" at the end of the list.
func (s *Show) Next() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.number(s.standby)
}

// Load stores the start time at within the cue on standby for its next GO, and reports an event. A change of standby
// and a GO reset that time to 0. Without a cue on standby Load returns ErrOver.
func (s *Show) Load(at time.Duration) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.standby >= len(s.sheet.List) {
		return ErrOver
	}
	s.loaded = at
	s.report(fmt.Sprintf("load %s to %v", s.number(s.standby), at))
	return nil
}

// find returns the list index of the cue called number. An unknown number and a disarmed cue (`arm: false`) are errors.
// The caller holds s.mutex.
func (s *Show) find(number string) (int, error) {
	i, err := s.sheet.ListIndex(number)
	if err == nil && s.sheet.List[i].Disabled {
		err = fmt.Errorf("cue %q has `arm: false`, so no GO reaches it", s.sheet.List[i].Number)
	}
	return i, err
}

// Standby puts the cue called number on standby and resets the time set by Load. An unknown or disarmed cue is an
// error, and standby stays the same.
func (s *Show) Standby(number string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	i, err := s.find(number)
	if err == nil {
		s.setStandby(i)
	}
	return err
}

// setStandby puts the cue with list index i on standby, resets the time set by Load to 0, and reports the event. i may
// be the length of the list. The caller holds s.mutex.
func (s *Show) setStandby(i int) {
	s.standby, s.loaded = i, 0
	s.report("standby " + s.number(i))
}

// number returns the number of the cue with the list index i, or "" for an index outside of the list. The caller holds
// s.mutex.
func (s *Show) number(i int) string {
	if i < 0 || i >= len(s.sheet.List) {
		return ""
	}
	return s.sheet.List[i].Number
}

// Step moves standby to the next armed cue if by is 1, or to the previous one if by is -1, and resets the time set by
// Load. A step forward from the last armed cue leads to the end of the list; then a GO returns ErrOver. At either end,
// a further step returns ErrEnd.
func (s *Show) Step(by int) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	i := s.armedFrom(s.standby+by, by)
	if i < 0 || s.standby >= len(s.sheet.List) && by > 0 {
		return ErrEnd
	}
	s.setStandby(min(i, len(s.sheet.List)))
	return nil
}

// Panic fades everything out over 1 s, and cancels waits, follow-ons and the timeline. A second Panic within 1 s fades
// out in 5 ms. It resumes a paused show, calls Options.Panicked and reports an event.
func (s *Show) Panic() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	over := panicFade
	if now := time.Now(); !s.lastPanic.IsZero() && now.Sub(s.lastPanic) < panicFade {
		over = hardPanicFade
	} else {
		s.lastPanic = now
	}
	if s.paused { // a paused voice would never fade
		s.paused = false
		s.player.Hold(false)
	}
	s.stopAll(over)
	s.report("panic")
}

// stopAll fades everything out in the time over, cancels waits, follow-ons and the timeline, and calls
// Options.Panicked. The caller holds s.mutex.
func (s *Show) stopAll(over time.Duration) {
	s.player.Panic(over)
	if s.options.Panicked != nil {
		s.options.Panicked()
	}
}

// Stop fades out the running cues in the time over, cancels their waits, and reports an event. Sounds that were not
// started by a cue of the list continue.
func (s *Show) Stop(over time.Duration) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, r := range s.player.Playing() {
		s.player.StopCue(r.List, over)
	}
	s.report("stop")
}

// Pause pauses the whole show if on is true (voices, timeline, waits and follow-ons), otherwise resumes it. It
// reports an event only if that is a change.
func (s *Show) Pause(on bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.paused != on {
		s.paused = on
		s.player.Hold(on)
		s.report(map[bool]string{true: "pause", false: "resume"}[on])
	}
}

// Paused reports whether the whole show is paused.
func (s *Show) Paused() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.paused
}

// Answer calls do, which carries out a command and writes its answer, and returns when do has returned. While do runs,
// WaitForAnswers waits. Any goroutine.
func (s *Show) Answer(do func()) {
	s.answering.RLock()
	defer s.answering.RUnlock()
	do()
}

// WaitForAnswers waits until each call of Answer has returned, but at most for limit, because a client may not read its
// answer. Call it after Quit, so that the client that has ended the show can read the answer to quit.
func (s *Show) WaitForAnswers(limit time.Duration) {
	answered := make(chan struct{})
	go func() {
		s.answering.Lock()
		defer s.answering.Unlock()
		close(answered)
	}()
	select {
	case <-answered:
	case <-time.After(limit):
	}
}

// Quit ends the show: it reports an event, closes the channel of Done and makes the player fade out and end. A second
// call has no effect. The show must not be used afterwards.
func (s *Show) Quit() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.quit {
		s.quit = true
		s.report("quit")
		close(s.done)
		s.player.Finish()
	}
}

// Change switches the show to another sheet. It calls apply, which makes the player use that sheet, while the show is
// locked, so that the list indexes of both agree. It returns the unsaved trims in dB by cue number; trims of removed
// cues are lost. Standby and the last GO keep their cue numbers. If the cue on standby was removed, the next
// remaining cue takes its place, or else the cue after the last GO.
func (s *Show) Change(sheet *cue.Sheet, apply func()) map[string]float64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	apply()
	where := func(i int) int {
		if i >= 0 && i < len(s.sheet.List) {
			if j, err := sheet.ListIndex(s.sheet.List[i].Number); err == nil {
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
		s.standby = s.armedFrom(max(standby, 0), 1)
	}
	return trims
}

// Report reports an event, one line of text, to State and to the channels of Watch.
func (s *Show) Report(line string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.report(line)
}

// maxEvents is the number of recent lines in a State.
const maxEvents = 100

// report appends line to the recent events of State, which keeps 100, and sends line to the channels of Watch. A full
// channel misses it. The caller holds s.mutex.
func (s *Show) report(line string) {
	if s.events = append(s.events, line); len(s.events) > maxEvents {
		s.events = slices.Delete(s.events, 0, len(s.events)-maxEvents)
	}
	for w := range s.watchers {
		select {
		case w <- line:
		default: // a slow reader loses lines
		}
	}
}

// Watch sends later events, one line each, to the channel lines until Unwatch. It does not block: if the channel is
// full, events are dropped.
func (s *Show) Watch(lines chan<- string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.watchers[lines] = true
}

// Unwatch ends Watch for the channel lines and does not close it. An unknown channel is ignored.
func (s *Show) Unwatch(lines chan<- string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.watchers, lines)
}
