package cue

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/yaml"
)

// Do carries out an action as a cue of the sheet would, at the next frame that the mixer can reach. The first words
// are a verb and its target, such as "play" and "bell". Keys with values follow, such as "gain=-3". The verb osc has
// only such keys and no target. After stop and scene, a time without a key is the value of the key over, as in "stop
// house 2s". Events of the action name no cue.
//
// Do needs a running Feed and returns without waiting for the action. After the end of the show it has no effect. If
// the words are invalid, the error wraps ErrAction and suggests a correction, and no action follows. Any goroutine.
func (p *Player) Do(words ...string) error {
	p.live.mutex.Lock()
	s, first := p.currentSheet.Load(), p.live.firstSound
	c, err := p.live.parseAction(s, words)
	p.live.mutex.Unlock()
	if err == nil {
		if err = p.checkCue(s, c); err != nil {
			err = fmt.Errorf("%w: %w", ErrAction, err)
		}
	}
	if err != nil {
		return err
	}
	if c.Verb == Play {
		c.Sound += first
	}
	for i := range c.layers {
		c.layers[i].Sound += first
	}
	for _, one := range c.starts() {
		if !p.isLoaded(one) {
			return fmt.Errorf("%w: play: no cue of the sheet loops %s, so it is not prepared for that", ErrAction, yaml.Quote(s.Sounds[one.Sound-first].Name))
		}
	}
	p.live.enqueue(func() {
		c.base, c.manual = rules.FrameTime(p.nextFrame(), p.sheet.Rate), true
		for i := range c.layers {
			c.layers[i].base = c.base
		}
		c.firing = uint64(len(p.sheet.Cues)) // each call gets its own random choices
		p.sheet.Cues = append(p.sheet.Cues, *c)
		last := len(p.sheet.Cues) - 1
		u := p.addBatch(p.nextFrame())
		u.goFrame, u.rank = u.firstFrame, math.MaxInt32 // after the commands of the sheet at this frame
		u.addAction(p.sheet, last)
	})
	return nil
}

// ErrAction is wrapped by the error of Do and Start if the action is invalid.
var ErrAction = errors.New("cue: no action")

// parseAction parses the words of Do and returns them as a cue. The words may use the sounds, buses and scenes of
// sheet s. The id and the owner of the action are registered in l, so that they keep their numbers. On an error the
// cue is nil, and the error wraps ErrAction. The caller holds l.mutex.
func (l *live) parseAction(s *Sheet, words []string) (*Cue, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("%w: no words", ErrAction)
	}
	to := &Sheet{}
	r := newReader(to, "")
	to.Rules = s.Rules
	to.Sounds = slices.Clip(slices.Clone(s.Sounds))
	to.ids = slices.Clone(l.ids)
	for i := range s.Sounds {
		r.Sounds[s.Sounds[i].Name] = i
	}
	for i := range s.Outputs {
		r.Buses[s.Outputs[i].Name] = true
	}
	for i := range s.Buses {
		r.Buses[s.Buses[i].Name] = true
	}
	for id, one := range l.runtimeIDs.all {
		r.ids[id] = one.number
	}
	for i, id := range to.ids {
		r.ids[id] = uint64(i + 1)
	}
	r.owners = maps.Clone(l.owners)
	for i := range s.Cues {
		c := &s.Cues[i]
		tag := c.tag
		if l.tags != nil {
			tag = l.tags[tag]
		}
		if c.Verb == Play && tag != 0 && !slices.Contains(r.played[tag], c.Sound) {
			r.played[tag] = append(r.played[tag], c.Sound)
		}
	}
	n, err := actionNode(words)
	if err == nil {
		d := newDraft(r)
		d.addCue(n, &Cue{Times: 1})
		d.resolve()
		err = r.firstError()
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrAction, err)
	case len(to.Sounds) > len(s.Sounds):
		return nil, fmt.Errorf("%w: play: the sheet has no sound %s%s", ErrAction, yaml.Quote(words[1]),
			r.Suggest(words[1], func() (names []string) {
				for i := range s.Sounds {
					names = append(names, s.Sounds[i].Name)
				}
				return names
			}))
	}
	c := &to.Cues[0]
	l.runtimeIDs.pin(c.ID)
	if n := l.runtimeOwners.pin(c.Owner); n != 0 && l.owners[c.Owner] == 0 {
		r.owners[c.Owner] = n
		for _, one := range c.starts() {
			one.owner = n
		}
	}
	l.ids, l.owners = to.ids, r.owners
	return c, nil
}

// firstError returns the first error that the parser has recorded. Its text is the message without the place in a
// file. The result is nil if no error is recorded.
func (r *reader) firstError() error {
	if wrong := r.SortedErrors(); len(wrong) > 0 {
		return errors.New(wrong[0].Msg)
	}
	return nil
}

// actionNode returns the words of Do as the YAML mapping of a cue. The words are a verb, its target, and keys with
// values, such as "gain=-3". For the verb osc all words after it are keys of the message. The verb release becomes a
// set with the key `loop`. A value that begins with [ or { is read as YAML. The mapping has the time `at: 0`. words
// must not be empty. The error names an unknown verb, a missing target, or a word that is invalid or repeated.
func actionNode(words []string) (*yaml.Node, error) {
	at := yaml.Position{Line: 1, Column: 1}
	scalar := func(text string) *yaml.Node { return &yaml.Node{Position: at, Kind: yaml.Scalar, Text: text} }
	n := &yaml.Node{Position: at, Kind: yaml.Mapping, Pairs: []yaml.Pair{{Position: at, Key: "at", Value: scalar("0")}}}
	add := func(key, text string) error {
		value := scalar(text)
		if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") {
			read, wrong := yaml.Read([]byte(text), "value")
			if wrong != nil {
				return fmt.Errorf("%s: %s", key, wrong.Msg)
			}
			value = read
		}
		if slices.ContainsFunc(n.Pairs, func(p yaml.Pair) bool { return p.Key == key }) {
			return fmt.Errorf("%s is given twice", key)
		}
		n.Pairs = append(n.Pairs, yaml.Pair{Position: at, Key: key, Value: value})
		return nil
	}
	verb, args := words[0], words[1:]
	if verb == release {
		verb, args = Set.String(), append(slices.Clone(args), "loop=false")
	}
	switch {
	case !slices.Contains(verbNames[:], verb):
		return nil, fmt.Errorf("unknown action %s (want one of %s)", yaml.Quote(verb), strings.Join(verbNames[:], ", "))
	case len(args) == 0:
		return nil, fmt.Errorf("%s needs a target", verb)
	}
	cue := n
	if verb == Send.String() { // osc to=HOST:PORT address=/go: the words are keys of the message
		n = &yaml.Node{Position: at, Kind: yaml.Mapping}
		cue.Pairs = append(cue.Pairs, yaml.Pair{Position: at, Key: verb, Value: n})
	} else if err := add(verb, args[0]); err != nil {
		return nil, err
	} else {
		args = args[1:]
	}
	for _, word := range args {
		key, value, hasValue := strings.Cut(word, "=")
		if _, err := rules.ParseTime(word); !hasValue && err == nil && (verb == Stop.String() || verb == SetScene.String()) {
			key, value, hasValue = "over", word, true // stop house 2s
		}
		if !hasValue {
			return nil, fmt.Errorf("%s is not a key with a value, such as gain=-3", yaml.Quote(word))
		}
		if err := add(key, value); err != nil {
			return nil, err
		}
	}
	return cue, nil
}
