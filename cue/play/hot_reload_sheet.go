package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/bounds"
	"voicepool/cue/internal/runsheet"
	"voicepool/effect"
	"voicepool/internal/sheet/loading"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// ErrChange is wrapped by the errors of Change. It means that the show cannot switch to the new sheet
// while it runs.
var ErrChange = errors.New("cue: the show keeps its sheet")

// Change switches a running show to the sheet s, such as its file after an edit. Later starts follow s, and voices
// that already play continue. If the timeline (the key `cues`) started with the show, it continues at the same time
// in s. If a list cue started the timeline, it continues with the old cues. The configuration of the mixer does not
// change. If s has other values for it, the old values stay in effect, and the result unchanged lists their keys. But
// another sample rate, or a bus that is new or has another parent, is an error.
//
// Change needs Options.Changes and a call of Run in progress, and waits until Run has made the switch. lib is the
// library given to NewPlayer. Control side, any goroutine except Run's.
//
// When the change takes effect, the goroutine of Run calls adopted, which may be nil. This function must call publish
// once. From that call on, Sheet, Playing and positions in the list refer to s. A caller that uses positions in the
// list calls publish under the lock that guards them. The result of adopted holds gain changes in decibels by cue
// number, which apply to later starts.
//
// If s cannot replace the running sheet, the error wraps ErrChange. It may also come from LoadSounds or from preparing
// the sounds. The show then keeps its old sheet. If ctx ends, the error is its error, and the change may still take
// effect.
func (p *Player) Change(ctx context.Context, s *cue.Sheet, lib *library.Library, adopted func(publish func()) map[string]float64) (unchanged []string, err error) {
	now := p.Sheet()
	if !p.options.Changes {
		return nil, fmt.Errorf("%w: the player was not created for changes", ErrChange)
	}
	if len(s.List) > 0 && len(now.List) == 0 {
		return nil, fmt.Errorf("%w: a list of cues that wait for GO was added; restart the show", ErrChange)
	}
	if len(s.List) == 0 && len(now.List) > 0 { // such as a file that is still being written
		return nil, fmt.Errorf("%w: the list of cues that wait for GO was removed; restore it", ErrChange)
	}
	if s.Rate != now.Rate {
		return nil, fmt.Errorf("%w: `rate` changed from %d to %d; restart the show", ErrChange, now.Rate, s.Rate)
	}
	for i := range s.Buses {
		b := &s.Buses[i]
		switch _, known := p.buses[b.Name]; {
		case !known:
			return nil, fmt.Errorf("%w: the bus %s is new; restart the show", ErrChange, yaml.Quote(b.Name))
		case s.Parents()[b.Name] != now.Parents()[b.Name]:
			return nil, fmt.Errorf("%w: the bus %s has another parent or output; restart the show", ErrChange, yaml.Quote(b.Name))
		}
	}
	for i := 1; i < len(s.Outputs); i++ { // the bus of the first output is the master
		if _, known := p.buses[s.Outputs[i].Name]; !known {
			return nil, fmt.Errorf("%w: the output %s is new; restart the show", ErrChange, yaml.Quote(s.Outputs[i].Name))
		}
	}
	if err := p.checkSheet(s); err != nil {
		return nil, fmt.Errorf("%w: %w; restart the show", ErrChange, err)
	}
	loaded, err := load(ctx, s, lib, nil, p.sounds.streams, true)
	if err != nil {
		return nil, err
	}
	if err := bounds.Variants(runsheet.New(s), loaded, true).Compute(ctx); err != nil {
		return nil, err
	}
	groups, err := s.Groups(p.mixer)
	if err != nil {
		return nil, fmt.Errorf("cue: %w", err)
	}
	done := make(chan struct{})
	p.live.enqueue(func() {
		defer close(done)
		publish := p.switchSheet(s, loaded, groups)
		if adopted == nil {
			publish()
			return
		}
		for number, by := range adopted(publish) {
			p.trimCues(number, pcm.Decibels(by))
		}
	})
	select {
	case <-done:
	case <-p.live.closed:
		return nil, fmt.Errorf("%w: it has ended", ErrChange)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return changedKeys(now, s), nil
}

// trimCues changes the gains of the list cue with the given number for later GOs. Starts of earlier GOs do not change.
// The change in decibels is the parameter by. An unknown number has no effect. Only for the goroutine of Run.
func (p *Player) trimCues(number string, by pcm.Decibels) {
	if i, some := indexOf(p.sheet.List, number); some {
		l := &p.sheet.List[i]
		p.sheet.Trim(l.First, l.Count, by)
	}
}

// maxPoolSize returns the largest number of voices that the pool of a mixer with configuration c can ever have. A pool
// changes its size by resize commands, or by growing if Overflow is GrowPool.
func maxPoolSize(c *mixer.Config) int {
	most := max(c.Voices, c.MaxVoices)
	if c.Overflow == mixer.GrowPool {
		most = max(most, cmp.Or(c.Grow.Max, min(4*c.Voices, mixer.MaxVoices)))
	}
	return most
}

// checkSheet returns an error if the running mixer cannot play sheet s. The first output must keep its name, if both s
// and the mixer have outputs. Cues and scenes may change only effects and sends that the mixer has, and may resize the
// pool only up to p.voices. (The mixer would reject another command, and its error would end the show.) The result is
// nil if s can be played.
func (p *Player) checkSheet(s *cue.Sheet) error {
	mixerRules := &p.mixerRules
	if len(s.Outputs) > 0 && len(mixerRules.Outputs) > 0 && s.Outputs[0].Name != mixerRules.Outputs[0].Name {
		return fmt.Errorf("the first output changed from %s to %s", yaml.Quote(mixerRules.Outputs[0].Name), yaml.Quote(s.Outputs[0].Name))
	}
	for i := range s.Cues {
		if err := p.checkCue(s, &s.Cues[i]); err != nil {
			return err
		}
	}
	for i := range s.Scenes {
		scene := &s.Scenes[i]
		if scene.Voices > p.voices {
			return fmt.Errorf("scene %s: %d voices are more than the largest pool of %d", yaml.Quote(scene.Name), scene.Voices, p.voices)
		}
		for j := range scene.Buses {
			b := &scene.Buses[j]
			err := checkEffects(mixerRules, s, b.Name, b.Effects)
			if err == nil {
				err = checkSends(mixerRules, b.Name, b.Sends)
			}
			if err != nil {
				return fmt.Errorf("scene %s: %w", yaml.Quote(scene.Name), err)
			}
		}
	}
	return nil
}

// checkCue returns an error if the running mixer cannot carry out cue c of sheet s. That is the case if c changes an
// effect or a send of a bus that the mixer does not have, or resizes the pool beyond p.voices. The error begins with
// the file, line and column of the cue, if its line is known.
func (p *Player) checkCue(s *cue.Sheet, c *cue.Cue) error {
	mixerRules := &p.mixerRules
	var err error
	switch a := c.Action.(type) {
	case *cue.Set:
		if err = checkEffects(mixerRules, s, a.Target.Name, a.Effects); err == nil && a.Target.Scope == cue.OnBus {
			err = checkSends(mixerRules, a.Target.Name, a.Sends)
		}
	case *cue.Resize:
		if a.Voices > p.voices {
			err = fmt.Errorf("%d voices are more than the largest pool of %d", a.Voices, p.voices)
		}
	}
	if err != nil && c.Line > 0 {
		return fmt.Errorf("%s:%d:%d: %w", s.File, c.Line, c.Column, err)
	}
	return err
}

// checkEffects checks moves, the effect changes on the given bus, against the effects of the running mixer. It returns
// an error for the first change whose effect is missing on that bus in the mixer, or has another kind there than in
// sheet s. mixerRules has the rules that the mixer was made from.
func checkEffects(mixerRules *rules.Rules, s *cue.Sheet, bus string, moves []rules.EffectMove) error {
	for _, move := range moves {
		named := func(all []effect.Effect) *effect.Kind {
			for i := range all {
				if all[i].Name() == move.Effect {
					return all[i].Kind()
				}
			}
			return nil
		}
		if existing := named(mixerRules.EffectsOf(bus)); existing == nil || existing != named(s.EffectsOf(bus)) {
			return fmt.Errorf("the bus %s has no effect %s of this kind now", yaml.Quote(bus), yaml.Quote(move.Effect))
		}
	}
	return nil
}

// checkSends checks moves, the new gains of sends of the given bus, against the sends of the running mixer. It returns
// an error for the first change if the bus has no send to its target. mixerRules has the rules that the mixer was made
// from.
func checkSends(mixerRules *rules.Rules, bus string, moves []mixer.Send) error {
	var existing []mixer.Send
	for i := range mixerRules.Buses {
		if mixerRules.Buses[i].Name == bus {
			existing = mixerRules.Buses[i].Sends
		}
	}
	for _, move := range moves {
		if !slices.ContainsFunc(existing, func(s mixer.Send) bool { return s.To == move.To }) {
			return fmt.Errorf("the bus %s has no send to %s now", yaml.Quote(bus), yaml.Quote(move.To))
		}
	}
	return nil
}

// changedKeys compares the sheets now and then. It returns the differing keys that a player cannot change while it
// plays, such as "voices", always in the same order. The result is nil if all these keys are equal.
func changedKeys(now, then *cue.Sheet) (keys []string) {
	a, b := now.Config(), then.Config()
	for _, one := range []struct {
		key  string
		same bool
	}{
		{"voices", a.Voices == b.Voices && a.MaxVoices == b.MaxVoices && a.Virtual == b.Virtual},
		{"overflow", a.Overflow == b.Overflow && a.Grow == b.Grow && a.RejectQuietest == b.RejectQuietest},
		{"master", a.MasterGain == b.MasterGain && a.NoLimiter == b.NoLimiter && a.SoftClip == b.SoftClip && a.DCGuard == b.DCGuard && a.LowPass == b.LowPass && a.HighPass == b.HighPass && slices.Equal(a.Effects, b.Effects)},
		{"quality", a.Quality == b.Quality},
		{"outputs", reflect.DeepEqual(a.Outputs, b.Outputs)},
		{"buses", reflect.DeepEqual(a.Buses, b.Buses)},
		{"seed", now.Seed == then.Seed},
		{"length", now.Length == nil && then.Length == nil || now.Length != nil && then.Length != nil && *now.Length == *then.Length},
	} {
		if !one.same {
			keys = append(keys, one.key)
		}
	}
	return keys
}

// switchSheet switches the player to sheet s, on the goroutine of Run. It appends the sounds and cues of s to the
// current ones, so that running cues keep their indexes. The list of s replaces the old list. If the timeline of s
// starts with the show, its actions from now on are scheduled. loaded and groups are the loaded sounds and the mixer
// groups, in the order of s.Sounds.
//
// The result publish makes the new sheet visible to other goroutines. The caller must call it once. It takes
// live.mutex.
func (p *Player) switchSheet(s *cue.Sheet, loaded []loading.Sound, groups []*mixer.Group) (publish func()) {
	to, old, firstSound, cues := p.sheet, p.Sheet(), len(p.sheet.Sounds), len(p.sheet.List)
	p.sounds.add(loaded)
	p.groups = slices.Concat(p.groups, groups)
	ids, owners := p.live.keepNames(s)
	first, newIndex := to.Replace(s, ids, owners)
	p.schedule.growPickers(len(to.Sounds))
	for i := first; i < len(to.Cues); i++ {
		if tag := to.Cues[i].AwaitedTag; tag != 0 {
			p.follows.awaited[tag] = true
		}
	}
	playing := slices.Clone(p.live.playing) // only this goroutine writes to it
	for i := range playing {
		playing[i].List = newIndex(playing[i].List)
	}
	if a := &p.lookahead; a.on() && !p.options.Live {
		a.replaceGoes(s, cues, newIndex)
	}
	if timeline := !s.List.StartsTimeline(); timeline || !old.List.StartsTimeline() {
		p.schedule.clear(first)
		for i := first; i < len(to.Cues) && timeline; i++ {
			if c := &to.Cues[i]; c.List == 0 {
				c.State = runsheet.Timed
				p.schedule.addFrom(i, p.lookahead.handedOverTo)
			}
		}
	}
	p.pitches = bounds.PitchesOf(to)
	newSounds := p.manual.newCatalogue(s, &to.Rules, firstSound, loaded, groups)
	return func() {
		p.live.mutex.Lock()
		defer p.live.mutex.Unlock()
		p.live.firstSound, p.live.playing = firstSound, playing
		p.manual.catalogue.Store(newSounds)
		p.given.Store(s)
	}
}
