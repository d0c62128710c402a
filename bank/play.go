package bank

import (
	"cmp"
	"time"

	"voicepool/internal/chance"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/space"
	"voicepool/voice"
)

// Options is what a game adds to the rules of a sound as it starts. The zero value adds nothing.
type Options struct {
	Gain     pcm.Decibels   // added to the sound's; -120..+24
	Pan      float64        // added to the sound's, as far as -1..+1; -1 (left) .. +1 (right)
	Pitch    pcm.Semitones  // added to the sound's; -48..+48
	Speed    float64        // multiplies the sound's; a ratio, 1/16..16; 0 means 1
	LowPass  *float64       // the cutoff in place of the sound's, in Hz, 20..20,000; 0: off; nil: as the rules say
	HighPass *float64       // the same
	Sends    []mixer.Send   // in place of those of the rules; nil: as the rules say
	Priority int            // added to the sound's
	Emitter  *space.Emitter // its place in space, copied; nil: it has none. What it leaves at zero is as the rules say

	From   time.Duration // where in the sound it starts; 0: where the rules say
	For    time.Duration // ends after so long; 0: with the sound
	FadeIn time.Duration // raised cosine

	Owner uint64 // the object that the sound belongs to, for limits per owner; 0: none

	Tag uint64 // names a set of voices for mixer.TargetTag; 0: none
	Ref int64  // the caller's, comes back in events
}

// Play starts the sound of a name at the next frame that is mixed: one of its variations, with
// the gain and pitch that chance draws from their ranges. It fails with ErrName, with ErrMixer, or
// as [mixer.Mixer.Play] does. It allocates nothing, except for streams, for the first lap of a
// shuffle, and the first time a sound is played in a new pitch range.
//
// What follows the sound by `then` is asked for at once and starts at the exact frame of its
// end, under the same options but From, For and FadeIn. The handle acts on all of them: Stop ends
// what plays and keeps the others from starting.
//
// Chance depends on the seed of the file, the name, and how many plays of this name have returned
// no error. So other sounds, and plays that were refused, change nothing.
func (b *Bank) Play(name string, o Options) (Handle, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mixer == nil {
		return Handle{}, noMixer("Play")
	}
	return b.play(mixer.Now, name, &o)
}

// PlayAt is Play for a frame, counted from the first one that was ever mixed. A frame that has
// been mixed already is late: the sound starts at once.
func (b *Bank) PlayAt(frame int64, name string, o Options) (Handle, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mixer == nil {
		return Handle{}, noMixer("PlayAt")
	}
	return b.play(frame, name, &o)
}

// play starts a sound. The mutex is held.
func (b *Bank) play(frame int64, name string, o *Options) (Handle, error) {
	s, err := b.find(name)
	for err == nil && s.taken() {
		b.settled.Wait()
		s, err = b.find(name)
	}
	if err != nil {
		return Handle{}, err
	}
	if s.streams {
		b.claim(s)
		defer b.leave(s)
	}
	if s.layers != nil || s.rules.Parameters != nil || s.then != nil {
		return b.playMany(frame, s, o)
	}
	h, err := b.start(s, b.mixer.At(frame).Play, o, mixer.Base{Speed: 1}, 0)
	return Handle{Handle: h}, err
}

// begin starts a sound, or a layer, and what follows it, as voices of a play.
func (b *Bank) begin(p *play, at mixer.Moment, s *sound, o *Options, base mixer.Base) error {
	lead, err := b.start(s, at.Play, o, base, p.number)
	if err != nil {
		return err
	}
	p.add(s, lead)
	follows := *o
	follows.From, follows.For, follows.FadeIn = 0, 0, 0
	for s.then != nil {
		s = s.then
		then := func(next *voice.Sound, m mixer.Options) (mixer.Handle, error) { return lead.Then(next, m, mixer.AtEnd) }
		if lead, err = b.start(s, then, &follows, base, p.number); err != nil {
			return err
		}
		p.add(s, lead)
	}
	return nil
}

// start draws what a start takes, and asks for it. Only one that is accepted counts. A layer has a
// base of what it is a layer of, and the number of the play.
func (b *Bank) start(
	s *sound, play func(*voice.Sound, mixer.Options) (mixer.Handle, error), o *Options, base mixer.Base, number uint64,
) (mixer.Handle, error) {
	r := s.rules
	d := chance.Draw{Seed: b.rules.Seed, Place: s.place, Time: s.plays}
	file := s.files[s.picker.Next(r.Pick, len(s.files), s.place, d)]
	s.plays++
	m := mixer.Options{
		Gain: o.Gain, Pan: o.Pan, Pitch: o.Pitch, Speed: o.Speed, Base: add(base, s.base(&d)),
		Priority: r.Priority + o.Priority, Protect: r.Protect, Emitter: s.placed(o.Emitter),
		Bus: s.bus, Group: s.group, Quality: s.quality, Loop: r.Loop, Rounds: r.Rounds,
		From: o.From, For: o.For, FadeIn: o.FadeIn, Name: s.called, Play: number, Tag: o.Tag, Ref: o.Ref, Owner: o.Owner, WhenFull: r.WhenFull,
	}
	if m.Sends = r.Sends; o.Sends != nil {
		s.sends = append(s.sends[:0], o.Sends...) // copied, so that Options stay on the stack of the caller
		m.Sends = s.sends
	}
	m.LowPass, m.HighPass = or(o.LowPass, r.LowPass), or(o.HighPass, r.HighPass)
	if within(o.Pan, -mixer.MaxPan, mixer.MaxPan) { // else the mixer says what is wrong
		m.Pan = min(max(r.Pan+o.Pan, -mixer.MaxPan), mixer.MaxPan)
	}
	if o.From == 0 {
		m.From = r.From.Duration(file.Rate())
	}
	h, err := b.outside(play, file, m)
	if err != nil {
		s.undo()
	}
	return h, err
}

// or returns what a game says in place of the rules, or these.
func or(said *float64, rules float64) float64 {
	if said != nil {
		return *said
	}
	return rules
}

// undo takes the last draw back: it may be asked for again.
func (s *sound) undo() {
	s.plays--
	s.picker.Undo()
}

// base draws the sound's own part.
func (s *sound) base(d *chance.Draw) mixer.Base {
	r := s.rules
	return mixer.Base{
		Gain: pcm.Decibels(d.In(r.Gain, chance.Gain)), Pitch: pcm.Semitones(d.In(r.Pitch, chance.Pitch)), Speed: r.Speed,
	}
}

// add returns two parts together, as far as a mixer goes.
func add(a, b mixer.Base) mixer.Base {
	return mixer.Base{
		Gain:  min(max(a.Gain+b.Gain, mixer.MinGain), mixer.MaxGain),
		Pitch: min(max(a.Pitch+b.Pitch, -mixer.MaxPitch), mixer.MaxPitch),
		Speed: min(max(a.Speed*b.Speed, mixer.MinSpeed), mixer.MaxSpeed),
	}
}

// placed returns where a start is, heard as the rules say; nil: nowhere. It is valid until the
// next start of the sound.
func (s *sound) placed(at *space.Emitter) *space.Emitter {
	if at == nil {
		return nil
	}
	said, e := &s.rules.Emitter, &s.emitter
	*e = *at
	e.Attenuation = cmp.Or(e.Attenuation, said.Attenuation)
	e.Cone = cmp.Or(e.Cone, said.Cone)
	e.Spread = cmp.Or(e.Spread, said.Spread)
	e.Air = cmp.Or(e.Air, said.Air)
	e.SendAttenuation = cmp.Or(e.SendAttenuation, said.SendAttenuation)
	return e
}
