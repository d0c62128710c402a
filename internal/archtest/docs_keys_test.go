package archtest

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/internal/sheet/parse"
)

// codeOf matches code on a page: blocks, and spans within a line.
var codeOf = regexp.MustCompile("(?s)```.*?```|`[^`\n]+`")

// keysOn returns a function that reports whether a page shows a key as code.
func keysOn(t *testing.T, page string) func(key string) bool {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	shown := strings.Join(codeOf.FindAllString(string(text), -1), "\n")
	return func(key string) bool { return regexp.MustCompile(`\b` + key + `\b`).MatchString(shown) }
}

// eachKey calls do for every key of a schema, with the key of a sound that contains it.
func eachKey(schema any, sound string, do func(key, sound string)) {
	switch s := schema.(type) {
	case []any:
		for _, one := range s {
			eachKey(one, sound, do)
		}
	case map[string]any:
		keys, _ := s["properties"].(map[string]any)
		for key, below := range keys {
			do(key, sound)
			of := sound
			if of == "" || of == "sounds" {
				of = key
			}
			eachKey(below, of, do)
		}
		for _, part := range []string{"additionalProperties", "anyOf", "items"} {
			eachKey(s[part], sound, do)
		}
	}
}

// TestPagesHaveEveryKey requires every key of the parser in docs/cues.md, and every key that only banks have,
// with everything below it, in docs/banks.md or docs/music.md.
func TestPagesHaveEveryKey(t *testing.T) {
	var schema any
	if err := json.Unmarshal(cue.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	banks, cues, effects, music := keysOn(t, "docs/banks.md"), keysOn(t, "docs/cues.md"), keysOn(t, "docs/effects.md"), keysOn(t, "docs/music.md")
	ofBanks := map[string]bool{"layers": true, "parameters": true, "when_full": true, "limit": true, "scenes": true, "music": true}
	for _, key := range slices.Concat(parse.BankOnlyKeys, parse.LoadKeys) {
		ofBanks[key] = true
	}
	seen := map[string]bool{}
	eachKey(schema, "", func(key, sound string) {
		seen[key] = true
		switch {
		case sound == "music" && !ofBanks[key]:
			if !music(key) && !cues(key) && !effects(key) {
				t.Errorf("neither docs/music.md nor docs/cues.md nor docs/effects.md has the key %s (of music)", key)
			}
		case ofBanks[key] || ofBanks[sound]:
			if !banks(key) && !effects(key) {
				t.Errorf("docs/banks.md does not have the key %s (of %s)", key, sound)
			}
		case !cues(key) && !banks(key) && !effects(key):
			t.Errorf("neither docs/cues.md nor docs/banks.md nor docs/effects.md has the key %s (of %s)", key, sound)
		}
	})
	for key := range ofBanks {
		if !seen[key] {
			t.Errorf("the schema has no %s", key)
		}
	}
	if len(seen) < 60 {
		t.Errorf("%d keys, too few to be all", len(seen))
	}
}
