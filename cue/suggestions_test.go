package cue_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/internal/longtest"
	"voicepool/internal/words"
)

// mappings are sheets with a place, %s, for another key in each kind of mapping.
var mappings = []string{
	"%s: null\ncues: [{at: 0s, play: coin}]",
	"sounds: {a: {file: coin, %s: null}}",
	"buses: {b: {gain: 0, %s: null}}",
	"buses: {a: {gain: 0}, b: {duck: {when: a, by: 3, %s: null}}}",
	"master: {gain: 0, %s: null}",
	"outputs: {main: {channels: 1-2, %s: null}}",
	"sounds: {a: {layers: [{sound: coin, %s: null}]}}",
	"scenes: {s: {voices: 3, %s: null}}",
	"midi: [{note: 1, do: go, %s: null}]\nlist: [{cue: 1, play: coin}]",
	"list: [{cue: 1, crossfade: {from: a, to: b, over: 1s, %s: null}}]",
	"list: [{cue: 1, crossfade: {from: a, to: b, over: 1s}, %s: null}]",
	"list: [{cue: 1, do: [{play: coin}], %s: null}]",
	"list: [{cue: 1, start: timeline, %s: null}]",
	"list: [{cue: 1, release: a, %s: null}]",
	"list: [{cue: 1, do: [{release: a, %s: null}]}]",
	"cues: [{at: 0s, osc: {to: 'a:1', address: /a, %s: null}}]",
}

// verbCues are cues of each verb.
var verbCues = []string{
	"play: coin", "set: a, gain: 0", "fade: a, to: 0", "stop: a", "pause: a", "resume: a", "seek: a, to: 0s", "voices: 3", "duck: b, when: c, by: 3",
	"scene: s", "move: a, place: [1, 2]", "listener: [1, 0]", "osc: {to: 'a:1', address: /a}",
}

// TestSuggestionsWork checks that every suggested key is valid in its place. The unknown keys are names of
// other programs, and every key of the schema with a letter dropped, doubled, swapped or changed, in every
// kind of mapping.
func TestSuggestionsWork(t *testing.T) {
	sheets := slices.Clone(mappings)
	for _, action := range verbCues {
		sheets = append(sheets, "cues: [{at: 0s, "+action+", %s: null}]", "list: [{cue: 1, "+action+", %s: null}]", "list: [{cue: 1, do: [{"+action+", %s: null}]}]")
	}
	keys := map[string]bool{}
	var schema any
	if err := json.Unmarshal(cue.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	collectKeys(schema, keys)
	unknown := map[string]bool{}
	for _, name := range words.Synonyms() {
		unknown[name] = true
	}
	for key := range keys {
		for i := range key {
			unknown[key[:i]+key[i+1:]] = true
			unknown[key[:i]+"x"+key[i+1:]] = true
			unknown[key[:i]+key[i:i+1]+key[i:]] = true
			if i > 0 {
				unknown[key[:i-1]+key[i:i+1]+key[i-1:i]+key[i+1:]] = true
			}
		}
	}
	suggestion := regexp.MustCompile(`unknown key .*; did you mean "([^"]+)"\?`)
	refused := regexp.MustCompile(`unknown key|does not belong|stands twice|does one thing|has .do.; put|goes with|has no number of its own`)
	if len(keys) < 100 || len(unknown) < 1000 {
		t.Fatalf("only %d keys and %d unknown ones", len(keys), len(unknown))
	}
	step, tried, suggested := 31, 0, map[string]bool{}
	if !longtest.Enabled() {
		step = 97
	}
	for n, sheet := range sheets {
		for i, word := range slices.Sorted(maps.Keys(unknown)) {
			if (i+n)%step != 0 || keys[word] || word == "" {
				continue
			}
			tried++
			_, err := cue.Parse("s.yaml", []byte(fmt.Sprintf(sheet, word)))
			if err == nil {
				t.Fatalf("%s is a key in %s", word, sheet)
			}
			found := suggestion.FindStringSubmatch(err.Error())
			if found == nil || suggested[sheet+found[1]] {
				continue
			}
			suggested[sheet+found[1]] = true
			_, err = cue.Parse("s.yaml", []byte(fmt.Sprintf(sheet, found[1])))
			for line := range strings.Lines(fmt.Sprint(err)) {
				if refused.MatchString(line) {
					t.Errorf("%s: in the place of %q, %q is suggested: %s", sheet, word, found[1], line)
				}
			}
		}
	}
	if tried < 1500 || len(suggested) < 100 {
		t.Errorf("%d sheets tried, %d keys suggested", tried, len(suggested))
	}
	t.Logf("%d sheets tried, %d keys suggested", tried, len(suggested))
}

// collectKeys adds the keys of a schema.
func collectKeys(schema any, keys map[string]bool) {
	switch s := schema.(type) {
	case map[string]any:
		if properties, some := s["properties"].(map[string]any); some {
			for key := range properties {
				keys[key] = true
			}
		}
		for _, of := range s {
			collectKeys(of, keys)
		}
	case []any:
		for _, of := range s {
			collectKeys(of, keys)
		}
	}
}
