package mixer

import (
	"cmp"
	"fmt"
	"slices"

	"voicepool/internal/hearing"
	"voicepool/internal/release"
	"voicepool/mixer/internal/busmix"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// Play requests a start of the sound s with the options o, at the next frame that is mixed. With Config.Lead the
// start is at the frame that Next returns. Whether the start gets a voice is decided only when Render executes the
// request. Play is the same as m.Engine().At(Now).Play(s, o), with the same errors.
func (m *Mixer) Play(s *sounds.Sound, o Options) (Handle, error) {
	return m.play(&command{kind: cmdPlay, frame: Now}, s, &o)
}

// Play requests a start of s with the options o at the moment. A returned handle only means that the request was
// sent. Whether the start gets a voice is decided at its frame, see Handle.State. The sound must have the sample rate
// of the mixer. On an error the handle is zero. The error is ErrBusy or ErrClosed, wraps ErrOption, or comes from
// opening a stream.
func (at Moment) Play(s *sounds.Sound, o Options) (Handle, error) {
	if at.mixer == nil {
		return Handle{}, errNoMixer
	}
	return at.mixer.play(&command{kind: cmdPlay, frame: at.frame, batch: at.batch, rank: at.rank}, s, &o)
}

// play requests a new start of the sound s with the options o and returns its handle. c is the command that it sends:
// a cmdPlay, or a cmdThen for a successor of the voice c.target. It stores the handle of the start's record in
// c.record, and replaces some values in o, such as gains of -Inf.
//
// On an error the handle is zero and no start was requested. The error wraps ErrOption for an invalid argument. It is
// ErrBusy if too many commands or starts are under way, ErrClosed after Close, and ErrGone if the predecessor is
// over. It may also come from opening a stream. play locks m.mutex.
func (m *Mixer) play(c *command, s *sounds.Sound, o *Options) (Handle, error) {
	if err := o.check(); err != nil {
		return Handle{}, err
	}
	switch {
	case s == nil:
		return Handle{}, fmt.Errorf("%w: no sound", ErrOption)
	case s.Rate() != m.rate:
		return Handle{}, fmt.Errorf("%w: sound %q is at %d Hz, the mixer at %d", ErrOption, s.Name(), s.Rate(), m.rate)
	case o.Bus.mixer != nil && o.Bus.mixer != m || o.Group != nil && o.Group.mixer != m:
		return Handle{}, fmt.Errorf("%w: the bus or the group is another mixer's", ErrOption)
	case !o.ownCountdowns(m):
		return Handle{}, fmt.Errorf("%w: a countdown is another mixer's", ErrOption)
	case c.frame < Now:
		return Handle{}, fmt.Errorf("%w: frame %d", ErrOption, c.frame)
	case c.when > AtLoopEnd:
		return Handle{}, fmt.Errorf("%w: there is no place %d for a successor", ErrOption, c.when)
	}
	if len(o.Sends) > 0 {
		if _, err := m.checkSends(o.Sends, o.Bus.index); err != nil {
			return Handle{}, err
		}
	}
	var source hearing.Source
	if o.Emitter != nil {
		var err error
		if source, err = hearing.NewSource(o.Emitter); err != nil {
			return Handle{}, positionError{err}
		}
	}
	m.pitches.requestMissingMips()
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.closed {
		return Handle{}, ErrClosed
	}
	if c.kind == cmdThen && !m.alive(m.recordOf(c.target.id)) {
		return Handle{}, ErrGone
	}
	id, r := m.acquire(c.frame)
	if r == nil {
		m.busyCalls.Add(1)
		return Handle{}, ErrBusy
	}
	var feed *sounds.StreamBuffer
	if s.Streamed() {
		var err error
		if feed, err = m.openStreamFor(id, s, o); err != nil {
			return Handle{}, err
		}
	}
	m.mayLoop = m.mayLoop || o.Loop || s.Streamed()
	m.setPlay(id, r, o.Play) // before the handle: Voices reads both without the mutex
	r.reset(id)
	r.setOptions(m, s, o)
	if r.options.Buffer, r.isSpatial = feed, o.Emitter != nil; r.isSpatial {
		if r.spatial == nil {
			r.spatial = m.spatials.Next()
		}
		r.spatial.Source = source
		if source.Muffles() || m.Now() <= m.filtersUntil {
			m.allocateFilters(r)
		}
	}
	if c.kind == cmdThen {
		if extra := m.extraOf(r); extra.predecessorFades == nil {
			extra.predecessorFades = new(voice.Moves)
		}
	}
	c.record = id
	m.pushReserved(c)
	if feed != nil {
		m.extraOf(r).startSeq = c.seq
		m.registerStream(feed)
	}
	m.pitches.initPitchRange(r, c)
	if predecessor := m.recordOf(c.target.id); c.kind == cmdThen && predecessor != nil {
		m.pitches.setSuccessor(predecessor, id)
	}
	return Handle{m, id, o.Play}, nil
}

// setOptions stores o, the options for a start of the sound s on m, in the record r. The options have been checked.
// Times are converted to frames. It allocates the state that the options need on both sides: sends, filters,
// countdowns, and the stem of the start. It also requests the spectrum of s if scores include filters. The stream and
// the place in space are left to the caller. The caller holds m.mutex.
func (r *record) setOptions(m *Mixer, s *sounds.Sound, o *Options) {
	pitch := o.Base.Pitch
	if o.Base.Speed != 0 && o.Base.Speed != 1 {
		pitch += pcm.FromRatio(o.Base.Speed)
	}
	release.Pointer(&r.sound, s)
	// Assigned field by field, except Buffer and Space: building a value elsewhere and copying it is
	// slower.
	v := &r.options
	v.BaseGain, v.Gain, v.Pan = o.Base.Gain, o.Gain, o.Pan
	v.BasePitch, v.Pitch, v.Speed = pitch, o.Pitch, o.Speed
	v.From, v.FadeIn, v.FadeShape = m.frames(o.From), m.frames(o.FadeIn), 0
	v.Loop, v.Rounds, v.Quality = o.Loop, int32(o.Rounds), cmp.Or(o.Quality, m.quality) // DefaultQuality is 0
	if !s.Streamed() {
		v.From = min(v.From, s.Frames())
	}
	if v.FadeIn > 0 {
		v.FadeShape = o.FadeShape
	} else if v.From > 0 {
		v.FadeIn = m.smooth
	}
	r.group = nil
	if o.Group != nil {
		r.group = o.Group.self
	}
	r.bus, r.prio, r.protect = o.Bus.index, int32(o.Priority), o.Protect
	r.importance = newImportance(o.Importance)
	r.whenFull, r.owner = o.WhenFull, o.Owner
	r.tag, r.ref, r.duration, r.loop, r.rounds = o.Tag, int64(o.Ref), m.frames(o.For), o.Loop, int32(o.Rounds)
	r.sendsPre = false
	if r.sends = uint8(len(o.Sends)); r.sends > 0 {
		extra := m.extraOf(r)
		if extra.sends == nil {
			extra.sends = new([VoiceSends]busmix.Send)
		}
		*extra.sends, _ = m.checkSends(o.Sends, o.Bus.index) // checked in play; repeated here so that starts without sends carry no array
		extra.sent = slices.Clone(o.Sends)
		r.sendsPre = slices.ContainsFunc(o.Sends, func(s Send) bool { return s.Pre })
		if r.sendsPre {
			m.allocatePrefader(r, extra)
		}
		m.sendBuffers.Prepare(extra.sends[:r.sends])
		m.enableSpectral()
	}
	if r.filtered = o.Filters != (Filters{}); r.filtered || m.Now() <= m.filtersUntil {
		m.allocateFilters(r)
		r.extra.Load().filters = o.Filters
	} else if m.responses.Load() != nil {
		m.requestSpectrum(r)
	}
	if r.hasCountdowns = o.Countdowns != [2]*Countdown{}; r.hasCountdowns {
		for i, c := range o.Countdowns {
			if extra := m.extraOf(r); c != nil {
				extra.countdowns[i] = c.state
			} else {
				extra.countdowns[i] = nil
			}
		}
	}
	if o.For > 0 {
		r.duration = max(r.duration, 1)
	}
	if m.stems != nil {
		m.extraOf(r).stem = m.stems.Add(busmix.StemName{Name: o.Name, Sound: s.Name(), File: s.File()}, int(r.bus))
	}
}
