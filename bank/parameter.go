package bank

import (
	"fmt"

	"voicepool/bank/rules"
	"voicepool/internal/chance"
	"voicepool/internal/parse"
	"voicepool/mixer"
	"voicepool/pcm"
)

// play is what is known of a play of several sounds, or with parameters. The bank's mutex guards it.
type play struct {
	bank   *Bank
	age    uint64 // of the handle that may use it
	number uint64 // of all plays of the bank
	rules  *rules.Sound
	voices []mixer.Handle // of the layers, each with what follows it
	gain   pcm.Decibels
	pitch  pcm.Semitones // the game's, without the parameters
	values []float64     // of the parameters, in their order
}

// over reports whether all voices have ended.
func (p *play) over() bool {
	for _, h := range p.voices {
		if !h.State().Over() {
			return false
		}
	}
	return true
}

// moved returns the gain and the pitch with the parameters, as far as a mixer goes.
func (p *play) moved() (gain pcm.Decibels, pitch pcm.Semitones) {
	gain, pitch = p.gain, p.pitch
	for i := range p.values {
		gain += pcm.Decibels(p.rules.Parameters[i].Gain.Of(p.values[i]))
		pitch += pcm.Semitones(p.rules.Parameters[i].Pitch.Of(p.values[i]))
	}
	return min(max(gain, mixer.MinGain), mixer.MaxGain), min(max(pitch, -mixer.MaxPitch), mixer.MaxPitch)
}

// free returns a play that is over, or a new one.
func (b *Bank) free() *play {
	for range min(len(b.plays), 8) {
		b.cursor = (b.cursor + 1) % len(b.plays)
		if p := b.plays[b.cursor]; p.over() {
			return p
		}
	}
	p := &play{bank: b, voices: make([]mixer.Handle, 0, parse.MaxLayers)}
	b.plays = append(b.plays, p)
	return p
}

// playMany starts a sound that has layers, parameters or something that follows it. Nothing plays if
// one of the layers cannot be asked for.
func (b *Bank) playMany(frame int64, s *sound, o *Options) (Handle, error) {
	p := b.free()
	p.age++
	b.played++
	p.number = b.played
	p.rules, p.voices, p.gain, p.pitch, p.values = s.rules, p.voices[:0], o.Gain, o.Pitch, p.values[:0]
	for i := range s.rules.Parameters {
		one := &s.rules.Parameters[i]
		at := one.At
		if x, set := b.values[one.Name]; set {
			at = x
		}
		p.values = append(p.values, min(max(at, one.From), one.To))
	}
	m := *o
	if within(float64(o.Gain), mixer.MinGain, mixer.MaxGain) && within(float64(o.Pitch), -mixer.MaxPitch, mixer.MaxPitch) {
		m.Gain, m.Pitch = p.moved() // else the mixer says what is wrong
	}
	one := [1]layer{{sound: s}}
	layers, base := s.layers, mixer.Base{Speed: 1}
	if layers == nil {
		layers = one[:]
	} else {
		d := chance.Draw{Seed: b.rules.Seed, Place: s.place, Time: s.plays}
		base = s.base(&d)
		m.Priority += s.rules.Priority
		if within(o.Pan, -mixer.MaxPan, mixer.MaxPan) {
			m.Pan = min(max(s.rules.Pan+o.Pan, -mixer.MaxPan), mixer.MaxPan)
		}
	}
	for _, l := range layers {
		at := frame
		if l.delay > 0 {
			if at == mixer.Now { // those without a delay have the lead too
				at = b.mixer.Now() + pcm.Frames(b.mixer.Latency().Lead, b.mixer.Rate())
			}
			at = max(at, b.mixer.Now()) + pcm.Frames(l.delay, b.mixer.Rate())
		}
		if err := b.begin(p, b.mixer.At(at), l.sound, &m, base); err != nil {
			for _, begun := range p.voices {
				_ = begun.Stop() // before it has sounded
			}
			return Handle{}, err
		}
	}
	if s.layers != nil {
		s.plays++
	}
	return Handle{Handle: p.voices[0], play: p, age: p.age}, nil
}

func within(x, least, most float64) bool { return x >= least && x <= most }

// set sets a parameter, which must be in its range.
func (p *play) set(i int, x float64) error {
	p.values[i] = x
	gain, pitch := p.moved()
	one := &p.rules.Parameters[i]
	return p.each(func(h mixer.Handle) error {
		if one.Gain != nil {
			if err := h.SetGain(gain); err != nil {
				return err
			}
		}
		if one.Pitch != nil {
			return h.SetPitch(pitch)
		}
		return nil
	})
}

// each calls do for all voices, and returns the first error; ErrGone only if all are gone.
func (p *play) each(do func(mixer.Handle) error) error {
	var first error
	gone := 0
	for _, h := range p.voices {
		switch err := do(h); {
		case err == mixer.ErrGone:
			gone++
		case err != nil && first == nil:
			first = err
		}
	}
	if gone == len(p.voices) {
		return mixer.ErrGone
	}
	return first
}

// inRange says what is wrong with a value of a parameter.
func inRange(sound string, p *rules.Parameter, x float64) error {
	if within(x, p.From, p.To) {
		return nil
	}
	return fmt.Errorf("%w: %s: %v is not in the range of %q, %v to %v", mixer.ErrOption, p.Name, x, sound, p.From, p.To)
}

// Set sets a parameter of all sounds that have it: of those that play, ramped over 5 ms, and of those
// that start from now on. It fails with ErrName, and with an error that wraps mixer.ErrOption if the
// value is beyond the range of one of them; then nothing has changed.
func (b *Bank) Set(parameter string, x float64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.takes(parameter, x); err != nil {
		return err
	}
	b.values[parameter] = x
	var first error
	for _, p := range b.plays {
		for i := range p.values {
			if p.rules.Parameters[i].Name != parameter || p.over() {
				continue
			}
			if err := p.set(i, x); err != nil && err != mixer.ErrGone && first == nil {
				first = err
			}
		}
	}
	return first
}

// takes reports what is wrong with a value for all that have a parameter.
func (b *Bank) takes(parameter string, x float64) error {
	found := false
	for i := range b.rules.Sounds {
		s := &b.rules.Sounds[i]
		for j := range s.Parameters {
			if p := &s.Parameters[j]; p.Name == parameter {
				found = true
				if err := inRange(s.Name, p, x); err != nil {
					return err
				}
			}
		}
	}
	if found {
		return nil
	}
	known := map[string]bool{}
	for i := range b.rules.Sounds {
		for j := range b.rules.Sounds[i].Parameters {
			known[b.rules.Sounds[i].Parameters[j].Name] = true
		}
	}
	return unknown("parameter", parameter, known)
}
