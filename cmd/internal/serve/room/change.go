package room

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/internal/words"
)

// replaceFade is the fade-out before another player replaces the current one.
const replaceFade = 50 * time.Millisecond

// Change switches the room to text, a sheet or a bank, and stores the room with Options.Save. Playing voices continue,
// and changed sound files are read again. After an error the room plays the old sheet; only if ctx ends, the change may
// still take effect.
//
// If the sheet needs another mixer, for example because of new buses, all voices fade out, over 50 ms or on a device
// within 300 ms. The new sheet then begins at frame 0 and keeps the bus settings made by hand. Stored events and
// scheduled actions are dropped.
//
// An invalid sheet is an *Error of Kind Range. A sheet with another sample rate or, on a device, another number of
// outputs is an *Error of Kind Refused. An ended room is Kind Closed.
func (r *Room) Change(ctx context.Context, text []byte) error {
	r.changes.Lock()
	defer r.changes.Unlock()
	return r.change(ctx, text)
}

// change does the work of Change for callers that hold the mutex r.changes. If Options.Save fails, it applies the old
// sheet again, even if ctx has ended, and returns the joined errors of both.
func (r *Room) change(ctx context.Context, text []byte) error {
	old := r.Text()
	err := r.apply(ctx, text)
	if err != nil || r.options.Save == nil {
		return err
	}
	if err := r.options.Save(r); err != nil {
		return errors.Join(err, r.apply(context.WithoutCancel(ctx), old))
	}
	return nil
}

// apply switches the room to the sheet text as Change does, but does not call Options.Save. On success it stores text
// as the result of Text. Settings that take effect only in a new room are reported to Options.Log. An ended room
// returns errClosed. The caller holds the mutex r.changes.
//
// After an error the room keeps the old text. The player usually keeps the old sheet, too. In two cases it may play the
// new sheet in spite of the error: if ctx ends during the change, or if the sounds cannot be read after it.
func (r *Room) apply(ctx context.Context, text []byte) error {
	if r.ended() {
		return errClosed
	}
	s, err := r.parseSheet(text)
	if err != nil {
		return err
	}
	if s.Rate != r.rate {
		return &Error{Kind: Refused, Field: "sheet", Reason: "rate", Detail: fmt.Sprintf("sheet: `rate` is %d in the room and %d in the sheet; end the room and create it again", r.rate, s.Rate)}
	}
	st := r.current()
	st.forgetChanged(s)
	unchanged, err := st.player.Change(ctx, s, st.sounds, func(activate func()) map[string]float64 { return st.show.Change(s, activate) })
	switch {
	case errors.Is(err, play.ErrChange):
		err = r.replace(ctx, s)
	case err != nil:
		err = r.sheetError(ctx, s, err)
	default:
		if len(unchanged) > 0 {
			r.logLine(fmt.Sprintf("%s: changed; %s unchanged until the room is created again", words.OneLine(r.options.Title), strings.Join(unchanged, ", ")))
		}
		err = r.loadSounds(ctx, st, s)
	}
	if err == nil {
		now := string(text)
		r.text.Store(&now)
	}
	return err
}

// replace switches the room to the sheet s with a new player and mixer. It is for sheets that the current player cannot
// change to. It ends the current playback, with a fade-out, and starts the new one at frame 0.
//
// The bus settings made by hand, the pause and the standby cue are kept, and the scene if s has it. Loops are not
// restored. A different number of outputs on a device is an *Error of Kind Refused. After an error the current playback
// continues. The caller holds the mutex r.changes.
func (r *Room) replace(ctx context.Context, s *cue.Sheet) error {
	now, err := r.newPlayback(ctx, s, r.newLibrary(s), play.Options{})
	if err != nil {
		return err
	}
	old := r.current()
	if was, is := old.player.Outputs(), now.player.Outputs(); was != is && r.output != nil {
		now.player.Close()
		return &Error{Kind: Refused, Field: "sheet", Reason: "outputs", Detail: fmt.Sprintf("sheet: the sound card plays %s, the sheet has %d; end the room and create it again", words.Count(was, "output"), is)}
	}
	snapshot := r.Snapshot()
	snapshot.Loops = nil
	r.setVolumes(now, snapshot)
	if r.clock != nil {
		r.fadeOutVoices(old)
		r.clock.mutex.Lock()
		r.swap(now)
		r.clock.setPlayback(now)
		r.clock.restart()
		r.clock.mutex.Unlock()
	} else {
		old.player.Hold(false) // a paused player would not end
		old.player.Finish()
		<-old.done
		r.swap(now)
		now.startRun(ctx, r.logLine)
	}
	old.end()
	if !slices.Contains(sceneNames(s), snapshot.Scene) {
		snapshot.Scene = ""
		r.manualBuses.setScene("")
	}
	r.restore(snapshot)
	return nil
}

// fadeOutVoices stops all voices of st, the current playback, with a fade of 50 ms and waits 70 ms for it, but not
// after the workers have ended. If no voice plays or is pending, it returns at once. The room must have no device.
func (r *Room) fadeOutVoices(st *playback) {
	if !r.hasVoices() {
		return
	}
	st.player.Mixer().StopAll(replaceFade)
	r.wake()
	select {
	case <-time.After(replaceFade + 2*mixInterval):
	case <-r.clock.workers.done:
	}
}

// swap makes now the current playback. It drops the stored events, loops, scheduled actions and scheduled bus changes
// of the previous playback. Listeners to an output that the new playback lacks are removed. swap does not end the
// previous playback. In a room without a device, the caller holds the mutex of the clock.
func (r *Room) swap(now *playback) {
	r.eventLog.mutex.Lock()
	r.eventLog.forgetVoices()
	r.eventLog.mutex.Unlock()
	r.loops.clear()
	r.scheduler.cancel()
	r.manualBuses.clearScheduled()
	r.listeners.setPairs(now.player.Outputs())
	r.playback.Store(now)
}

// setPairs sets the number of stereo outputs in each block to pairs. Listeners to an output that no longer exists are
// removed. Their Next then returns the buffered frames, and after them io.EOF.
func (h *listeners) setPairs(pairs int) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.pairs = pairs
	h.all = slices.DeleteFunc(h.all, func(l *Listener) bool {
		gone := l.pair >= pairs
		if gone {
			l.end(io.EOF)
		}
		return gone
	})
}
