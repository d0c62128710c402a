package cue

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/yaml"
)

// ErrAction is wrapped by the errors of ParseAction, and by the errors of a player for an invalid action.
var ErrAction = errors.New("cue: no action")

// ParseAction parses an action that is not in the sheet and returns it as a cue with the time 0. The first words are a
// verb and its target, such as "play" and "bell". Keys with values follow, such as "gain=-3". The verb osc has only
// such keys and no target. After stop and scene, a time without a key is the value of the key over, as in "stop house
// 2s".
//
// The words may use the sounds, buses and scenes of the sheet. ids are the ids that they may refer to; started has
// further ones, which error messages do not suggest; it may be nil. If the words are invalid, the error wraps ErrAction
// and suggests a correction.
func (s *Sheet) ParseAction(words []string, ids []string, started iter.Seq[string]) (*Cue, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("%w: no words", ErrAction)
	}
	to := &Sheet{}
	r := newReader(to, "")
	to.Rules = s.Rules
	to.Sounds = slices.Clip(slices.Clone(s.Sounds))
	for i := range s.Sounds {
		r.Sounds[s.Sounds[i].Name] = i
	}
	for i := range s.Outputs {
		r.Buses[s.Outputs[i].Name] = true
	}
	for i := range s.Buses {
		r.Buses[s.Buses[i].Name] = true
	}
	if started != nil {
		for id := range started {
			r.known[id] = true
		}
	}
	r.ids = slices.Clip(ids)
	for _, id := range ids {
		r.known[id] = true
	}
	for i := range s.Cues {
		if p, is := s.Cues[i].Action.(*Play); is && p.ID != "" && !slices.Contains(r.played[p.ID], p.Sound) {
			r.played[p.ID] = append(r.played[p.ID], p.Sound)
		}
	}
	n, err := actionNode(words)
	if err == nil {
		d := newDraft(r)
		d.addCue(n, Cue{Times: 1}, false)
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
	return &to.Cues[0], nil
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
		verb, args = VerbSet.String(), append(slices.Clone(args), "loop=false")
	}
	switch {
	case !slices.Contains(verbNames[:], verb):
		return nil, fmt.Errorf("unknown action %s (want one of %s)", yaml.Quote(verb), strings.Join(verbNames[:], ", "))
	case len(args) == 0:
		return nil, fmt.Errorf("%s needs a target", verb)
	}
	cue := n
	if verb == VerbSend.String() { // osc to=HOST:PORT address=/go: the words are keys of the message
		n = &yaml.Node{Position: at, Kind: yaml.Mapping}
		cue.Pairs = append(cue.Pairs, yaml.Pair{Position: at, Key: verb, Value: n})
	} else if err := add(verb, args[0]); err != nil {
		return nil, err
	} else {
		args = args[1:]
	}
	for _, word := range args {
		key, value, hasValue := strings.Cut(word, "=")
		if _, err := rules.ParseTime(word); !hasValue && err == nil && (verb == VerbStop.String() || verb == VerbSetScene.String()) {
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
