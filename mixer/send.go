package mixer

import (
	"fmt"
	"slices"
	"time"

	"voicepool/internal/dsp"
	"voicepool/internal/property"
	"voicepool/internal/words"
	"voicepool/mixer/internal/busmix"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// Send feeds part of a bus or a voice to another bus, such as a reverb.
type Send struct {
	To   string       // the other bus, not the master
	Gain pcm.Decibels // -120..+24; -80 or less is silence
	Pre  bool         // taken before the gains of the bus, or before gain, pan and position of the voice
}

// VoiceSends is the maximum number of sends of a voice.
const VoiceSends = 4

// SetSend fades the gain of the send of b to another bus, linearly in decibels over the duration over, at least 5 ms.
// to is the name of the other bus. The parameter gain is the final gain, -120..+24 dB or -Inf. The error is ErrBusy,
// or wraps ErrOption and names the nearest bus or the range.
func (b Bus) SetSend(to string, gain pcm.Decibels, over time.Duration) error {
	return b.now(func(at Moment, t Target) error { return at.SetSend(t, to, gain, over) })
}

// SetSend fades the gain of the voice's send to a bus, over the duration over, as Bus.SetSend does. to is the name of
// the bus. A voice without such a send is unchanged. Other voices of the same Options.Play are not affected. The
// error is ErrGone for the zero Handle, ErrBusy, or wraps ErrOption. A voice that is over is not an error.
func (h Handle) SetSend(to string, gain pcm.Decibels, over time.Duration) error {
	if h.mixer == nil {
		return ErrGone
	}
	h.play = 0
	return h.mixer.Engine().At(Now).SetSend(TargetVoice(h), to, gain, over)
}

// SetSend fades the gain of a send. t selects the voices, or the bus, that have the send, and to is the name of the
// bus that receives it. The parameter gain is the final gain, -120..+24 dB or -Inf. The fade is linear in decibels
// and lasts the duration over, at least 5 ms. Voices without such a send are unchanged; a bus without it is an error.
// The error wraps ErrOption or is ErrBusy.
func (at Moment) SetSend(t Target, to string, gain pcm.Decibels, over time.Duration) error {
	m := at.mixer
	if err := t.check(m); err != nil {
		return err
	}
	if t.kind == allVoices {
		return fmt.Errorf("%w: everything cannot be set; set the sends of a bus", ErrOption)
	}
	if !normalize(property.Gain, (*float64)(&gain)) {
		return optionError(property.Gain, float64(gain))
	}
	bus, err := m.sendDestination(to)
	if err != nil {
		return err
	}
	if t.kind == busVoices && !slices.Contains(m.tree.Nodes[t.bus].Sends, bus) {
		return m.noSendError(t.bus, to)
	}
	return m.sendToPlay(command{
		kind: cmdSend, frame: at.frame, batch: at.batch, rank: at.rank, ref: at.ref, target: t, fadeFrames: m.frames(over),
		payload: &payload{send: &sendMove{to: to, bus: bus, gain: gain}},
	})
}

// sendDestination returns the index of the bus called name, for a send to that bus. The master is not allowed. For
// the master and an unknown name, the error wraps ErrOption and suggests the nearest name.
func (m *Mixer) sendDestination(name string) (int, error) {
	if i := m.tree.Find(name); i > 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%w: there is no bus %q to send to%s", ErrOption, name, m.tree.Nearest(name, ""))
}

// noSendError returns the error for a bus without a certain send. bus is the index of the bus, and to is the name of
// the bus that it does not send to. The error wraps ErrOption and suggests the nearest of the sends that the bus has.
func (m *Mixer) noSendError(bus uint16, to string) error {
	from := &m.tree.Nodes[bus]
	if len(from.Sends) == 0 {
		return fmt.Errorf("%w: bus %q has no sends", ErrOption, from.Name)
	}
	return fmt.Errorf("%w: bus %q has no send to %q; the nearest is %q", ErrOption, from.Name, to, words.Nearest(to, m.tree.Names(from.Sends)))
}

// sendMove is a fade of the gain of sends to a bus.
type sendMove struct {
	to   string
	bus  int
	gain pcm.Decibels
}

// checkSends converts sends, the sends of a start, to the state that the mixer uses. bus is the index of the bus of
// the start. The rest of the result is zero. The error, which wraps ErrOption, is for the first wrong send: too many
// sends, an unknown bus, the bus of the start itself, a bus twice, or a gain out of range.
func (m *Mixer) checkSends(sends []Send, bus uint16) (all [VoiceSends]busmix.Send, err error) {
	if len(sends) > VoiceSends {
		return all, fmt.Errorf("%w: %d sends; a voice has at most %d", ErrOption, len(sends), VoiceSends)
	}
	for i, s := range sends {
		to, err := m.sendDestination(s.To)
		switch {
		case err != nil:
			return all, err
		case to == int(bus):
			return all, fmt.Errorf("%w: the voice is on bus %q, and sends to it, too", ErrOption, s.To)
		case slices.ContainsFunc(all[:i], func(other busmix.Send) bool { return other.Bus == to }):
			return all, fmt.Errorf("%w: two sends to bus %q", ErrOption, s.To)
		case !normalize(property.Gain, (*float64)(&s.Gain)):
			return all, optionError(property.Gain, float64(s.Gain))
		}
		all[i] = newSend(to, &s)
	}
	return all, nil
}

// allocatePrefader prepares the start of r, which has a pre-fader send. It allocates filters for r and its
// successors, and in extra, the extra data of r, the output before gain and pan. The caller holds m.mutex.
func (m *Mixer) allocatePrefader(r *record, extra *recordExtra) {
	m.allocateFilters(r)
	if extra.pre == nil {
		extra.pre = &voice.Prefader{}
	}
}

// sends checks the gains of the sends of the bus b, and records the first error in c. It replaces gains of -Inf in
// b.Sends by MinGain.
func (c *configCheck) sends(b *BusConfig) {
	for i := range b.Sends {
		s := &b.Sends[i]
		c.requireProperty(fmt.Sprintf("bus %q, send to %q", b.Name, s.To), property.Gain, (*float64)(&s.Gain))
	}
}

// voiceSends returns the sends of the start of r. Callers may change their gains.
func (r *record) voiceSends() []busmix.Send {
	if r.sends == 0 {
		return nil
	}
	return r.extra.Load().sends[:r.sends]
}

// voiceSend returns the send with the given index of the voice that plays the start of r.
func (r *record) voiceSend(i int) busmix.VoiceSend {
	s := busmix.VoiceSend{Send: &r.extra.Load().sends[i], Home: int(r.bus)}
	if r.isSpatial {
		s.Attenuation = &r.spatial.Space.Sends
	}
	return s
}

// directPath returns the filter and the gain that the voice of the start of r has on its own bus, but not in its sends.
func (r *record) directPath() (d busmix.DirectPath) {
	if r.isSpatial {
		d = busmix.DirectPath{Screen: r.screen(), Gain: &r.spatial.Space.Direct}
	}
	return d
}

// mixSending mixes the next n frames of voice v, which has sends, into its own bus and into the destinations of its
// sends. The parameter next is the voice that will be mixed afterwards, so that its samples can be prefetched; it may
// be nil. v must not be paused.
func (a *audio) mixSending(v realVoice, next *voice.Voice, n int64) {
	if a.sendSteady(v, next, n) {
		return
	}
	r := v.Voice.record
	var pre []pcm.Frame
	if r.sendsPre {
		pre = a.sendBuffers.Pre(n)
		r.extra.Load().pre.SetOutput(pre, a.now)
	}
	given := a.mixAlone(v, next, n)
	if given == 0 {
		return
	}
	post := a.sendBuffers.Voice(given)
	dsp.Sum(a.graph.Buses[r.bus].Block(n)[:given], a.sendBuffers.Direct(r.directPath(), post, a.now))
	for i := range int(r.sends) {
		s, src := r.voiceSend(i), post
		if s.Pre {
			src = pre[:given]
		}
		a.graph.AddSent(s, a.sendBuffers, src, a.now, n)
	}
}

// sendSteady is a fast path of mixSending for a voice with a single send of constant gain. It mixes n frames of v into
// its bus and into the destination of the send in one pass, and reports whether it did. If the result is false, it has
// mixed no sound, and the caller mixes the voice in another way. The parameter next is the voice whose samples are
// prefetched; it may be nil.
func (a *audio) sendSteady(v realVoice, next *voice.Voice, n int64) bool {
	s, r := v.Voice, v.Voice.record
	if r.sends != 1 || n >= s.endAt-a.now || !s.voice.Sends(n) || r.directPath().Differs(a.now) {
		return false
	}
	send := r.voiceSend(0)
	share, steady := a.graph.SteadyShare(send, a.now)
	if steady {
		sent := a.sendBuffers.Voice(n) // discarded if the send is silent
		if share != 0 {
			sent = a.graph.Buses[send.Bus].Block(n)
		}
		s.voice.MixSend(next, a.graph.Buses[r.bus].Block(n), sent, share)
	}
	return steady
}

// mixAlone mixes the next n frames of voice v into a.sendBuffers instead of its bus. The result is the number of frames
// in that buffer, n or less; 0 if the voice had no output. The parameter next is the voice whose samples are
// prefetched; it may be nil.
func (a *audio) mixAlone(v realVoice, next *voice.Voice, n int64) (frames int64) {
	b := &a.graph.Buses[v.Voice.bus]
	detour := b.Redirect(a.sendBuffers.Voice(n))
	defer func() { // runs even if the voice panics
		if !b.Restore(detour) {
			frames = 0
		}
	}()
	return a.mixVoice(v.Index, v.Voice, next, n)
}

// sendTail adds the tail of voice s to the destinations of the voice's sends. It records in Stats how long the effects
// there may sound. The parameter pre holds the same tail before the gain of the voice, for pre-fader sends; nil
// without such a send. The parameter frame is the frame of the mix where the tail begins.
func (a *audio) sendTail(s *slot, tail, pre []pcm.Frame, frame int64) {
	for i := range int(s.record.sends) {
		send, src := s.record.voiceSend(i), tail
		if send.Pre {
			src = pre
		}
		a.noteTailUntil(a.graph.AddSentTail(send, a.sendBuffers, src, a.now, frame))
	}
}

// moveSend executes c, a cmdSend, for a send of the start of r. The gain of the send fades linearly in decibels within
// fadeFrames frames, from the present frame on. If this closes the send, Stats records how long the effects behind it
// may sound. It has no effect if the start does not send to the bus in c.
func (a *audio) moveSend(r *record, c *command, fadeFrames int64) {
	sends := r.voiceSends()
	for i := range sends {
		if s := &sends[i]; s.Bus == c.payload.send.bus {
			opened := s.Opens(a.now)
			s.Gain.RampGain(a.now, c.payload.send.gain, fadeFrames, sounds.Natural)
			if end := s.Gain.End(); opened && !s.Opens(end) {
				a.noteTailUntil(a.graph.TailUntil(s.Bus, end))
			}
		}
	}
}
