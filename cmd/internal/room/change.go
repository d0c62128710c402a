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

// fadeAway is how long what plays fades where another player takes the room.
const fadeAway = 50 * time.Millisecond

// Change has the room go by another sheet, which plays on: what sounds goes on, and files that have
// changed are read anew. Where the mixer itself is another one, as with new buses, everything fades out and
// the other sheet begins, at frame 0 and on the same device, with the gains that were moved by hand.
// Another rate, and on a card another number of outputs, are errors of Kind Refused.
func (r *Room) Change(ctx context.Context, text []byte) error {
	r.changes.Lock()
	defer r.changes.Unlock()
	return r.change(ctx, text)
}

// change is Change. The mutex of changes is held.
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

// apply is change without storing it.
func (r *Room) apply(ctx context.Context, text []byte) error {
	if r.ended() {
		return errClosed
	}
	s, err := r.read(text)
	if err != nil {
		return err
	}
	if s.Rate != r.rate {
		return &Error{Kind: Refused, Field: "sheet", Reason: "rate", Detail: fmt.Sprintf("sheet: `rate` is %d now, and %d there; end the room and make it again", r.rate, s.Rate)}
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
			r.say(fmt.Sprintf("%s: changed; %s as before until the room is made again", words.OneLine(r.options.Title), strings.Join(kept, ", ")))
		}
		err = r.learn(ctx, st, s)
	}
	if err == nil {
		now := string(text)
		r.text.Store(&now)
	}
	return err
}

// replace has another player take the room. The mutex of changes is held.
func (r *Room) replace(ctx context.Context, s *cue.Sheet) error {
	now, err := r.newStage(ctx, s, r.library(s), cue.Options{})
	if err != nil {
		return err
	}
	old := r.on()
	if was, is := old.player.Outputs(), now.player.Outputs(); was != is && r.card != nil {
		now.player.Close()
		return &Error{Kind: Refused, Field: "sheet", Reason: "outputs", Detail: fmt.Sprintf("sheet: the card plays %s now, and there are %d; end the room and make it again", words.Count(was, "output"), is)}
	}
	snapshot := r.Snapshot()
	snapshot.Loops = nil
	if r.pace != nil {
		r.fadeOut(old)
		r.pace.mutex.Lock()
		r.swap(now)
		r.pace.place(now)
		r.pace.again()
		r.pace.mutex.Unlock()
	} else {
		old.player.Hold(false) // what is paused would not end
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
		r.desk.show("")
	}
	r.resumeAll(snapshot)
	return nil
}

// fadeOut has all that plays fade, and waits for it.
func (r *Room) fadeOut(st *stage) {
	if !r.sounds() {
		return
	}
	st.player.Mixer().StopAll(fadeAway)
	r.wake()
	timer := time.NewTimer(fadeAway + 2*step)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.pace.workers.done:
	}
}

// swap has another stage be the one that plays. On a paced room its mutex is held.
func (r *Room) swap(now *stage) {
	r.log.mutex.Lock()
	r.log.forgetVoices()
	r.log.mutex.Unlock()
	r.loops.clear()
	r.agenda.cancel()
	r.desk.forget()
	r.hall.refit(now.player.Outputs())
	r.stage.Store(now)
}

// refit has listeners hear another number of outputs; those of one that is not there any more end.
func (h *hall) refit(pairs int) {
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
