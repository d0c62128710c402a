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
	"voicepool/cue/play"
	"voicepool/mixer"
	"voicepool/pcm"
)

// Player is the part of play.Player that a show uses.
type Player interface {
	FireFrom(list int, from time.Duration) error
	Panic(over time.Duration)
	StopCue(list int, over time.Duration)
	Hold(on bool)
	Trim(list int, by pcm.Decibels)
	Do(words ...string) error
	Playing() []play.Running
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

// New returns a show of sheet, which player plays. The cue that is on standby in player, the cue for the next GO,
// becomes the standby cue of the show. From then on only the show moves standby. Buses that the sheet mutes count as
// muted. New starts no goroutine and no cue.
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

// armedFrom searches the cue list for an armed cue, that is, a cue not disabled in the sheet, and returns its index in
// the list. The parameter at is the first index of the search, and the parameter step its direction, 1 or -1. Without
// such a cue the result is outside of the list: at least the length of the list if step is 1, negative if step is -1.
// The caller holds s.mutex.
func (s *Show) armedFrom(at, step int) int {
	for at >= 0 && at < len(s.sheet.List) && s.sheet.List[at].Disabled {
		at += step
	}
	return at
}

// after returns the index in the cue list of the cue that is on standby after a GO. head is the index of the cue that
// the GO starts. The result is the first enabled cue behind head and behind the cues that start automatically after
// head. At the end of the list the result is the length of the list. The caller holds s.mutex.
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

// Go starts the cue called number, or the cue on standby if number is "". Then it puts the next cue that waits for a GO
// on standby. Cues that start automatically after the started one are skipped. It reports an event.
//
// Within the guard time after another GO it starts no cue, returns ErrGuard, and the guard time begins again. So a held
// key counts as one GO. Other errors are ErrPaused, ErrOver at the end of the list, an unknown or disabled cue, and
// errors of the player.
func (s *Show) Go(number string) error {
	_, err := s.GoAt(number, nil)
	return err
}

// GoAt starts a cue like Go, but from a chosen time within the cue, and returns the number of the started cue. The
// parameter number names the cue; "" means the cue on standby. The time is *at. If at is nil, the cue on standby starts
// at the time set by Load, and any other cue at its beginning.
//
// Afterwards the next cue that waits for a GO is on standby, and the time of Load is reset to 0. GoAt reports an event.
// It has the same errors as Go: within the guard time ErrGuard, in a paused show ErrPaused, at the end of the list
// ErrOver. With an error started is "".
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

// Next returns the number of the cue that the next GO starts, the cue on standby. At the end of the list it returns "".
func (s *Show) Next() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.number(s.standby)
}

// Load makes the next GO start the cue on standby from a position within that cue. The parameter at is the time of that
// position from the beginning of the cue. Load starts no sound, and reports an event. A change of standby or a GO
// resets the time to 0. Without a cue on standby Load returns ErrOver.
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

// find returns the index in the cue list of the cue called number. An unknown number is an error. So is a cue that the
// sheet disables with `arm: false`. The caller holds s.mutex.
func (s *Show) find(number string) (int, error) {
	i, err := s.sheet.ListIndex(number)
	if err == nil && s.sheet.List[i].Disabled {
		err = fmt.Errorf("cue %q has `arm: false`, so no GO reaches it", s.sheet.List[i].Number)
	}
	return i, err
}

// Standby puts the cue called number on standby: the next GO starts that cue. It resets the time set by Load, and
// reports an event. If the cue is unknown or disabled in the sheet, it returns an error and changes no state.
func (s *Show) Standby(number string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	i, err := s.find(number)
	if err == nil {
		s.setStandby(i)
	}
	return err
}

// setStandby puts the cue with the index i in the cue list on standby. It resets the time set by Load to 0 and reports
// an event. If i is the length of the list, no cue is on standby. The caller holds s.mutex.
func (s *Show) setStandby(i int) {
	s.standby, s.loaded = i, 0
	s.report("standby " + s.number(i))
}

// number returns the number of the cue with the index i in the cue list. For an index outside of the list it returns
// "". The caller holds s.mutex.
func (s *Show) number(i int) string {
	if i < 0 || i >= len(s.sheet.List) {
		return ""
	}
	return s.sheet.List[i].Number
}

// Step moves standby, the cue for the next GO, by one armed cue: to the next one if the parameter by is 1, to the
// previous one if by is -1. Cues that the sheet disables are skipped. Step resets the time set by Load, and reports an
// event.
//
// A step forward from the last armed cue succeeds. Then no cue is on standby, and a GO returns ErrOver. A further step
// forward returns ErrEnd, and so does a step back from the first armed cue.
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

// Panic fades all sound out over 1 s. It also cancels cues that wait for their start, automatic starts of following
// cues, and the timeline. A further Panic less than 1 s after the begin of that fade fades out in 5 ms. If the show is
// paused, Panic resumes it, because a paused voice would never fade. It calls Options.Panicked and reports an event.
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

// stopAll fades all sound out; the parameter over is the length of the fade. It also cancels cues that wait for their
// start, automatic starts of following cues, and the timeline. It calls Options.Panicked and reports no event. The
// caller holds s.mutex.
func (s *Show) stopAll(over time.Duration) {
	s.player.Panic(over)
	if s.options.Panicked != nil {
		s.options.Panicked()
	}
}

// Stop fades out all running cues of the cue list and cancels their waits. The parameter over is the length of the
// fade. Stop reports an event. Sounds that no cue of the list started continue, and standby stays as it is.
func (s *Show) Stop(over time.Duration) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, r := range s.player.Playing() {
		s.player.StopCue(r.List, over)
	}
	s.report("stop")
}

// Pause pauses the whole show if on is true: voices, timeline, waits and follow-ons. Otherwise it resumes the show. It
// reports an event. If the show is in that state already, it has no effect.
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

// Answer calls the function do and returns after it. do carries out a client's command and writes the answer. While do
// runs, WaitForAnswers waits for it. Several goroutines may call Answer at once; their functions then run in parallel.
// But once WaitForAnswers has begun, Answer first waits for the earlier calls to return.
func (s *Show) Answer(do func()) {
	s.answering.RLock()
	defer s.answering.RUnlock()
	do()
}

// WaitForAnswers waits until all calls of Answer have returned, so that clients get the answers that are being written.
// It waits at most for the time limit, because a client may not read its answer. Call it after Quit: the client that
// has sent quit can then read the answer.
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

// Quit ends the show. It reports an event, closes the channel that Done returns, and calls Finish of the player, which
// fades out and ends. It does not wait for that. A second call has no effect.
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

// Change switches the running show to another version of its sheet. While the show is locked, it calls apply, which
// must make the player use the new sheet. So the list indexes of show and player always agree.
//
// Standby, the cue for the next GO, and the last GO keep their cue numbers. If the cue on standby was removed, the next
// remaining cue takes its place. If the list was over or has no such cue, the cue after the last GO is on standby. If
// there was no GO, or its cue was removed too, it is the first cue. Disabled cues are skipped. The time of Load stays
// as it is. Change reports no event.
//
// The result is the unsaved trims, changes of gain by Trim, in dB by cue number. Trims of removed cues are lost.
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

// Report reports line as an event of the show. State returns the event from then on, and the channels of Watch receive
// it.
func (s *Show) Report(line string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.report(line)
}

// maxEvents is the number of recent lines in a State.
const maxEvents = 100

// report records line as an event of the show. It appends line to the recent events that State returns, and keeps the
// last 100. It also sends line to the channels that Watch has registered. If such a channel is full, it misses the
// line. The caller holds s.mutex.
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

// Watch makes the show send its later events, one line of text each, to the channel lines until Unwatch. The show never
// waits for the channel: if the channel is full, the event is dropped.
func (s *Show) Watch(lines chan<- string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.watchers[lines] = true
}

// Unwatch ends the events that Watch sends to the channel lines. It does not close the channel. If the channel is not
// registered, it has no effect.
func (s *Show) Unwatch(lines chan<- string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.watchers, lines)
}
