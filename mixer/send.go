package mixer

import (
	"fmt"
	"slices"
	"time"

	"voicepool/internal/words"
	"voicepool/pcm"
	"voicepool/voice"
)

// Send is a way from a bus or a voice to another bus, beside its own: to a hall of which it is to have
// a part.
type Send struct {
	To   string       // the other bus, not the master
	Gain pcm.Decibels // -120..+24; -80 or less is silence
	Pre  bool         // before the gains of the bus, or before gain, pan and place of the voice: it stays as it is while those move
}

// VoiceSends is how many sends a voice may have.
const VoiceSends = 4

// SetSend moves the gain of a send of the bus, straight in decibels within a time of at least 5 ms. The
// error wraps ErrOption and names the nearest bus, or the range.
func (b Bus) SetSend(to string, gain pcm.Decibels, within time.Duration) error {
	return b.now(func(at Moment, t Target) error { return at.SetSend(t, to, gain, within) })
}

// SetSend moves the gain of the voice's send to a bus, as Bus.SetSend does. A voice that does not send
// there stays as it is.
func (h Handle) SetSend(to string, gain pcm.Decibels, within time.Duration) error {
	if h.mixer == nil {
		return ErrGone
	}
	h.play = 0
	return h.mixer.At(Now).SetSend(TargetVoice(h), to, gain, within)
}

// SetSend moves the gain of the sends to a bus from the moment on: of the bus that t names, or of the
// voices. Voices that do not send there stay as they are.
func (at Moment) SetSend(t Target, to string, gain pcm.Decibels, within time.Duration) error {
	m := at.mixer
	if err := t.check(m); err != nil {
		return err
	}
	if t.kind == allVoices {
		return fmt.Errorf("%w: everything cannot be set; set the sends of a bus", ErrOption)
	}
	if !setGain.takes((*float64)(&gain)) {
		return setGain.wrong(float64(gain))
	}
	bus, err := m.sendTo(to)
	if err != nil {
		return err
	}
	if t.kind == busVoices && !slices.Contains(m.sends[t.bus], bus) {
		return m.noSend(t.bus, to)
	}
	return m.sendEach(command{
		kind: cmdSend, frame: at.frame, salvo: at.salvo, rank: at.rank, ref: at.ref, target: t, over: m.frames(within),
		part: &part{send: &sendMove{to: to, bus: bus, gain: gain}},
	})
}

// sendTo returns the bus of a name to which there may be a send.
func (m *Mixer) sendTo(name string) (int, error) {
	if i := m.tree.find(name); i > 0 {
		return i, nil
	}
	return 0, fmt.Errorf("%w: there is no bus %q to send to%s", ErrOption, name, m.tree.nearest(name, ""))
}

// noSend says that a bus does not send to another one.
func (m *Mixer) noSend(bus uint16, to string) error {
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

// sendMove is where the gain of sends to a bus goes.
type sendMove struct {
	to   string
	bus  int
	gain pcm.Decibels
}

// checkSends returns what is wrong with the sends of a start on a bus, and where they lead.
func (m *Mixer) checkSends(sends []Send, bus uint16) (all [VoiceSends]send, err error) {
	if len(sends) > VoiceSends {
		return all, fmt.Errorf("%w: %d sends; a voice has at most %d", ErrOption, len(sends), VoiceSends)
	}
	for i, s := range sends {
		to, err := m.sendTo(s.To)
		switch {
		case err != nil:
			return all, err
		case to == int(bus):
			return all, fmt.Errorf("%w: the voice is on bus %q, and sends to it, too", ErrOption, s.To)
		case slices.ContainsFunc(all[:i], func(other send) bool { return other.bus == to }):
			return all, fmt.Errorf("%w: two sends to bus %q", ErrOption, s.To)
		case !setGain.takes((*float64)(&s.Gain)):
			return all, setGain.wrong(float64(s.Gain))
		}
		all[i] = send{bus: to, gain: voice.Rest(float64(s.Gain)), pre: s.Pre}
	}
	return all, nil
}

// sendFrames is for how many frames there is room where voices that send are mixed: a hop, and a tail.
func (m *Mixer) sendFrames() int64 { return max(m.hop, int64(m.rate)/100+1) }

// splits is what of a voice that sends a tail has a copy of.
type splits struct {
	screen voice.Screen
	pre    voice.Pre
}

// makePre makes what a start needs that sends before its fader. The mutex is held.
func (m *Mixer) makePre(r *record, rare *recordRare) {
	m.equip(r)
	if rare.pre == nil {
		rare.pre = &voice.Pre{}
	}
	if m.preRoom.Load() == nil {
		m.preRoom.Store(new(make([]pcm.Frame, m.sendFrames())))
	}
}

// sends looks for what is wrong with the sends of a bus.
func (c *complaint) sends(b *BusConfig, t tree) {
	named := map[string]bool{}
	for i := range b.Sends {
		s := &b.Sends[i]
		c.need(s.To != b.Name, "bus %q sends to itself", b.Name)
		if t.find(s.To) <= 0 {
			c.need(false, "bus %q sends to %q, which is no bus%s", b.Name, s.To, t.nearest(s.To, b.Name))
		}
		c.need(!named[s.To], "bus %q sends to %q twice", b.Name, s.To)
		c.need(setGain.takes((*float64)(&s.Gain)), "bus %q sends to %q with a gain of %v dB, which is not in %v..%v", b.Name, s.To, s.Gain, MinGain, MaxGain)
		named[s.To] = true
	}
}
