package bank

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"voicepool/internal/sheet/chance"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// Options modifies the rules of a sound for one start. The zero value uses the rules unchanged.
type Options struct {
	Gain       pcm.Decibels   // added to the sound's; -120..+24
	Pan        float64        // added to the sound's, -1 (left) .. +1 (right); the sum is clamped to -1..+1
	Pitch      pcm.Semitones  // added to the sound's; -48..+48
	Speed      float64        // multiplies the sound's; a ratio, 1/16..16; 0 means 1
	Sends      []mixer.Send   // replaces the sends of the rules; nil: as in the rules
	Priority   int            // added to the sound's
	Importance pcm.Decibels   // added to the sound's, and to its audibility when a victim is chosen; -60..+60; the sum is limited, too
	Emitter    *space.Emitter // position in space, copied; nil: not spatial. Zero fields are taken from the rules

	mixer.FilterOverrides // replace the filters of the rules

	From   time.Duration // position in the sound; 0: as in the rules
	For    time.Duration // stops the sound after this time; 0: it plays to its end
	FadeIn time.Duration // length of a fade-in with a raised-cosine shape; 0: none

	// Quantize delays the start to the next such point of the theme that plays, such as NextBeat; empty: no delay. For a
	// start at a frame it is the first point at that frame or later. The start keeps its frame if the theme is paused or
	// moved later. A paused theme does not count, and a theme that Music.Stop fades out counts only if it plays alone. If
	// several themes play, Point.Of selects one.
	Quantize Point

	Owner uint64 // the object that the sound belongs to, for limits per owner; 0: no owner

	Tag mixer.Tag // tag for mixer.TargetTag; 0: no tag
	Ref mixer.Ref // returned in events
}

// Play starts a sound at the next frame: one random variation, with gain and pitch drawn from their ranges. The error
// wraps ErrName or ErrMixer, wraps mixer.ErrOption if Quantize finds no point, or is an error of [mixer.Mixer.Play]. It
// is mixer.ErrGone if Bank.Stop ends the play while Play opens a stream. Play does not allocate, with four exceptions:
// a start with Quantize, a stream, the first pass through the variations of a `shuffle`, and the first play of a sound
// in a new pitch range.
//
// Play also schedules the sounds that follow this sound by the key `then` of the file. Each starts at the exact frame
// at which the sound before it ends, with the same options except From, For and FadeIn. The handle acts on all of
// them: Stop ends the playing voices and cancels the others.
//
// Random choices depend on the seed of the file, the name, and the number of earlier successful plays of this
// name. Other sounds and rejected plays do not affect them.
func (b *Bank) Play(name string, o Options) (Handle, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mixer == nil {
		return Handle{}, noMixerError("Play")
	}
	return b.play(mixer.Now, name, &o)
}

// PlayAt starts the sound called name as Play does, but at frame, counted from the first frame that the mixer ever
// mixed. If that frame has already been mixed, the sound starts at once. mixer.Now is the next frame.
func (b *Bank) PlayAt(frame int64, name string, o Options) (Handle, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mixer == nil {
		return Handle{}, noMixerError("PlayAt")
	}
	return b.play(frame, name, &o)
}

// play starts the sound called name at frame; mixer.Now is the next one. It waits while another play opens a stream
// of the same sound. A mixer must exist. The errors are as in Play. The caller holds mu, which is released while play
// waits or opens a stream.
func (b *Bank) play(frame int64, name string, o *Options) (Handle, error) {
	s, err := b.find(name)
	for err == nil && s.isClaimed() {
		b.claimEnded.Wait()
		s, err = b.find(name)
	}
	if err != nil {
		return Handle{}, err
	}
	if frame, err = b.quantized(frame, o); err != nil {
		return Handle{}, err
	}
	if s.streams {
		b.claim(s)
		defer b.endClaim(s)
	}
	if s.layers != nil || s.rules.Parameters != nil || s.then != nil {
		return b.playMany(frame, s, o)
	}
	h, err := b.start(s, b.mixer.Engine().At(frame).Play, o, mixer.Base{Speed: 1}, 0)
	if err != nil {
		return Handle{}, err
	}
	if s.stopped {
		_ = h.Stop(0)
		s.undo()
		return Handle{}, mixer.ErrGone
	}
	s.singles.add(h)
	return Handle{Handle: h}, nil
}

// errNoTheme is the error of Options.Quantize without music.
var errNoTheme = fmt.Errorf("%w: Quantize: no theme plays; call Music.Play before", mixer.ErrOption)

// quantized returns the frame of a start with the options o that is wanted at frame. The error wraps mixer.ErrOption.
// The caller holds mu.
func (b *Bank) quantized(frame int64, o *Options) (int64, error) {
	switch {
	case o.Quantize == "":
		return frame, nil
	case b.quantize == nil:
		return 0, errNoTheme
	}
	return b.quantize(frame, Point(strings.Clone(string(o.Quantize)))) // the copy keeps Options on the caller's stack
}

// Stop ends all plays of the sound called name, with their layers and the sounds that follow them, as Handle.Stop does
// over the duration over. All their voices stop at one frame, as mixer.Handles do. Stop allocates if it ends more than
// 64 voices, and more than any earlier call. If the sound follows another one by `then`, it ends there,
// too. A play that is opening a stream does not start. Later plays are not affected. If no sound but a theme of `music`
// is called name, Stop ends the theme as Music.Stop does; a theme that does not play is not an error. The error wraps
// ErrName or ErrMixer, or comes from Music.Stop.
func (b *Bank) Stop(name string, over time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mixer == nil {
		return noMixerError("Stop")
	}
	s := b.sounds[name]
	if s == nil {
		return b.stopTheme(name, over)
	}
	s.stopped = s.claimed
	voices := append(b.voiceBuffer[:0], s.singles.handles...)
	for _, p := range b.plays.all {
		p.stopped = p.stopped || p.starting && p.rules.Name == name
		for i, h := range p.voices {
			if p.rules.Name == name || p.sounds[i].startName == name {
				voices = append(voices, h)
			}
		}
	}
	b.voiceBuffer = voices
	_ = voices.Stop(over) // it can only be mixer.ErrGone
	return nil
}

// stopTheme ends the theme called name, if it plays. The error is as in Stop. The caller holds mu, which is released
// while another method changes the theme.
func (b *Bank) stopTheme(name string, over time.Duration) error {
	mu := b.themes[name]
	if mu == nil {
		known := map[string]bool{}
		for sound := range b.sounds {
			known[sound] = true
		}
		for i := range b.rules.Music {
			known[b.rules.Music[i].Name] = true
		}
		if !known[name] {
			return unknownError("sound", name, known)
		}
		return nil
	}
	b.mu.Unlock()
	defer b.mu.Lock()
	if err := mu.Stop(over); err != mixer.ErrGone {
		return err
	}
	return nil
}

// startWithFollowers starts s, a sound or layer, at the moment at. It schedules the sounds that follow s by `then`
// and adds all voices to p. base has the values of the parent of a layer; for other sounds its Speed is 1. At the
// first error it stops and leaves the started voices to the caller. The caller holds mu.
func (b *Bank) startWithFollowers(p *play, at mixer.Moment, s *sound, o *Options, base mixer.Base) error {
	var lead mixer.Handle
	then := func(next *sounds.Sound, m mixer.Options) (mixer.Handle, error) {
		return lead.Then(next, m, mixer.AtEnd)
	}
	start, options := at.Play, *o
	for {
		var err error
		if lead, err = b.start(s, start, &options, base, p.number); err != nil {
			return err
		}
		if err := p.add(s, lead); err != nil || s.then == nil {
			return err
		}
		s, start = s.then, then
		options.From, options.For, options.FadeIn = 0, 0, 0
	}
}

// start makes the random choices for a start of s and passes it to play, a function of the mixer. If play fails,
// start takes the choices back and returns the error. base holds the values of the parent of a layer. number
// identifies the play in the mixer; 0 for a single voice. The caller holds mu, which is released while a stream is
// opened.
func (b *Bank) start(
	s *sound, play func(*sounds.Sound, mixer.Options) (mixer.Handle, error), o *Options, base mixer.Base, number uint64,
) (mixer.Handle, error) {
	r := s.rules
	d := chance.Draw{Seed: b.rules.Seed, Stream: s.chanceKey, Count: s.plays}
	files := s.files
	if s.claimed {
		files = s.claimedFiles
	}
	file := files[s.picker.Next(r.Pick, len(files), s.chanceKey, d)]
	s.plays++
	m := mixer.Options{
		Gain: o.Gain, Pan: o.Pan, Pitch: o.Pitch, Speed: o.Speed,
		Priority: r.Priority + o.Priority, Importance: addImportance(r.Importance, o.Importance), Emitter: s.emitterFor(o.Emitter),
		Bus: s.bus, Group: s.group, Loop: r.Loop,
		From: o.From, For: o.For, FadeIn: o.FadeIn, Filters: o.Override(r.Filters),
		EngineOptions: mixer.EngineOptions{
			Base: combineBase(base, s.base(&d)), Protect: r.Protect, Rounds: r.Rounds, WhenFull: r.WhenFull, Quality: s.quality,
			Name: s.startName, Play: number, Owner: o.Owner, Tag: o.Tag, Ref: o.Ref,
		},
	}
	if m.Sends = r.Sends; o.Sends != nil {
		s.sends = append(s.sends[:0], o.Sends...) // a copy keeps Options on the caller's stack
		m.Sends = s.sends
	}
	if inInterval(o.Pan, -mixer.MaxPan, mixer.MaxPan) { // otherwise the mixer reports the invalid value
		m.Pan = min(max(r.Pan+o.Pan, -mixer.MaxPan), mixer.MaxPan)
	}
	if o.From == 0 {
		m.From = r.From.Duration(file.Rate())
	}
	h, err := b.startUnlocked(play, file, m)
	if err != nil {
		s.undo()
	}
	return h, err
}

// undo takes back the random choices of the last start of s, so that the next start draws them again. It must not be
// called twice for one start. The caller holds mu.
func (s *sound) undo() {
	s.plays--
	s.picker.Undo()
}

// base returns the gain and pitch of a start, drawn from the ranges of s with d as the random source, and the speed
// of s.
func (s *sound) base(d *chance.Draw) mixer.Base {
	r := s.rules
	return mixer.Base{
		Gain: pcm.Decibels(d.In(r.Gain, chance.Gain)), Pitch: pcm.Semitones(d.In(r.Pitch, chance.Pitch)), Speed: r.Speed,
	}
}

// combineBase combines the values of a parent and of its layer: it adds gains and pitches and multiplies speeds, and
// limits each to the range of the mixer.
func combineBase(a, b mixer.Base) mixer.Base {
	return mixer.Base{
		Gain:  min(max(a.Gain+b.Gain, mixer.MinGain), mixer.MaxGain),
		Pitch: min(max(a.Pitch+b.Pitch, -mixer.MaxPitch), mixer.MaxPitch),
		Speed: min(max(a.Speed*b.Speed, mixer.MinSpeed), mixer.MaxSpeed),
	}
}

// emitterFor returns a copy of at whose zero fields have the values of the rules, or nil if at is nil. The copy is
// s.emitter, which is valid until the next start of s. The caller holds mu.
func (s *sound) emitterFor(emitter *space.Emitter) *space.Emitter {
	if emitter == nil {
		return nil
	}
	defaults, e := &s.rules.Emitter, &s.emitter
	*e = *emitter
	e.Attenuation = cmp.Or(e.Attenuation, defaults.Attenuation)
	e.Cone = cmp.Or(e.Cone, defaults.Cone)
	e.Spread = cmp.Or(e.Spread, defaults.Spread)
	e.Air = cmp.Or(e.Air, defaults.Air)
	e.SendAttenuation = cmp.Or(e.SendAttenuation, defaults.SendAttenuation)
	return e
}
