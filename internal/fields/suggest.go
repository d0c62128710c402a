package fields

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"voicepool/internal/words"
)

// Sorted returns the keys of a map in their order.
func Sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// maxHints is what may be spent on the suggestions of one file, in cells of distance: about a
// quarter of a second. A file with many names and many faults has them for the first faults.
const maxHints = 50_000_000

// Suggest returns "; did you mean ...?" with the nearest of the names, or "" where none is near
// enough to be meant, or nobody would see it.
func (r *Reader) Suggest(word string, names func() []string) string {
	const (
		longest = 64
		perName = 40 // for the name itself, of a list that was made and sorted
	)
	if len(word) > longest || len(r.wrong) >= maxWrong || r.hints >= maxHints {
		return ""
	}
	best, least := "", max(len(word)/3+1, 2)
	for _, name := range names() {
		r.hints += perName
		if strings.EqualFold(name, word) {
			best = name
			break
		}
		if apart := len(word) - len(name); apart >= least || -apart >= least {
			continue
		}
		r.hints += len(word) * len(name)
		if d := words.Distance(word, name); d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// meant returns what a key is called here that has another name elsewhere, or else the nearest one.
func (r *Reader) meant(word string, keys []string) string {
	plain := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(word))
	for _, key := range elsewhere[plain] {
		if slices.Contains(keys, key) {
			return fmt.Sprintf("; did you mean %q?", key)
		}
	}
	return r.Suggest(word, func() []string { return keys })
}

// elsewhere is what keys are called in other programs, in small letters, and what they are here:
// the first that a mapping takes.
var elsewhere = map[string][]string{
	"volume": {"gain"}, "vol": {"gain"}, "level": {"gain"}, "db": {"gain"}, "loudness": {"gain", "lufs"},
	"amplitude": {"gain"}, "balance": {"pan"}, "panning": {"pan"}, "muted": {"mute"}, "detune": {"pitch"},
	"transpose": {"pitch"}, "semitones": {"pitch"}, "tempo": {"speed"}, "playbackrate": {"speed"},
	"file": {"play"}, "sound": {"play", "file"}, "sample": {"play", "sound", "file"}, "clip": {"play", "sound", "file"},
	"audio": {"play", "sound", "file"}, "src": {"play", "sound", "file"}, "path": {"file"}, "url": {"file"},
	"variations": {"files"}, "start": {"at", "from"}, "time": {"at"}, "when": {"at"}, "delay": {"at", "pre"},
	"offset": {"from"}, "begin": {"from"}, "startat": {"from"}, "trim": {"from"}, "duration": {"over", "for", "length"},
	"loops": {"loop"}, "looping": {"loop"}, "repeat": {"times", "loop"}, "repeats": {"times"}, "count": {"times"},
	"interval": {"every"}, "period": {"every"}, "fadein": {"fade_in"}, "fadeout": {"over"}, "fadetime": {"over"},
	"curve": {"shape"}, "easing": {"shape"}, "ease": {"shape"}, "group": {"bus"}, "category": {"bus"},
	"channel": {"bus", "channels", "output"}, "mixer": {"bus"}, "track": {"bus"}, "tag": {"id"}, "number": {"cue"}, "q": {"cue"},
	"label": {"name"}, "title": {"name"}, "description": {"note"}, "comment": {"note"}, "prewait": {"pre"},
	"postwait": {"wait"}, "autocontinue": {"then"}, "autofollow": {"then"}, "follow": {"then"}, "next": {"then"},
	"enabled": {"arm"}, "armed": {"arm"}, "disabled": {"arm"}, "actions": {"do"}, "steps": {"do", "cues"},
	"polyphony": {"voices", "limit"}, "maxvoices": {"voices", "limit"}, "instances": {"limit", "voices"},
	"maxinstances": {"limit", "voices"}, "out": {"output", "outputs"}, "route": {"output", "outputs"}, "patch": {"output", "outputs"},
	"destination": {"output"}, "pair": {"channels"}, "pairs": {"outputs"}, "devices": {"outputs"}, "channels": {"voices", "buses"}, "samplerate": {"rate"}, "random": {"pick"},
	"shuffle": {"pick"}, "throttle": {"cooldown"}, "sidechain": {"duck"}, "ducking": {"duck"}, "position": {"place"},
	"samples": {"sounds"}, "clips": {"sounds"}, "assets": {"sounds"}, "events": {"cues", "sounds"}, "timeline": {"cues"},
	"cuelist": {"list"}, "playlist": {"list"}, "mixers": {"buses"}, "groups": {"buses"}, "snapshots": {"scenes"},
	"presets": {"scenes"}, "threshold": {"when"}, "amount": {"by"}, "depth": {"by"},
}
