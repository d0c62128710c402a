package mixer

import (
	"fmt"
	"slices"
	"time"

	"voicepool/internal/words"
	"voicepool/pcm"
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

// SetSend fades the gain of the send of b to another bus, linearly in decibels over the time within, at least 5 ms.
// to is the name of the other bus. The parameter gain is the final gain, -120..+24 dB or -Inf. The error is ErrBusy,
// or wraps ErrOption and names the nearest bus or the range.
func (b Bus) SetSend(to string, gain pcm.Decibels, within time.Duration) error {
	return b.now(func(at Moment, t Target) error { return at.SetSend(t, to, gain, within) })
}

// SetSend fades the gain of the voice's send to a bus, over the time within, as Bus.SetSend does. to is the name of
// the bus. A voice without such a send is unchanged. Other voices of the same Options.Play are not affected. The
// error is ErrGone for the zero Handle, ErrBusy, or wraps ErrOption. A voice that is over is not an error.
func (h Handle) SetSend(to string, gain pcm.Decibels, within time.Duration) error {
	if h.mixer == nil {
		return ErrGone
	}
	h.play = 0
	return h.mixer.At(Now).SetSend(TargetVoice(h), to, gain, within)
}

// SetSend fades the gain of a send. t selects the voices, or the bus, that have the send, and to is the name of the
// bus that receives it. The parameter gain is the final gain, -120..+24 dB or -Inf. The fade is linear in decibels
// and lasts the time within, at least 5 ms. Voices without such a send are unchanged; a bus without it is an error.
// The error wraps ErrOption or is ErrBusy.
func (at Moment) SetSend(t Target, to string, gain pcm.Decibels, within time.Duration) error {
	m := at.mixer
	if err := t.check(m); err != nil {
		return err
	}
	if t.kind == allVoices {
		return fmt.Errorf("%w: everything cannot be set; set the sends of a bus", ErrOption)
	}
	if !propGain.normalize((*float64)(&gain)) {
		return propGain.rangeError(float64(gain))
	}
	bus, err := m.sendDestination(to)
	if err != nil {
		return err
	}
	if t.kind == busVoices && !slices.Contains(m.sends[t.bus], bus) {
		return m.noSendError(t.bus, to)
	}
	return m.sendToPlay(command{
		kind: cmdSend, frame: at.frame, batch: at.batch, rank: at.rank, ref: at.ref, target: t, fadeFrames: m.frames(within),
		payload: &payload{send: &sendMove{to: to, bus: bus, gain: gain}},
	})
}

// sendDestination returns the index of the bus called name, for a send to that bus. The master is not allowed. For
// the master and an unknown name, the error wraps ErrOption and suggests the nearest name.
func (m *Mixer) sendDestination(name string) (int, error) {
	if i := m.tree.find(name); i > 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%w: there is no bus %q to send to%s", ErrOption, name, m.tree.nearest(name, ""))
}

// noSendError returns the error for a bus without a certain send. bus is the index of the bus, and to is the name of
// the bus that it does not send to. The error wraps ErrOption and suggests the nearest of the sends that the bus has.
func (m *Mixer) noSendError(bus uint16, to string) error {
	name := m.tree[bus].name
	if len(m.sends[bus]) == 0 {
		return fmt.Errorf("%w: bus %q has no sends", ErrOption, name)
	}
	var names []string
	for _, i := range m.sends[bus] {
		names = append(names, m.tree[i].name)
	}
	return fmt.Errorf("%w: bus %q has no send to %q; the nearest is %q", ErrOption, name, to, words.Nearest(to, names))
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
func (m *Mixer) checkSends(sends []Send, bus uint16) (all [VoiceSends]send, err error) {
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
		case slices.ContainsFunc(all[:i], func(other send) bool { return other.bus == to }):
			return all, fmt.Errorf("%w: two sends to bus %q", ErrOption, s.To)
		case !propGain.normalize((*float64)(&s.Gain)):
			return all, propGain.rangeError(float64(s.Gain))
		}
		all[i] = send{bus: to, gain: voice.Constant(float64(s.Gain)), pre: s.Pre}
	}
	return all, nil
}

// sendBufferLen returns the length in frames of a buffer for a voice with sends. The buffer must hold either a hop,
// 20 ms, or the tail of a stopped voice, 10 ms and a frame. The result is the longer of both.
func (m *Mixer) sendBufferLen() int64 { return max(m.hop, int64(m.rate)/100+1) }

// splits holds copies of filter states while the tail of a voice with sends is mixed.
type splits struct {
	screen voice.DirectFilter
	pre    voice.Prefader
}

// allocatePrefader prepares the start of r, which has a pre-fader send. It allocates filters for r and its
// successors, and in extra, the extra data of r, the output before gain and pan. On first use it allocates the buffer
// that all these voices share. The caller holds m.mutex.
func (m *Mixer) allocatePrefader(r *record, extra *recordExtra) {
	m.allocateFilters(r)
	if extra.pre == nil {
		extra.pre = &voice.Prefader{}
	}
	if m.preBuffer.Load() == nil {
		m.preBuffer.Store(new(make([]pcm.Frame, m.sendBufferLen())))
	}
}

// sends checks the sends of the bus b against t, the tree of all buses. It records the first error in c: the bus
// sends to itself, to the master or an unknown bus, to a bus twice, or with a gain out of range. It replaces gains of
// -Inf in b.Sends by MinGain.
func (c *configCheck) sends(b *BusConfig, t tree) {
	named := map[string]bool{}
	for i := range b.Sends {
		s := &b.Sends[i]
		c.require(s.To != b.Name, "bus %q sends to itself", b.Name)
		if t.find(s.To) <= 0 {
			c.require(false, "bus %q sends to %q, which is no bus%s", b.Name, s.To, t.nearest(s.To, b.Name))
		}
		c.require(!named[s.To], "bus %q sends to %q twice", b.Name, s.To)
		c.require(propGain.normalize((*float64)(&s.Gain)), "bus %q sends to %q with a gain of %v dB, which is not in %v..%v", b.Name, s.To, s.Gain, MinGain, MaxGain)
		named[s.To] = true
	}
}
