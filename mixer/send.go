package mixer

import (
	"fmt"
	"time"

	"voicepool/internal/words"
	"voicepool/pcm"
)

// Send is a way from a bus or a voice to another bus, beside its own: to a hall of which it is to have
// a part.
type Send struct {
	To   string       // the other bus, not the master
	Gain pcm.Decibels // -120..+24; -80 or less is silence
	Pre  bool         // before the gains of the bus or the gain of the voice: it stays as it is while those move
}

// VoiceSends is how many sends a voice may have.
const VoiceSends = 4

// SetSend moves the gain of a send of the bus, straight in decibels within a time of at least 5 ms. The
// error wraps ErrOption and names the nearest send, or the range.
func (b Bus) SetSend(to string, gain pcm.Decibels, within time.Duration) error {
	return b.now(func(at Moment, _ Target) error { return at.SetSend(b, to, gain, within) })
}

// SetSend moves the gain of a send of a bus from the moment on, as Bus.SetSend does.
func (at Moment) SetSend(b Bus, to string, gain pcm.Decibels, within time.Duration) error {
	m, t := at.mixer, TargetBus(b)
	if err := t.check(m); err != nil {
		return err
	}
	if !setGain.takes((*float64)(&gain)) {
		return setGain.wrong(float64(gain))
	}
	var names []string
	for place, bus := range m.sends[b.index] {
		name := m.tree[bus].name
		if name == to {
			return m.send(command{
				kind: cmdSend, frame: at.frame, salvo: at.salvo, rank: at.rank, ref: at.ref, target: t, over: m.frames(within),
				part: &part{send: &sendMove{to: to, place: place, gain: gain}},
			})
		}
		names = append(names, name)
	}
	if names == nil {
		return fmt.Errorf("%w: bus %q has no sends", ErrOption, b.Name())
	}
	return fmt.Errorf("%w: bus %q has no send to %q; the nearest is %q", ErrOption, b.Name(), to, words.Nearest(to, names))
}

// sendMove is where the gain of a send of a bus goes.
type sendMove struct {
	to    string
	place int
	gain  pcm.Decibels
}

// sends looks for what is wrong with the sends of a bus.
func (c *complaint) sends(b *BusConfig, t tree) {
	named := map[string]bool{}
	for i := range b.Sends {
		s := &b.Sends[i]
		c.need(s.To != b.Name, "bus %q sends to itself", b.Name)
		c.need(t.find(s.To) > 0, "bus %q sends to %q, which is no bus", b.Name, s.To)
		c.need(!named[s.To], "bus %q sends to %q twice", b.Name, s.To)
		c.need(setGain.takes((*float64)(&s.Gain)), "bus %q sends to %q with a gain of %v dB, which is not in %v..%v", b.Name, s.To, s.Gain, MinGain, MaxGain)
		named[s.To] = true
	}
}
