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

	"voicepool/bank/rules"
	"voicepool/cmd/internal/cli/checkreport"
	"voicepool/cmd/internal/show/showrun"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/internal/sheet/loading"
	"voicepool/internal/words"
	"voicepool/mixer"
	"voicepool/sounds/library"
)

// playback is a player with its show and its sounds. If the player cannot change to a new sheet, the room replaces the
// playback.
type playback struct {
	player     *play.Player
	show       *showrun.Show
	sounds     *library.Library
	done       chan struct{}      // closed when the player has ended
	cancel     context.CancelFunc // cancels Run; nil in a paced room
	sceneFrame atomic.Int64       // the last requested scene acts before this frame

	mutex        sync.Mutex
	loaded       map[string]loadedSound  // by sound name
	pendingNames map[mixer.Handle]string // sound names of pending starts
	pruneSize    int                     // at this size, namePending removes the starts that have begun
}

// newLibrary returns an empty sound library with the sample rate of s and Options.Limits. When the library later loads
// a damaged sound file, a warning is passed to Options.Log.
func (r *Room) newLibrary(s *cue.Sheet) *library.Library {
	damaged := func(file string, damage library.Damage) { r.logLine("warning: " + checkreport.Line(file, damage)) }
	return library.NewLibrary(library.Options{Rate: s.Rate, Limits: r.options.Limits, OnDamage: damaged})
}

// newPlayback loads the sounds of the sheet s into lib and creates a player and a show for s. The player gets the
// options o and the options that each room needs. The result does not play yet, and the current playback of the room
// stays the same.
//
// The error is an *Error whose message does not show folders of the server. If ctx ends, it is the error of ctx.
func (r *Room) newPlayback(ctx context.Context, s *cue.Sheet, lib *library.Library, o play.Options) (*playback, error) {
	st := &playback{done: make(chan struct{}), pendingNames: map[mixer.Handle]string{}, sounds: lib}
	o.Live, o.Changes, o.Meters, o.Watch, o.Wake = true, true, true, func(e report.Event) { r.handleEvent(st, &e) }, r.wake
	o.StreamError = func(err error) { r.logLine(r.hideFolders(s, err.Error())) }
	o.Fired = r.recordScene
	player, err := play.NewPlayer(ctx, s, st.sounds, o)
	if err == nil {
		st.player = player
		if err = r.loadSounds(ctx, st, s); err == nil {
			err = player.Prime()
		}
		if err != nil {
			player.Close()
		}
	}
	if err != nil {
		return nil, r.sheetError(ctx, s, err)
	}
	st.show = showrun.New(s, restoredLoops{player, &r.loops}, showrun.Options{Guard: showrun.Guard, Panicked: r.scheduler.cancel})
	return st, nil
}

// handleEvent stores the event e of the playback st in the log. If e is the start of a voice by a list cue, it also
// records the voice for snapshots, if it loops or is a layer. The player of st calls it for each event.
func (r *Room) handleEvent(st *playback, e *report.Event) {
	r.eventLog.record(e)
	if st.player == nil || e.Kind != mixer.EventStarted {
		return // events during the construction of the player do not concern loops to restore
	}
	if s := st.player.Sheet(); e.Cue >= firstManualCue(s) && e.Cue < len(s.Cues) {
		r.loops.recordCue(st, &s.Cues[e.Cue], e)
	}
}

// firstManualCue returns the index of the first cue in s.Cues that needs a GO to start. The cues before it belong to
// the timeline of the sheet, which starts by itself. If all cues belong to that timeline, the result is the number of
// cues.
func firstManualCue(s *cue.Sheet) int {
	switch {
	case !hasTimeline(s):
		return 0
	case len(s.List) == 0:
		return len(s.Cues)
	}
	return s.List[0].First
}

// loadSounds loads the sounds of s through the library of st and makes them the current sounds of st, st.loaded. If it
// returns an error, as loadSheetSounds does, st.loaded is unchanged.
func (r *Room) loadSounds(ctx context.Context, st *playback, s *cue.Sheet) error {
	all, err := r.loadSheetSounds(ctx, s, st.sounds)
	if err != nil {
		return err
	}
	st.mutex.Lock()
	defer st.mutex.Unlock()
	st.loaded = all
	return nil
}

// loadSheetSounds loads the sounds of the sheet s through lib and returns them by name, with the present stamps of
// their files: modification time and size. It does not store them in the room. On failure the map is nil and the error
// is an *Error of Kind Range, or the error of ctx if ctx has ended.
func (r *Room) loadSheetSounds(ctx context.Context, s *cue.Sheet, lib *library.Library) (map[string]loadedSound, error) {
	ways := slices.Repeat([]loading.Modes{loading.Once}, len(s.Sounds))
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
		return nil, r.sheetError(ctx, s, err)
	}
	return loadedSounds(s, files), nil
}

// namePending stores sound as the sound name of the voices in handles, which have not begun, so that soundOf finds it.
// No event names them until they begin. If the table has grown to st.pruneSize, namePending first removes voices that
// have begun or ended. It then sets st.pruneSize to twice the remaining size plus 16.
func (st *playback) namePending(sound string, handles []mixer.Handle) {
	st.mutex.Lock()
	defer st.mutex.Unlock()
	if len(st.pendingNames) >= st.pruneSize {
		maps.DeleteFunc(st.pendingNames, func(h mixer.Handle, _ string) bool { return h.State() != mixer.StatePending })
		st.pruneSize = 2*len(st.pendingNames) + 16
	}
	for _, h := range handles {
		st.pendingNames[h] = sound
	}
}

// soundOf returns the sound name that namePending has stored for the voice h. It returns "" if no name is stored.
func (st *playback) soundOf(h mixer.Handle) string {
	st.mutex.Lock()
	defer st.mutex.Unlock()
	return st.pendingNames[h]
}

// find returns the voices of the mixer that target selects, also pending ones. If target is a number, it selects the
// voice with that number. It also selects all voices that were started with target as their id. Without such voices the
// result is nil.
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

// startRun sets st.cancel and runs the player on a new goroutine, until the player has ended or end is called;
// then st.done is closed. It is for rooms with a device. Errors of Run are passed to log. The end of ctx has no
// effect.
func (st *playback) startRun(ctx context.Context, log func(string)) {
	ctx, st.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(st.done)
		if err := st.player.Run(ctx); err != nil && !errors.Is(err, context.Canceled) {
			log(err.Error())
		}
	}()
}

// end closes the player. If startRun was called, end first stops Run and waits until it has returned. No goroutine
// may render any longer when end is called.
func (st *playback) end() {
	if st.cancel != nil {
		st.cancel()
		<-st.done
	}
	st.player.Close()
}

// soundNames returns the names of the sounds of the sheet s, in the order of the sheet.
func soundNames(s *cue.Sheet) []string {
	return words.Names(s.Sounds, func(s *rules.Sound) string { return s.Name })
}

// playerError converts err, an error of the player or the show, to an *Error of Kind Range. If the message begins with
// one word and a colon, that word becomes Field. If not, a message about a loop has the Field "loop".
func playerError(err error) *Error {
	text := strings.TrimPrefix(strings.TrimPrefix(words.Plain(err), cue.ErrAction.Error()+": "), "play: ")
	e := &Error{Kind: Range, Detail: text}
	if key, _, some := strings.Cut(text, ": "); some && !strings.Contains(key, " ") {
		e.Field = key
	} else if strings.Contains(text, " loop") {
		e.Field = "loop"
	}
	return e
}

// resultTimeout is the time limit for a result from a device and for requests to the player.
const resultTimeout = 2 * time.Second
