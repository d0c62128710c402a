package service_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"voicepool/cue"
)

// literals are values with the same spelling in JSON and in sheets.
var literals = []string{
	`-6`, `0.5`, `2`, `3`, `440`, `1e1`, `"-6dB"`, `"-6 dB"`, `"0.5 DB"`, `"-6"`, `"3"`, `"6dBx"`, `"dB"`, `"1.5s"`, `"250ms"`, `"-1s"`, `"soon"`,
	`"off"`, `"bell"`, `true`, `false`, `"true"`, `"yes"`, `null`, `[1, 2]`, `{"a": 1}`, `""`, `80000`, `-80000`,
}

// TestValuesAreReadAsInSheets checks that each field of a play order accepts the same values as in
// a sheet's action. The fields come from the API description.
func TestValuesAreReadAsInSheets(t *testing.T) {
	doc, _ := document()
	schemas := doc["components"].(map[string]any)["schemas"].(map[string]any)
	play := slices.Sorted(maps.Keys(schemas["Play"].(map[string]any)["properties"].(map[string]any)))
	const yaml = "voices: 8\nbuses: {music: {}}\nsounds: {rain: {loop: true}}\ncues:\n- {%s: %s, %s}\n"
	s := open(t)
	both := 0
	for _, key := range play {
		in, rest := key, "play: rain"
		switch key {
		case "at": // a sheet needs it
		case "sound":
			in, rest = "play", "at: 0s"
		default:
			rest += ", at: 0s"
		}
		if _, err := cue.Parse("show.yaml", fmt.Appendf(nil, yaml, in, "{}", rest)); err != nil && strings.Contains(err.Error(), "unknown key") {
			continue // an order has it, an action does not
		}
		both++
		for _, value := range literals {
			if key == "loop" && strings.Trim(value, "0123456789") == "" || key == "priority" && value == "1e1" {
				continue // only sheets have rounds of a loop, and in JSON 1e1 is 10
			}
			_, sheet := cue.Parse("show.yaml", fmt.Appendf(nil, yaml, in, value, rest))
			body := map[string]json.RawMessage{"sound": []byte(`"rain"`), "at": []byte(`"1h"`)}
			body[key] = []byte(value)
			if value == `""` && key != "at" { // the same as a missing name
				continue
			}
			text, err := json.Marshal(body)
			if err != nil {
				t.Fatal(err)
			}
			g := s.ask("POST /v1/rooms/main/play", string(text))
			refused := g.status == 400
			if g.status != 404 && g.status != 409 && refused != (sheet != nil) {
				t.Errorf("%s: %s is answered with %d %s; a sheet says %v", key, value, g.status, g.body, sheet)
			}
			s.ask("POST /v1/rooms/main/panic", "")
		}
	}
	if both < 10 {
		t.Errorf("only %d fields are in both", both)
	}
}
