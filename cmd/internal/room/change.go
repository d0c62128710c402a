package room

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"voicepool/cue"
	"voicepool/internal/words"
)

// fadeAway is the fade-out before another player replaces the current one.
const fadeAway = 50 * time.Millisecond

// Change switches the room to another sheet. Playing voices continue, and changed files are read again. If
// the sheet needs another mixer, for example for new buses, everything fades out. The new sheet then begins
// at frame 0 on the same device, with the gains that were set by hand. Another sample rate, or with a
// device another number of outputs, is an error of Kind Refused.
func (r *Room) Change(ctx context.Context, text []byte) error {
	r.changes.Lock()
	defer r.changes.Unlock()
	return r.change(ctx, text)
}

// change is Change for callers that hold the mutex of changes. If Options.Keep fails to store the new sheet,
// change applies the old one again.
func (r *Room) change(ctx context.Context, text []byte) error {
	old := r.Text()
	err := r.apply(ctx, text)
	if err != nil || r.options.Keep == nil {
		return err
	}
	if err := r.options.Keep(r); err != nil {
		return errors.Join(err, r.apply(context.WithoutCancel(ctx), old))
	}
	return nil
}

// apply is change without storing the sheet. After an error the room plays the old sheet.
func (r *Room) apply(ctx context.Context, text []byte) error {
	if r.ended() {
		return errClosed
	}
	s, err := r.read(text)
	if err != nil {
		return err
	}
	if s.Rate != r.rate {
		return &Error{Kind: Refused, Field: "sheet", Reason: "rate", Detail: fmt.Sprintf("sheet: `rate` is %d in the room and %d in the sheet; end the room and create it again", r.rate, s.Rate)}
	}
	st := r.on()
	st.forgetChanged(s)
	kept, err := st.player.Change(ctx, s, st.sounds, func(take func()) map[string]float64 { return st.show.Change(s, take) })
	switch {
	case errors.Is(err, cue.ErrChange):
		err = r.replace(ctx, s)
	case err != nil:
		err = r.unread(ctx, s, err)
	default:
		if len(kept) > 0 {
			r.say(fmt.Sprintf("%s: changed; %s unchanged until the room is created again", words.OneLine(r.options.Title), strings.Join(kept, ", ")))
		}
		err = r.learn(ctx, st, s)
	}
	if err == nil {
		now := string(text)
		r.text.Store(&now)
	}
	return err
}

// replace fades out the old player and installs a new one for a sheet, with the settings made by hand. The
// caller holds the mutex of changes.
func (r *Room) replace(ctx context.Context, s *cue.Sheet) error {
	now, err := r.newPlayback(ctx, s, r.library(s), cue.Options{})
	if err != nil {
		return err
	}
	old := r.on()
	if was, is := old.player.Outputs(), now.player.Outputs(); was != is && r.output != nil {
		now.player.Close()
		return &Error{Kind: Refused, Field: "sheet", Reason: "outputs", Detail: fmt.Sprintf("sheet: the sound card plays %s, the sheet has %d; end the room and create it again", words.Count(was, "output"), is)}
	}
	snapshot := r.Snapshot()
	snapshot.Loops = nil
	if r.clock != nil {
		r.fadeOut(old)
		r.clock.mutex.Lock()
		r.swap(now)
		r.clock.setPlayback(now)
		r.clock.again()
		r.clock.mutex.Unlock()
	} else {
		old.player.Hold(false) // a paused player would not end
		old.player.Finish()
		<-old.fed
		r.swap(now)
		now.feed(ctx, r.say)
	}
	old.end()
	known := false
	for i := range s.Scenes {
		known = known || s.Scenes[i].Name == snapshot.Scene
	}
	if !known {
		snapshot.Scene = ""
		r.faders.setScene("")
	}
	r.resumeAll(snapshot)
	return nil
}

// fadeOut fades out all voices of a clocked room and waits for the end of the fade. If the room is silent, it
// returns at once.
func (r *Room) fadeOut(st *playback) {
	if !r.sounds() {
		return
	}
	st.player.Mixer().StopAll(fadeAway)
	r.wake()
	timer := time.NewTimer(fadeAway + 2*step)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.clock.workers.done:
	}
}

// swap makes now the current playback and drops the voices, loops and scheduled actions of the old one. In a
// clocked room the caller holds the mutex of the clock.
func (r *Room) swap(now *playback) {
	r.log.mutex.Lock()
	r.log.forgetVoices()
	r.log.mutex.Unlock()
	r.loops.clear()
	r.scheduler.cancel()
	r.faders.forget()
	r.listeners.refit(now.player.Outputs())
	r.playback.Store(now)
}

// refit sets the number of output pairs. Next of listeners to a removed output returns io.EOF.
func (h *listeners) refit(pairs int) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.pairs = pairs
	left := h.all[:0]
	for _, l := range h.all {
		if l.pair < pairs {
			left = append(left, l)
			continue
		}
		l.end(io.EOF)
	}
	clear(h.all[len(left):])
	h.all = left
}
