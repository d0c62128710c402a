package mixer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"voicepool/internal/property"
	"voicepool/pool"
	"voicepool/sounds"
)

// registerStream adds feed, an open stream, to m.openStreams, the list that Prepare and Close use. It drops closed
// streams from that list. The caller holds m.mutex.
func (m *Mixer) registerStream(feed *sounds.StreamBuffer) {
	m.openStreams = append(slices.DeleteFunc(m.openStreams, wakeIfClosed), feed)
}

// wakeIfClosed wakes the decoding goroutine of feed if feed is closed, and reports whether it is. The audio side closes
// streams without waking that goroutine. It could outlast Mixer.Close, which wakes only the streams in m.openStreams.
func wakeIfClosed(feed *sounds.StreamBuffer) bool {
	if !feed.Closed() {
		return false
	}
	feed.Close()
	return true
}

// openStreamFor opens a stream of the sound s with the options o, for the new start with the handle id. It unlocks
// m.mutex while it opens the stream, because foreign code may block, and locks it again. During that time it reserves
// room for the command of the start. On an error it releases the record of the start. The error is ErrClosed if the
// mixer was closed, or as in openStream. The caller holds m.mutex.
func (m *Mixer) openStreamFor(id pool.Handle, s *sounds.Sound, o *Options) (feed *sounds.StreamBuffer, err error) {
	m.inFlight.Add(1) // reserves room for the command
	m.mutex.Unlock()
	defer func() {
		m.mutex.Lock()
		m.inFlight.Add(-1)
		if feed != nil && m.closed {
			feed.Close()
			feed, err = nil, ErrClosed
		}
		if feed == nil {
			m.records.Release(id)
		}
	}()
	return m.openStream(s, m.frames(o.From), o.Loop, o.Rounds)
}

// openStream opens a stream of the sound s at the frame from of s. If loop is true, the stream plays its loop rounds
// times and then continues to its end; 0 means endlessly. If rounds is not 1 and the length of the loop is unknown, the
// error wraps ErrOption. Other errors come from the decoder and are wrapped; if opening the decoder panics, the error
// wraps sounds.ErrSound.
func (m *Mixer) openStream(s *sounds.Sound, from int64, loop bool, rounds int) (*sounds.StreamBuffer, error) {
	c := sounds.PlayRange{From: from}
	if loop && rounds != 1 {
		c.Rounds = int64(rounds)
		if c.Loop = s.Loop(); c.Loop.Frames() <= 0 {
			return nil, fmt.Errorf("%w: the stream %q cannot loop: its length is unknown", ErrOption, s.Name())
		}
	}
	feed, err := s.Open(c)
	if err != nil {
		return nil, fmt.Errorf("mixer: stream %q: %w", s.Name(), err)
	}
	return feed, nil
}

// streamedVoices returns the handles of the starts that t selects, play a stream, and are not over. They are in the
// order of their requests, because tails are summed in the order of commands. Without such starts the result is
// empty. It locks m.mutex.
func (m *Mixer) streamedVoices(t *Target) []Handle {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if len(m.openStreams) == 0 {
		return nil
	}
	var found []*record
	for _, r := range m.allRecords() {
		if s := r.sound.Load(); s != nil && s.Streamed() && m.alive(r) && m.selects(t, r) {
			found = append(found, r)
		}
	}
	slices.SortFunc(found, func(a, b *record) int { return cmp.Compare(a.extra.Load().startSeq, b.extra.Load().startSeq) })
	handles := make([]Handle, len(found))
	for i, r := range found {
		handles[i] = Handle{mixer: m, id: pool.Handle(r.id.Load())}
	}
	return handles
}

// seekStream moves the voice h, which plays a stream, to the frame c.position. It opens another stream there, with
// the loop settings of the voice, and sends a copy of the cmdSeek c with it for h alone. If the voice is gone, it
// returns nil. The error is as in openStream and sendStream.
func (m *Mixer) seekStream(c command, h Handle) error {
	r, unlock := h.lockAlive()
	if r == nil {
		return nil
	}
	s, loops, rounds := r.sound.Load(), r.loop, r.rounds
	unlock()
	if s == nil {
		return nil
	}
	feed, err := m.openStream(s, c.position, loops, int(rounds))
	if err != nil {
		return err
	}
	c.feed, c.target = feed, TargetVoice(h)
	return m.sendStream(c)
}

// setStreamRounds makes each stream that t selects play its loop rounds times; see setStreamRoundsOf. If rounds is 1,
// streams without a loop are left out. Voices that are gone are skipped. It stops at the first other error and
// returns it; streams before that one have changed.
func (at Moment) setStreamRounds(t *Target, rounds int) error {
	for _, h := range at.mixer.streamedVoices(t) {
		s := h.Sound()
		if s == nil || rounds == 1 && s.Loop().Frames() <= 0 {
			continue
		}
		if err := at.setStreamRoundsOf(h, s, rounds); err != nil && err != ErrGone {
			return err
		}
	}
	return nil
}

// setStreamRoundsOf makes the voice h, which plays the stream s, play its loop rounds times from the moment on.
// Forever means endlessly. The round that is playing then counts as the first. It opens another stream shortly before
// the end of the loop and sends it to the audio side. It then stores the setting in the record of h. The error wraps
// ErrOption for wrong rounds or an unknown loop, or is as in openStream and sendStream.
func (at Moment) setStreamRoundsOf(h Handle, s *sounds.Sound, rounds int) error {
	m := at.mixer
	loop, x := s.Loop(), float64(rounds)
	switch {
	case !normalize(property.Rounds, &x):
		return optionError(property.Rounds, x)
	case loop.Frames() <= 0:
		return fmt.Errorf("%w: the stream %q cannot loop: its length is unknown", ErrOption, s.Name())
	}
	feed, err := m.openStream(s, loop[1]-min(loop.Frames(), sounds.SwitchLead), true, max(rounds, 0))
	if err != nil {
		return err
	}
	c := command{kind: cmdSet, frame: at.frame, batch: at.batch, rank: at.rank, target: TargetVoice(h), feed: feed}
	c.change.put(property.Rounds, x)
	if err := m.sendStream(c); err != nil {
		return err
	}
	if r, unlock := h.lockAlive(); r != nil {
		defer unlock()
		r.loop, r.rounds = rounds != 1, int32(max(rounds, 0))
	}
	return nil
}

// sendStream sends the command c with the stream buffer c.feed. On an error it closes the buffer. The error is as in
// Mixer.send. It locks m.mutex.
func (m *Mixer) sendStream(c command) error {
	err := m.send(c)
	if err != nil {
		c.feed.Close()
	}
	return err
}

// Prepare makes offline rendering reproducible. It waits until all streams have decoded ahead. It also waits until
// the band-limited versions of sounds that pitched voices read are computed. Call it before each Render, on the same
// goroutine.
//
// Prepare returns the number of frames that may be rendered before the next call. Without streams this is a large
// number. With streams it is the smallest number of frames that any stream can serve at the highest speed. Control
// side.
func (m *Mixer) Prepare() (frames int) {
	m.pitches.requestMissingMips()
	m.refiner.Wait()
	m.mutex.Lock()
	m.openStreams = slices.DeleteFunc(m.openStreams, wakeIfClosed)
	open := slices.Clone(m.openStreams)
	m.mutex.Unlock()
	frames = math.MaxInt32
	for _, f := range open {
		f.Wait(int64(f.Capacity()) / 4 * 3)
		frames = min(frames, f.GuaranteedFrames(m.rate))
	}
	return frames
}

// ErrClosed is returned after Close by Play, and by Seek and changes of rounds of a stream.
var ErrClosed = errors.New("mixer: closed")

// Close ends the goroutines of the mixer: the stream decoders, the goroutines that compute band-limited versions of
// pitched sounds, and the goroutine of Handle.Done. It does not wait for them. It closes all channels of Done within
// 5 ms. Play then fails with ErrClosed. Control side.
//
// Close the device first: Render must not be called after Close. A mixer without streams, pitched sounds and calls of
// Done has no goroutines and needs no Close.
func (m *Mixer) Close() {
	m.refiner.CancelQueued()
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.closed = true
	for _, f := range m.openStreams {
		f.Close()
	}
	m.openStreams = nil
}
