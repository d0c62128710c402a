package room

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/cmd/internal/findings"
	"voicepool/cmd/internal/show"
	"voicepool/cue"
	"voicepool/cue/report"
	"voicepool/internal/loading"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/sounds"
)

// playback is a player with its show and sounds. A change that the player does not support replaces the playback.
type playback struct {
	player *cue.Player
	show   *show.Show
	sounds *sounds.Library
	fed    chan struct{}      // closed when the player has ended
	cancel context.CancelFunc // cancels Feed; nil in a paced room
	scened atomic.Int64       // the frame after which the last scene acts

	mutex sync.Mutex
	held  map[string]held         // by sound name
	named map[mixer.Handle]string // sound names of pending starts
	most  int                     // at this size, expect removes the starts that have begun
}

// library returns an empty library with the limits of the room. Damaged files become warnings in the room's
// log.
func (r *Room) library(s *cue.Sheet) *sounds.Library {
	damaged := func(file string, place sounds.Damage) { r.say("warning: " + findings.Line(file, place)) }
	return sounds.NewLibrary(sounds.Options{Rate: s.Rate, Limits: r.options.Limits, OnDamage: damaged})
}

// newPlayback creates the player of a sheet and loads its sounds into lib. It does not start playback. An
// error is an *Error without the server's folders.
func (r *Room) newPlayback(ctx context.Context, s *cue.Sheet, lib *sounds.Library, o cue.Options) (*playback, error) {
	st := &playback{fed: make(chan struct{}), named: map[mixer.Handle]string{}, sounds: lib}
	o.Live, o.Changes, o.Meters, o.Watch, o.Wake = true, true, true, func(e report.Event) { r.watch(st, &e) }, r.wake
	o.Broken = func(err error) { r.say(r.hide(s, err.Error())) }
	o.Fired = r.fired
	player, err := cue.NewPlayer(ctx, s, st.sounds, o)
	if err == nil {
		st.player = player
		if err = r.learn(ctx, st, s); err == nil {
			err = player.Prime()
		}
		if err != nil {
			player.Close()
		}
	}
	if err != nil {
		return nil, r.unread(ctx, s, err)
	}
	st.show = show.New(s, restoredLoops{player, &r.loops}, show.Options{Guard: show.Guard, Panicked: r.scheduler.cancel})
	return st, nil
}

// watch stores an event of a playback in the log, and records a loop that a list cue has started.
func (r *Room) watch(st *playback, e *report.Event) {
	r.log.note(e)
	if st.player == nil || e.Kind != mixer.EventStarted {
		return // events during the construction of the player do not concern loops to restore
	}
	if s := st.player.Sheet(); e.Cue >= byHand(s) && e.Cue < len(s.Cues) {
		r.loops.fired(st, &s.Cues[e.Cue], e)
	}
}

// byHand returns the index of the first cue that a GO starts. Earlier cues are restored by the clock of the
// sheet.
func byHand(s *cue.Sheet) int {
	switch {
	case !timed(s):
		return 0
	case len(s.List) == 0:
		return len(s.Cues)
	}
	return s.List[0].First
}

// learn loads the sounds of a sheet and stores them in the playback as its current sounds.
func (r *Room) learn(ctx context.Context, st *playback, s *cue.Sheet) error {
	all, err := r.held(ctx, s, st.sounds)
	if err != nil {
		return err
	}
	st.mutex.Lock()
	defer st.mutex.Unlock()
	st.held = all
	return nil
}

// held loads the sounds of a sheet through lib and returns them by name, with the present stamps of their files.
// It does not store them in the room. On failure the map is nil and the error is an *Error, or the error of ctx if
// ctx has ended.
func (r *Room) held(ctx context.Context, s *cue.Sheet, lib *sounds.Library) (map[string]held, error) {
	ways := slices.Repeat([]loading.Ways{loading.Once}, len(s.Sounds))
	for i := range s.Sounds {
		if s.Sounds[i].Loop {
			ways[i] |= loading.Looped
		}
	}
	files, wrong, err := loading.Sounds(ctx, &s.Rules, lib, ways, loading.Options{})
	if err == nil {
		err = wrong.Err()
	}
	if err != nil {
		return nil, r.unread(ctx, s, err)
	}
	return holds(s, files), nil
}

// expect stores the sound name of pending starts, because no event provides it before they begin.
func (st *playback) expect(sound string, handles []mixer.Handle) {
	st.mutex.Lock()
	defer st.mutex.Unlock()
	if len(st.named) >= st.most {
		maps.DeleteFunc(st.named, func(h mixer.Handle, _ string) bool { return h.State() != mixer.StatePending })
		st.most = 2*len(st.named) + 16
	}
	for _, h := range handles {
		st.named[h] = sound
	}
}

// soundOf returns the sound name of a pending start, or "".
func (st *playback) soundOf(h mixer.Handle) string {
	st.mutex.Lock()
	defer st.mutex.Unlock()
	return st.named[h]
}

// find returns the voices of a target: the number of a voice, or an id. For an unknown target the result is
// empty.
func (st *playback) find(target string) (found []mixer.Handle) {
	number, err := strconv.ParseUint(target, 10, 64)
	tag, _ := st.player.Tag(target)
	for h := range st.player.Mixer().Voices() {
		if tag != 0 && h.Tag() == tag || err == nil && number != 0 && h.Number() == number {
			found = append(found, h)
		}
	}
	return found
}

// feed runs Feed of the player on a new goroutine, for a room with a device, until end. It logs errors with
// say.
func (st *playback) feed(ctx context.Context, say func(string)) {
	ctx, st.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(st.fed)
		if err := st.player.Feed(ctx); err != nil && !errors.Is(err, context.Canceled) {
			say(err.Error())
		}
	}()
}

// end closes the playback and its player. Rendering must have stopped.
func (st *playback) end() {
	if st.cancel != nil {
		st.cancel()
		<-st.fed
	}
	st.player.Close()
}

// buses returns the names of all buses of a sheet: "master", the other outputs, then the buses.
func buses(s *cue.Sheet) []string {
	names := []string{"master"}
	for i := range s.Outputs {
		if i > 0 {
			names = append(names, s.Outputs[i].Name)
		}
	}
	for i := range s.Buses {
		names = append(names, s.Buses[i].Name)
	}
	return names
}

// soundsOf returns the names of the sounds of a sheet.
func soundsOf(s *cue.Sheet) (names []string) {
	for i := range s.Sounds {
		names = append(names, s.Sounds[i].Name)
	}
	return names
}

// errorOf converts an error of an action to an *Error of Kind Range. Its Field is the word before a colon in
// the message, if any.
func errorOf(err error) *Error {
	text := strings.TrimPrefix(strings.TrimPrefix(words.Plain(err), cue.ErrAction.Error()+": "), "play: ")
	e := &Error{Kind: Range, Detail: text}
	if key, _, some := strings.Cut(text, ": "); some && !strings.Contains(key, " ") {
		e.Field = key
	} else if strings.Contains(text, " loop") {
		e.Field = "loop"
	}
	return e
}

// patience is the time limit for a result from a device and for requests to the player.
const patience = 2 * time.Second
