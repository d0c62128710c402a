package service_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	goyaml "go.yaml.in/yaml/v4"

	"voicepool/cue"
	"voicepool/internal/expect"
)

// sheetSchema compiles the output of `voicepool schema`.
func sheetSchema(t *testing.T) *jsonschema.Schema { return compiled(t, cue.Schema()) }

// compiled compiles a schema.
func compiled(t *testing.T, text []byte) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("voicepool.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("voicepool.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// edited returns a text as an editor parses it.
func edited(t *testing.T, text []byte) any {
	var v any
	if err := goyaml.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

// TestSheetsFitTheSchema checks that every valid sheet of the repository fits the schema.
func TestSheetsFitTheSchema(t *testing.T) {
	s, sheets := sheetSchema(t), 0
	check := func(file string, text []byte) {
		if _, err := cue.Parse(file, text); err != nil {
			return
		}
		sheets++
		if err := s.Validate(edited(t, text)); err != nil {
			t.Errorf("%s: %v\n%s", file, err, text)
		}
	}
	err := filepath.WalkDir("../../../..", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch filepath.Ext(file) {
		case ".yaml", ".yml":
			text, err := os.ReadFile(file)
			if err == nil {
				check(file, text)
			}
			return err
		case ".md":
			text, err := os.ReadFile(file)
			for i, block := range strings.Split(string(text), "```") {
				if body, ok := strings.CutPrefix(block, "yaml\n"); ok && i%2 == 1 {
					check(file, []byte(body))
				}
			}
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if sheets < 5 {
		t.Errorf("%d sheets were checked, too few to be all", sheets)
	}
}

// TestTheSchemaKnowsWhatParseKnows checks that the schema accepts the sheets that Parse accepts,
// and rejects faulty keys, ranges and words.
func TestTheSchemaKnowsWhatParseKnows(t *testing.T) {
	s := sheetSchema(t)
	for _, c := range []struct {
		text string
		fits bool
	}{
		{text: "{}", fits: true},
		{text: "sounds: {coin: }", fits: true},
		{text: "sounds: {s: coin}", fits: true},
		{text: "sounds: {s: {files: [coin, bell], gain: [-6, 0], pitch: 3, pick: shuffle, loop: 3, quality: best}}", fits: true},
		{text: "sounds: {s: {file: coin, coalesce: 30ms, cooldown: 0.5}}", fits: true},
		{text: "sounds: {s: {file: coin, coalesce: {within: 30ms, most: 9}}}", fits: true},
		{text: "buses: {sfx: {duck: {when: m, by: 9}}, m: }", fits: true},
		{text: "scenes: {menu: {voices: 8, buses: {master: {gain: -80, mute: true}}}}", fits: true},
		{text: "cues: [{at: 1s, play: coin, every: 1, times: 3, fade_in: 2s}]", fits: true},
		{text: "cues: [{at: 1s, fade: x, to: -3}, {at: 2, seek: x, to: 3s}, {at: 3, set: x, loop: false}]\nlength: 3s", fits: true},
		{text: "sounds: {a: coin, s: {layers: [a, {sound: a, delay: 80ms}], gain: -3}}", fits: true},
		{text: "sounds: {s: {file: coin, parameters: {x: {from: 0, to: 1, at: 1, pitch: [[0, -12], [1, 0]]}}}}", fits: true},
		{text: "sounds: {s: {file: coin, then: t}, t: bell}", fits: true},
		{text: "sounds: {s: {file: coin, distance: {curve: linear, min: 1, max: 20}}}", fits: true},
		{text: "sounds: {s: {file: coin, cone: {inner: 60, outer: 90, gain: -12}, spread: 0.5}}", fits: true},
		{text: "cues: [{at: 1s, play: s}]\nsounds: {s: coin}", fits: true},
		{text: "cues: [{at: 1s, play: s}]\nsounds: {s: {file: coin, then: t}, t: bell}"},
		{text: "cues: [{at: 1s, play: s, place: [1, 0, -2]}]\nsounds: {s: {file: coin, distance: {curve: linear, max: 9}, spread: 0.5}}", fits: true},
		{text: "cues: [{at: 1, play: coin, id: x, place: [1, 0], facing: [1, 0]}, {at: 2, move: x, place: [1, 2]}]", fits: true},
		{text: "cues: [{at: 1, listener: [0, 0], width: 9, strength: 1, up: [0, 1, 0]}]", fits: true},
		{text: "cues: [{at: 1, play: coin, id: x, place: [1]}]"},
		{text: "cues: [{at: 1, play: coin, id: x}, {at: 2, move: x}]"},
		{text: "cues: [{at: 1, listener: x}]"},
		{text: "cues: [{at: 1, every: 1s, times: 2, osc: {to: 'h:1', address: /a/b, args: [1, 0.5, x, true]}}]", fits: true},
		{text: "list: [{cue: 1, osc: {to: 'h:1', address: /a}}, {cue: 2, do: [{at: end of x, osc: {to: 'h:1', address: /a}}]}]", fits: true},
		{text: "cues: [{at: 1, osc: {to: 'h:1', address: /a b}}]"},
		{text: "cues: [{at: 1, osc: {to: 'h:1'}}]"},
		{text: "cues: [{at: 1, osc: {to: 'h:1', address: /a}, over: 1s}]"},
		{text: "cues: [{at: 1, listener: [0, 0], strength: 2}]"},
		{text: "sounds: {s: {layers: []}}"},
		{text: "sounds: {a: coin, s: {layers: [{sound: a, delya: 80ms}]}}"},
		{text: "sounds: {s: {file: coin, parameters: {x: {to: 1}}}}"},
		{text: "sounds: {s: {file: coin, parameters: {x: {from: 0, to: 1, lowpass: [[0, 100]]}}}}"},
		{text: "vioces: 3"},
		{text: "voices: 0"},
		{text: "voices: 1.5"},
		{text: "overflow: loudest"},
		{text: "sounds: {s: {flie: coin}}"},
		{text: "sounds: {s: {file: coin, level: -18}}"},
		{text: "sounds: {s: {file: coin, gain: [0, 1, 2]}}"},
		{text: "sounds: {s: {file: coin, gain: 25}}"},
		{text: "sounds: {s: {file: coin, pick: any}}"},
		{text: "sounds: {s: {files: []}}"},
		{text: "sounds: {s: {file: coin, loop: 0}}"},
		{text: "buses: {sfx: {duck: {when: m}}}"},
		{text: "buses: {sfx: {volume: 1}}"},
		{text: "scenes: {menu: {virtual: 8}}"},
		{text: "scenes: {menu: {buses: {sfx: {gian: 1}}}}"},
		{text: "master: {limiter: 1}"},
		{text: "cues: [{play: coin}]"},
		{text: "cues: [{at: 1}]"},
		{text: "cues: [{at: 1, play: coin, to: 3}]"},
		{text: "cues: [{at: 1, fade: coin}]"},
		{text: "cues: {at: 1, play: coin}"},
	} {
		if err := s.Validate(edited(t, []byte(c.text))); (err == nil) != c.fits {
			t.Errorf("%s fits: %t, want %t: %v", c.text, err == nil, c.fits, err)
		}
		_, err := cue.Parse("a.yaml", []byte(c.text))
		if known := slices.ContainsFunc([]string{"no bus", "no cue has"}, func(s string) bool {
			return err != nil && strings.Contains(err.Error(), s)
		}); (err == nil) != c.fits && !known {
			t.Errorf("%s is read: %v, but fits: %t", c.text, err, c.fits)
		}
	}
}

// TestRulesSchema checks that the schema of rules accepts and rejects the same files as their parser.
func TestRulesSchema(t *testing.T) {
	schema := compiled(t, expect.Schema())
	for text, valid := range map[string]bool{
		"expect: [{heard: coin, at: 1.5, level: -20 ± 1, side: left, times: [1, 2], cue: 2.5}]":               true,
		"sounds: {a: a.wav, b: [x, y], c: }\nexpect: [{silence: [1s, 2]}, {peak: -1, between: [0, 1]}]":       true,
		"expect: [{stolen: coin, by: bell, at: 1s ± 5ms, id: x, bus: y, voice: 3}, {never: '*', cue: intro}]": true,
		"expect: [{heard: coin, leval: 3}]":  false,
		"expect: [{heard: coin, level: 90}]": false,
		"expect: [{silence: 1s}]":            false,
		"expect: [{at: 1s}]":                 false,
		"expect: []":                         false,
		"sounds: {}":                         false,
	} {
		_, err := expect.Parse("rules", []byte(text))
		if invalid := schema.Validate(edited(t, []byte(text))); (err == nil) != valid || (invalid == nil) != valid {
			t.Errorf("%s: Parse: %v, the schema: %v", text, err, invalid)
		}
	}
}
