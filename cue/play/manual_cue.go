package play

import (
	"fmt"
	"maps"
	"math"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/internal/sheet/yaml"
)

// Do carries out an action as a cue of the sheet would, at the next frame that the mixer can reach. The first words
// are a verb and its target, such as "play" and "bell". Keys with values follow, such as "gain=-3". The verb osc has
// only such keys and no target. After stop and scene, a time without a key is the value of the key over, as in "stop
// house 2s". Events of the action name no cue.
//
// Do needs a call of Run in progress and returns without waiting for the action. After the end of the show it has no
// effect. If the words are invalid, the error wraps cue.ErrAction and suggests a correction, and no action follows. Any
// goroutine.
func (p *Player) Do(words ...string) error {
	s, c, by, err := p.parseAction(words)
	if err != nil {
		return err
	}
	if err := p.checkCue(s, c); err != nil {
		return fmt.Errorf("%w: %w", cue.ErrAction, err)
	}
	for _, one := range c.Starts() {
		if !p.sounds.isLoaded(one.Sound+by.firstSound, one.Loop) {
			return fmt.Errorf("%w: play: no cue of the sheet loops %s, so it is not prepared for that", cue.ErrAction, yaml.Quote(s.Sounds[one.Sound].Name))
		}
	}
	p.live.enqueue(func() {
		frame := p.nextFrame()
		last := p.sheet.AddByHand(c, rules.FrameTime(frame, p.rate), by.ids, by.owners, by.firstSound)
		u := p.lookahead.addBatch(frame)
		u.goFrame, u.rank = frame, math.MaxInt32 // after the commands of the sheet at this frame
		u.addAction(p.sheet, last)
	})
	return nil
}

// byHand holds the numbers of the names that an action by hand has, and of its sounds.
type byHand struct {
	ids, owners map[string]uint64
	firstSound  int // index in the sounds of show.sheet of the first sound of the sheet
}

// parseAction parses the words of Do for the current sheet s and returns them as a cue. The id and the owner of the
// action are registered, so that they keep their numbers. It takes live.mutex.
func (p *Player) parseAction(words []string) (s *cue.Sheet, c *cue.Cue, by byHand, err error) {
	l := &p.live
	l.mutex.Lock()
	defer l.mutex.Unlock()
	s = p.Sheet()
	if c, err = s.ParseAction(words, l.ids.ofSheets(), maps.Keys(l.ids.all)); err != nil {
		return s, nil, by, err
	}
	by = byHand{ids: map[string]uint64{}, owners: map[string]uint64{}, firstSound: l.firstSound}
	if p, is := c.Action.(*cue.Play); is {
		by.ids[p.ID], by.owners[p.Owner] = l.ids.intern(p.ID), l.owners.intern(p.Owner)
	} else {
		by.ids[c.Target().Name] = l.ids.number(c.Target().Name)
	}
	return s, c, by, nil
}
