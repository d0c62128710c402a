package words

import (
	"maps"
	"slices"
	"strings"
)

// Synonym returns the element of keys that other programs call word, in any case, or "".
func Synonym(word string, keys []string) string {
	plain := strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(word))
	for _, key := range strings.Fields(elsewhere[plain]) {
		if slices.Contains(keys, key) {
			return key
		}
	}
	return ""
}

// Synonyms returns the names that Synonym accepts, sorted.
func Synonyms() []string { return slices.Sorted(maps.Keys(elsewhere)) }

// elsewhere maps names used in other programs, in lower case, to keys, separated by spaces. Synonym returns the first
// key that a mapping accepts. A map of constants takes 10 KB less of a program than a map of slices.
var elsewhere = map[string]string{
	"volume": "gain", "vol": "gain", "level": "gain", "db": "gain", "loudness": "gain lufs",
	"amplitude": "gain", "balance": "pan", "panning": "pan", "muted": "mute", "detune": "pitch",
	"transpose": "pitch", "semitones": "pitch", "tempo": "speed", "playbackrate": "speed",
	"file": "play", "sound": "play file", "sample": "play sound file", "clip": "play sound file",
	"audio": "play sound file", "src": "play sound file", "path": "file", "url": "file",
	"variations": "files", "start": "at from", "time": "at", "when": "at", "delay": "at pre",
	"offset": "from", "begin": "from", "startat": "from", "trim": "from", "duration": "over for length",
	"loops": "loop", "looping": "loop", "repeat": "times loop", "repeats": "times", "count": "times",
	"interval": "every", "period": "every", "fadein": "fade_in", "fadeout": "over", "fadetime": "over",
	"curve": "shape", "easing": "shape", "ease": "shape", "group": "bus", "category": "bus",
	"channel": "bus channels output", "mixer": "bus", "track": "bus", "tag": "id", "number": "cue", "q": "cue",
	"label": "name", "title": "name", "description": "note", "comment": "note", "prewait": "pre",
	"postwait": "wait", "autocontinue": "then", "autofollow": "then", "follow": "then", "next": "then",
	"enabled": "arm", "armed": "arm", "disabled": "arm", "actions": "do", "steps": "do cues",
	"polyphony": "voices limit", "maxvoices": "voices limit", "instances": "limit voices",
	"maxinstances": "limit voices", "out": "output outputs", "route": "output outputs", "patch": "output outputs",
	"destination": "output", "pair": "channels", "pairs": "outputs", "devices": "outputs", "channels": "voices buses", "samplerate": "rate", "random": "pick",
	"shuffle": "pick", "throttle": "cooldown", "sidechain": "duck", "ducking": "duck", "position": "place",
	"samples": "sounds", "clips": "sounds", "assets": "sounds", "events": "cues sounds", "timeline": "cues",
	"cuelist": "list", "playlist": "list", "mixers": "buses", "groups": "buses", "snapshots": "scenes",
	"presets": "scenes", "threshold": "when", "amount": "by", "depth": "by",
}
