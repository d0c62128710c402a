package bank

import (
	"fmt"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/chance"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// withParameters returns the game's present gain in dB and pitch plus the values of the parameters, as plusParameters
// does. The caller holds Bank.mu.
func (p *play) withParameters() (gain pcm.Decibels, pitch pcm.Semitones) {
	if len(p.changes) > 0 {
		p.adopt()
	}
	return p.plusParameters(p.gain, p.pitch)
}

// plusParameters returns gain, the game's gain in dB, and pitch, the game's pitch, plus the values of the curves of p's
// parameters, limited to the range of the mixer. If the game's gain is silence, the result is silence, too, as in cue
// sheets. The caller holds Bank.mu.
func (p *play) plusParameters(gain pcm.Decibels, pitch pcm.Semitones) (pcm.Decibels, pcm.Semitones) {
	silent := gain <= pcm.Silence
	for i := range p.values {
		gain += pcm.Decibels(p.rules.Parameters[i].Gain.Value(p.values[i]))
		pitch += pcm.Semitones(p.rules.Parameters[i].Pitch.Value(p.values[i]))
	}
	if silent {
		gain = min(gain, pcm.Silence)
	}
	return min(max(gain, mixer.MinGain), mixer.MaxGain), min(max(pitch, -mixer.MaxPitch), mixer.MaxPitch)
}

// playMany starts s, which has layers, parameters or followers, at frame, which may be mixer.Now, and returns one
// handle for all its voices. If a voice cannot start, it stops the others, takes back the random choices, and returns
// the zero Handle and the error. The caller holds mu, which is released while a stream is opened.
func (b *Bank) playMany(frame int64, s *sound, o *Options) (Handle, error) {
	p := b.newPlay(s, o)
	err := b.startAll(p, frame, s, o)
	if p.starting = false; err != nil {
		return Handle{}, err
	}
	return Handle{Handle: p.voices[0], play: p, age: p.age}, nil
}

// newPlay returns a play of s with the options o that is starting and has no voices yet. The caller holds mu.
func (b *Bank) newPlay(s *sound, o *Options) *play {
	p := b.plays.acquire(b)
	p.starting, p.stopped = true, false
	p.age++
	p.number = bankNumberBit | lastPlayNumber.Add(1)
	p.rules, p.voices, p.sounds, p.gain, p.pitch, p.values = s.rules, p.voices[:0], p.sounds[:0], o.Gain, o.Pitch, p.values[:0]
	p.changes = p.changes[:0]
	for i := range s.rules.Parameters {
		one := &s.rules.Parameters[i]
		at := one.At
		if x, set := b.values[one.Name]; set {
			at = x
		}
		p.values = append(p.values, min(max(at, one.From), one.To))
	}
	return p
}

// startAll starts the layers of s, or s itself if it has no layers, as voices of p. The delays of layers count from
// frame, or from the next frame if frame is mixer.Now. If a voice cannot start, it stops the others and takes back the
// random choices. The caller holds mu, which is released while a stream is opened.
func (b *Bank) startAll(p *play, frame int64, s *sound, o *Options) error {
	m := *o
	valid := inInterval(float64(o.Gain), mixer.MinGain, mixer.MaxGain) && inInterval(float64(o.Pitch), -mixer.MaxPitch, mixer.MaxPitch)
	gain, pitch := p.withParameters()
	if valid { // otherwise the mixer reports the invalid value
		m.Gain, m.Pitch = gain, pitch
	}
	single := [1]layer{{sound: s}}
	layers, base := s.layers, mixer.Base{Speed: 1}
	if layers == nil {
		layers = single[:]
	} else {
		d := chance.Draw{Seed: b.rules.Seed, Stream: s.chanceKey, Count: s.plays}
		base = s.base(&d)
		m.Priority += s.rules.Priority
		m.Importance = addImportance(s.rules.Importance, m.Importance)
		if inInterval(o.Pan, -mixer.MaxPan, mixer.MaxPan) {
			m.Pan = min(max(s.rules.Pan+o.Pan, -mixer.MaxPan), mixer.MaxPan)
		}
	}
	first, from := frame, frame // first is for layers without a delay; from is the base of the delays
	if frame == mixer.Now && len(layers) > 1 {
		if from = b.mixer.Engine().Next(); b.mixer.Latency().Lead > 0 {
			first = from // the same scheduling clock for all layers
		}
	}
	from = max(from, b.mixer.Now())
	var err error
	start := func() {
		for _, l := range layers {
			at := first
			if l.delay > 0 {
				at = from + l.delay
			}
			if err = b.startWithFollowers(p, b.mixer.Engine().At(at), l.sound, &m, base); err != nil {
				p.undo() // the same block receives the starts and the stops
				return
			}
		}
	}
	if s.streams { // opening one takes time
		start()
	} else {
		b.mixer.Engine().Together(start)
	}
	if err != nil {
		return err
	}
	if s.layers != nil {
		s.plays++
	}
	if g, x := p.withParameters(); g != gain || x != pitch { // Bank.Set may have changed a parameter while a stream was opened
		_ = p.apply(mixer.FieldGain|mixer.FieldPitch, g, x) // no effect on voices that have ended
	}
	return nil
}

// addImportance returns the sum of own, the importance of a sound, and given, which a start adds to it. Both are in dB.
// The sum is limited to the range of the mixer, as in cue sheets. If given is out of range, it is the result, and the
// mixer reports it.
func addImportance(own, given pcm.Decibels) pcm.Decibels {
	if !inInterval(float64(given), -mixer.MaxImportance, mixer.MaxImportance) {
		return given
	}
	return min(max(own+given, -mixer.MaxImportance), mixer.MaxImportance)
}

// inInterval reports whether x is in low..high, both inclusive. For NaN it returns false.
func inInterval(x, low, high float64) bool { return x >= low && x <= high }

// setParameter sets parameter i of p.rules for this play to x, which must be in its range, and updates the gain and
// pitch of its voices. It returns mixer.ErrGone if all voices have ended. After another error the value is unchanged.
// The caller holds Bank.mu.
func (p *play) setParameter(i int, x float64) error {
	before, one := p.values[i], &p.rules.Parameters[i]
	p.values[i] = x
	var fields mixer.Fields
	if one.Gain != nil {
		fields |= mixer.FieldGain
	}
	if one.Pitch != nil {
		fields |= mixer.FieldPitch
	}
	if fields == 0 {
		return nil
	}
	gain, pitch := p.withParameters()
	err := p.apply(fields, gain, pitch)
	if err != nil && err != mixer.ErrGone { // mixer.ErrGone: the play may be opening its first stream
		p.values[i] = before
	}
	return err
}

// apply sets the gain and pitch of all voices of p that fields selects, with the parameters already added, over 5 ms.
// The error is as in mixer.Handles.Set.
func (p *play) apply(fields mixer.Fields, gain pcm.Decibels, pitch pcm.Semitones) error {
	return mixer.Handles(p.voices).Set(mixer.Change{Fields: fields, Gain: gain, Pitch: pitch, Shape: sounds.InDecibels}, 0)
}

// forEach calls do for each voice of p, also after an error, and returns the first error other than mixer.ErrGone. It
// returns mixer.ErrGone only if do returned it for all voices. The caller holds Bank.mu.
func (p *play) forEach(do func(mixer.Handle) error) error {
	var first error
	ended := 0
	for _, h := range p.voices {
		switch err := do(h); {
		case err == mixer.ErrGone:
			ended++
		case err != nil && first == nil:
			first = err
		}
	}
	if ended == len(p.voices) {
		return mixer.ErrGone
	}
	return first
}

// inRange returns nil if x is in the range of the parameter p, or an error that wraps mixer.ErrOption and a
// *pcm.RangeError. sound is the name of the sound that has p, for the message.
func inRange(sound string, p *rules.Parameter, x float64) error {
	if inInterval(x, p.From, p.To) {
		return nil
	}
	return fmt.Errorf("%w: sound %q: %w", mixer.ErrOption, sound, &pcm.RangeError{Name: p.Name, Value: x, Min: p.From, Max: p.To})
}

// Set sets a parameter of the bank's file for all sounds that have it. parameter is its name. Playing voices move to
// the new value within 5 ms, and later starts use it. x is the value in the unit of the parameter. The error wraps
// ErrName, or mixer.ErrOption if x is out of the range of any of these sounds; no value changes then. Any other error
// comes from the mixer.
func (b *Bank) Set(parameter string, x float64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.checkParameter(parameter, x); err != nil {
		return err
	}
	b.values[parameter] = x
	var first error
	for _, p := range b.plays.all {
		for i := range p.values {
			if p.rules.Parameters[i].Name != parameter || p.ended() {
				continue
			}
			if err := p.setParameter(i, x); err != nil && err != mixer.ErrGone && first == nil {
				first = err
			}
		}
	}
	return first
}

// checkParameter returns nil if x is in range for every sound that has the parameter called parameter. The error
// wraps mixer.ErrOption, or ErrName if no sound has the parameter. The caller holds mu.
func (b *Bank) checkParameter(parameter string, x float64) error {
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
	return unknownError("parameter", parameter, known)
}
