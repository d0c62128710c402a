package mixer

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"voicepool/internal/property"
	"voicepool/mixer/internal/history"
	"voicepool/mixer/internal/pendingset"
	"voicepool/pcm"
	"voicepool/pool"
	"voicepool/sounds"
)

// ErrGone is returned if the voice has ended or never existed. The call had no effect.
var ErrGone = errors.New("mixer: the voice is gone")

// Handle identifies one start. It is a small comparable value. The zero Handle identifies no start. A
// handle of a voice that is gone never acts on another voice.
//
// All methods are control side, safe for concurrent use, and never wait for the audio side. They do not
// allocate, except the first time that a sound is played in a new pitch range, and while a mixer grows
// (see Config.Commands).
//
// Property changes take effect at the next frame that is mixed, ramped over 5 ms. Several changes of one
// property between two blocks replace each other. These calls fail with ErrGone or an error that wraps
// ErrOption. With Config.Lead every call has its own frame and may fail with ErrBusy. Use Engine.At for an
// exact frame.
type Handle struct {
	mixer *Mixer
	id    pool.Handle
	play  uint64 // Options.Play
}

// Mixer returns the mixer of the voice; nil for the zero Handle.
func (h Handle) Mixer() *Mixer { return h.mixer }

// State returns the state of the start, such as StatePlaying. The zero Handle has StateNone. A start that ended long
// ago is no longer remembered and has StateUnknown.
func (h Handle) State() State {
	if h.mixer == nil {
		return StateNone
	}
	h.mixer.mutex.Lock()
	defer h.mixer.mutex.Unlock()
	if r := h.mixer.recordOf(h.id); r != nil {
		return r.status.State()
	}
	return cmp.Or(State(h.mixer.finished.Find(h.id).State), StateUnknown)
}

// Number returns the number that events use for the start, at least 1. It is 0 while the start is pending, if it
// never started, and if it ended long ago. The zero Handle has 0, too.
func (h Handle) Number() uint64 {
	if r, unlock := h.lockRecord(); r != nil {
		defer unlock()
		return r.number.Load()
	}
	return h.finished().Number
}

// Position returns how far the voice has played into its sound, as of the end of the last block. After the voice has
// ended, it is the last position. It is 0 before the voice begins, for a voice that ended long ago, and for the zero
// Handle.
func (h Handle) Position() time.Duration {
	r, unlock := h.lockRecord()
	switch {
	case r != nil:
	case h.mixer == nil:
		return 0
	default:
		return pcm.Duration(h.finished().Position, h.mixer.rate)
	}
	defer unlock()
	for {
		status, word := r.status.Load(), &r.position
		i := status.Index()
		if i >= 0 {
			word = &h.mixer.playheads[i]
		}
		if frames := word.Load(); i < 0 || r.status.Load() == status { // otherwise the index may have a new owner
			return pcm.Duration(frames, h.mixer.rate)
		}
	}
}

// Playhead returns the position of the voice of h as of the end of the last block, in frames of its sound, and the
// frame of the mix that follows this block: there the voice plays on from that position, unless a command moves it. ok
// is false for a voice that is pending or gone, and while a block is being mixed. Control side.
func (e Engine) Playhead(h Handle) (frame, position int64, ok bool) {
	m := e.mixer
	r, unlock := h.lockAlive()
	if r == nil || h.mixer != m {
		if r != nil {
			unlock()
		}
		return 0, 0, false
	}
	defer unlock()
	before := m.published.Word(0)
	status, word := r.status.Load(), &r.position
	if i := status.Index(); i >= 0 {
		word = &m.playheads[i]
	}
	ok = status.State() != StatePending && m.mixing.Load() == 0
	frame, position = int64(before), word.Load()
	// A block that began after the first load either is not finished, or has published another frame or status.
	return frame, position, ok && m.mixing.Load() == 0 && m.published.Word(0) == before && r.status.Load() == status
}

// Mixing reports whether a block is being mixed. Commands for a frame of that block are late. Control side.
func (e Engine) Mixing() bool { return e.mixer.mixing.Load() != 0 }

// Stop fades the voice to silence, along a raised cosine, over the duration over, and then ends it. If over is 0 or
// less, the slot is free at once, and a tail of 10 ms fades out. If a voice has several stops, the stop that ends it
// first counts. A pending start is cancelled. Stop takes effect even if the ring buffer of commands is full. The error
// is ErrGone if the start is over.
func (h Handle) Stop(over time.Duration) error {
	r, unlock := h.lockAlive()
	if r == nil {
		return ErrGone
	}
	defer unlock()
	m := h.mixer
	frames := m.stopFrames(over)
	if frames == 0 && m.cancelHeld(h.id) {
		return nil
	}
	if m.push(command{kind: cmdStop, frame: Now, target: TargetVoice(h), fadeFrames: frames}) != nil {
		m.extraOf(r).pendingStop.Add(pendingset.Stop{ID: h.id, Frame: m.stopFrame(), Over: frames})
		m.deferStops()
	}
	return nil
}

// Pause fades the voice out over 10 ms and holds its position. The voice keeps its slot. A voice that a stop is
// fading out ends at once. The error is ErrGone or, with Config.Lead, ErrBusy.
func (h Handle) Pause() error { return h.setProperty(property.Paused, 1) }

// Resume ends a pause of the voice itself, also one by its tag or its sound. The voice fades in over 5 ms. It stays
// paused while its bus or the whole mixer (TargetAll) is paused. The error is ErrGone or, with Config.Lead, ErrBusy.
func (h Handle) Resume() error { return h.setProperty(property.Paused, 0) }

// SetGain sets the gain of the voice, ramped over 5 ms. gain is -120..+24 dB or -Inf; -80 or less is silence. The
// gain of Options.Base is added to it. The error is ErrGone or wraps ErrOption; with Config.Lead it may also be
// ErrBusy.
func (h Handle) SetGain(gain pcm.Decibels) error { return h.setProperty(property.Gain, float64(gain)) }

// SetPan sets the pan of the voice, ramped over 5 ms. pan is -1 (left) .. +1 (right). The error is ErrGone or
// wraps ErrOption; with Config.Lead it may also be ErrBusy.
func (h Handle) SetPan(pan float64) error { return h.setProperty(property.Pan, pan) }

// SetPitch sets the pitch of the voice, ramped over 5 ms. pitch is -48..+48 semitones. The pitch of Options.Base is
// added to it. The error is ErrGone or wraps ErrOption; with Config.Lead it may also be ErrBusy.
func (h Handle) SetPitch(pitch pcm.Semitones) error {
	return h.setProperty(property.Pitch, float64(pitch))
}

// SetSpeed sets the speed of the voice, ramped over 5 ms. speed is a ratio of 1/16..16; the speed of Options.Base
// multiplies it. The error is ErrGone or wraps ErrOption; with Config.Lead it may also be ErrBusy.
func (h Handle) SetSpeed(speed float64) error { return h.setProperty(property.Speed, speed) }

// SetPriority sets the priority of the voice, -1,000,000..1,000,000. Voices of lower priority are stolen first. The
// error is ErrGone or wraps ErrOption; with Config.Lead it may also be ErrBusy.
func (h Handle) SetPriority(priority int) error {
	return h.setProperty(property.Priority, float64(priority))
}

// Protect protects the voice from being stolen if on is true, and otherwise ends the protection. If the pool is over
// its size, voices may then be stolen at once. The error is ErrGone or, with Config.Lead, ErrBusy.
func (h Handle) Protect(on bool) error { return h.setProperty(property.Protect, boolFloat(on)) }

// Forever is a number of rounds: the voice loops endlessly.
const Forever = -1

// SetLoop sets how often the voice plays its loop, counted from the current round. rounds has the meaning of
// Options.Rounds: 1 leaves the loop at its end, and 2 repeats it once. Forever stays in the loop; 0 is an error. The
// voice jumps exactly at the loop points, without a fade. A voice beyond its loop is not affected, and neither is a
// sound in memory without a loop. A voice that was started without Options.Loop begins to loop. The error is ErrGone
// or wraps ErrOption; with Config.Lead it may also be ErrBusy.
//
// For a stream, SetLoop opens another decoder, which allocates and can fail as Play does. A stream of unknown loop
// length is an error that wraps ErrOption. If the decoder is not ready in time, the rounds count from a later one.
func (h Handle) SetLoop(rounds int) error {
	if s := h.Sound(); s != nil && s.Streamed() {
		return h.mixer.Engine().At(Now).setStreamRoundsOf(h, s, rounds)
	}
	return h.setProperty(property.Rounds, float64(rounds))
}

// Seek moves the voice to position in its sound. The old position fades out over 10 ms, and the new position fades in
// over 5 ms. A position beyond the end ends the voice, unless it loops. The error wraps ErrOption if position is
// negative, and is ErrGone if the voice has ended. With Config.Lead it may also be ErrBusy.
//
// For a stream, Seek opens another decoder and allocates. It may then return ErrBusy in every configuration, and the
// errors of Play. The loop counts its rounds from 0 again.
func (h Handle) Seek(position time.Duration) error {
	switch s := h.Sound(); {
	case position < 0:
		return negativePositionError(position)
	case h.mixer == nil:
		return ErrGone
	case s != nil && s.Streamed():
		return h.mixer.Engine().At(Now).Seek(TargetVoice(h), position)
	}
	return h.setProperty(property.Seek, float64(h.mixer.frames(position)))
}

// Fade moves the gain of the voice to the parameter gain, -120..+24 dB or -Inf, linearly in decibels over the duration
// over, at least 5 ms. At the end the voice continues, even if it is silent. Half of a fade to or from -Inf is too soft
// to hear; Moment.Set has fades along other curves, such as sounds.RaisedCosine. The error is ErrGone if the voice is
// over, or wraps ErrOption for an invalid gain. With Config.Lead it may also be ErrBusy.
func (h Handle) Fade(gain pcm.Decibels, over time.Duration) error {
	c := Change{Fields: FieldGain, Gain: gain, Shape: sounds.InDecibels}
	switch err := c.check(); {
	case h.mixer == nil || err != nil && h.State().Over():
		return ErrGone
	case err != nil:
		return err
	}
	return h.fadeProperties(&c, h.mixer.frames(over))
}

// Sound returns the sound of the start, also while the start is pending. It returns nil if the voice is gone.
func (h Handle) Sound() *sounds.Sound {
	return fromRecord(h, Handle.lockRecord, nil, func(r *record) *sounds.Sound { return r.sound.Load() })
}

// Tag returns the Options.Tag of the start. It is 0 for the zero Handle and for a voice that ended long ago.
func (h Handle) Tag() Tag {
	if r, unlock := h.lockRecord(); r != nil {
		defer unlock()
		return r.tag
	}
	return Tag(h.finished().Tag)
}

// Audibility returns the loudness of the voice in dB, as of the end of the last block. The mixer compares this
// value, plus Options.Importance, to find the least audible voice. It is the loudest average level that the voice will
// reach: in the next 20 ms if the voice can become virtual, otherwise in the rest of its sound. A silent voice, a
// pending start, and a voice that is gone have -Inf.
func (h Handle) Audibility() pcm.Decibels {
	power := fromRecord(h, Handle.lockAlive, 0, func(r *record) float32 { return r.score.First() })
	return pcm.FromPower(float64(power))
}

// Slot returns the slot of the voice, counted from 0. It returns -1 if the voice is virtual, pending or gone.
func (h Handle) Slot() int {
	i := fromRecord(h, Handle.lockAlive, -1, func(r *record) int { return r.status.Index() })
	if i >= 0 && i < h.mixer.maxVoices {
		return i
	}
	return -1
}

// Gain returns the gain of the voice in dB without the gain of Options.Base, updated every 20 ms. During a fade it is
// the final value of the fade. During a stop it is -Inf. ok is false for a voice that is gone or pending.
func (h Handle) Gain() (gain pcm.Decibels, ok bool) {
	r, unlock := h.lockAlive()
	if r == nil {
		return 0, false
	}
	defer unlock()
	return pcm.Decibels(r.levels.Second()), r.status.State() != StatePending
}

// Pan returns the pan of the voice, -1 (left) .. +1 (right), updated every 20 ms. It includes the place of the voice
// in space. It is 0 for a voice that is gone or pending.
func (h Handle) Pan() float64 {
	pan := fromRecord(h, Handle.lockAlive, 0, func(r *record) float32 { return r.levels.First() })
	return float64(pan)
}

// Looping reports whether the voice will jump back to the start of its loop when it reaches the loop's end. The
// result is updated every 20 ms. In a loop under 64 frames, it stays true until the voice has left the loop. For a
// stream it is the requested setting. It is false for a voice that is gone, and for a pending start of a sound in
// memory.
func (h Handle) Looping() bool {
	return fromRecord(h, Handle.lockAlive, false, func(r *record) bool {
		if s := r.sound.Load(); s != nil && s.Streamed() {
			return r.loop
		}
		return r.score.Second() != 0
	})
}

// fromRecord looks up the record of h and returns the result of answer for that record. find is the function for the
// look-up, Handle.lockRecord or Handle.lockAlive; both lock the mutex. Without a record the result is the parameter
// gone, and answer is not called. answer runs with the mutex held, and fromRecord unlocks the mutex afterwards.
// answer must not capture variables, because its closure would then be allocated.
func fromRecord[T any](h Handle, find func(Handle) (*record, func()), gone T, answer func(*record) T) T {
	r, unlock := find(h)
	if r == nil {
		return gone
	}
	defer unlock()
	return answer(r)
}

// lockRecord locks the mutex of the mixer and returns the record of h. The second result is a function that unlocks
// the mutex; the caller must call it. If h is zero or its record has been released, both results are nil and the
// mutex is unlocked.
func (h Handle) lockRecord() (*record, func()) {
	if h.mixer == nil {
		return nil, nil
	}
	h.mixer.mutex.Lock()
	if r := h.mixer.recordOf(h.id); r != nil {
		return r, h.mixer.unlock
	}
	h.mixer.mutex.Unlock()
	return nil, nil
}

// finished returns the state, number, tag and last position that are remembered of h, a start that has ended. Use it
// if the start no longer has a record. It returns the zero value if the start was forgotten or h is zero. It locks
// the mutex of the mixer.
func (h Handle) finished() history.Entry {
	if h.mixer == nil {
		return history.Entry{}
	}
	h.mixer.mutex.Lock()
	defer h.mixer.mutex.Unlock()
	return h.mixer.finished.Find(h.id)
}

// lockAlive locks the mutex of the mixer and returns the record of h. The second result is a function that unlocks
// the mutex; the caller must call it. If h is zero, or the start has no record or is over, both results are nil and
// the mutex is unlocked.
func (h Handle) lockAlive() (*record, func()) {
	r, unlock := h.lockRecord()
	if r != nil && r.status.State().Over() {
		unlock()
		return nil, nil
	}
	return r, unlock
}

// setProperty sets the property field of the voice to value, in the unit of that property, from the next frame on. It
// stores a pending set, which the audio side reads before the next block. With Config.Lead it sends a command
// instead. The error wraps ErrOption if value is out of range, is ErrGone if the start is over or, with Config.Lead,
// is ErrBusy. setProperty locks the mutex.
func (h Handle) setProperty(field property.ID, value float64) error {
	if !normalize(field, &value) {
		return optionError(field, value)
	}
	r, unlock := h.lockAlive()
	if r == nil {
		return ErrGone
	}
	defer unlock()
	m := h.mixer
	if m.clock.Lead > 0 { // each set has its own frame
		return m.push(setCommand(h, field, value))
	}
	h.storeSet(r, field, value, 0, sounds.InDecibels)
	return nil
}

// Handles are voices of one mixer that change together, such as the layers of a sound. Each method acts at one frame
// on all of them that are not over, including pending starts; Engine.Together lists the exceptions for a mixer with
// very many commands under way. It fails with ErrGone if all are over. After an error no voice has changed, except by
// new rounds of streams, see Handles.Set. Zero handles are skipped. Handles of other mixers than the first other
// handle's are skipped. The methods allocate as Engine.Together does: a Stop of many voices, for example.
type Handles []Handle

// Stop ends the voices as Handle.Stop does. It takes effect even if the ring buffer of commands is full.
func (hs Handles) Stop(over time.Duration) error {
	return hs.apply(&command{kind: cmdStop}, over)
}

// Pause pauses the voices as Handle.Pause does. With Config.Lead the error may be ErrBusy.
func (hs Handles) Pause() error { return hs.apply(&command{kind: cmdPause}, 0) }

// Resume ends a Pause as Handle.Resume does. With Config.Lead the error may be ErrBusy.
func (hs Handles) Resume() error { return hs.apply(&command{kind: cmdResume}, 0) }

// Set changes properties of the voices over the duration over, as Moment.Set does. The error is ErrGone, wraps
// ErrOption or, with Config.Lead, is ErrBusy. New rounds of streams open other decoders, one after another, as
// Handle.SetLoop does: streams change at different frames and, after an error, some of them may have changed.
func (hs Handles) Set(c Change, over time.Duration) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := c.checkVoice(); err != nil {
		return err
	}
	if c.Fields&FieldRounds != 0 {
		m := hs.mixer()
		for _, h := range hs {
			if s := h.Sound(); h.mixer == m && s != nil && s.Streamed() && !h.State().Over() {
				if err := h.SetLoop(c.Rounds); err != nil && err != ErrGone {
					return err
				}
			}
		}
	}
	return hs.apply(&command{kind: cmdSet, change: c}, over)
}

// mixer returns the mixer of the first handle that is not zero, or nil without such a handle.
func (hs Handles) mixer() *Mixer {
	if i := slices.IndexFunc(hs, func(h Handle) bool { return h.mixer != nil }); i >= 0 {
		return hs[i].mixer
	}
	return nil
}

// apply sends copies of c, a command of the methods above, to the voices of hs. It sets the frame, the target and the
// length of the fade, from the duration over. Without Config.Lead it stores pending sets instead, unless c is a stop.
func (hs Handles) apply(c *command, over time.Duration) error {
	m := hs.mixer()
	if m == nil {
		return ErrGone
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	alive := 0
	for _, h := range hs {
		if h.mixer == m && m.alive(m.recordOf(h.id)) {
			alive++
		}
	}
	if alive == 0 {
		return ErrGone
	}
	c.frame, c.fadeFrames = Now, m.stopFrames(over)
	stores := m.clock.Lead == 0 && c.kind != cmdStop
	full := !stores && m.inFlight.Len()+int64(alive) > m.capacity.Limit(true)
	stopAt := int64(0)
	if full {
		m.busyCalls.Add(1)
		if c.kind != cmdStop {
			return ErrBusy
		}
		stopAt = m.stopFrame()
	}
	m.hold()
	defer m.release()
	for _, h := range hs {
		r := m.recordOf(h.id)
		if h.mixer != m || !m.alive(r) {
			continue
		}
		switch {
		case c.kind == cmdStop && c.fadeFrames == 0 && m.cancelHeld(h.id):
		case full:
			m.extraOf(r).pendingStop.Add(pendingset.Stop{ID: h.id, Frame: stopAt, Over: c.fadeFrames})
		case !stores:
			c.target = TargetVoice(h)
			m.pushReserved(c)
		case c.kind == cmdSet:
			h.storeSets(r, &c.change, c.fadeFrames)
		default:
			h.storeSet(r, property.Paused, boolFloat(c.kind == cmdPause), 0, sounds.InDecibels)
		}
	}
	if full {
		m.deferStops()
	}
	return nil
}
