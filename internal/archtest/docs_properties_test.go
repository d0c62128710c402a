package archtest

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"voicepool/internal/property"
)

// propertyTable returns the table of docs/cues.md: all properties with a key.
func propertyTable() string {
	curves := map[property.Curve]string{
		property.AtOnce: "at once", property.Linear: "linearly", property.Shaped: "linearly in dB, or along `shape`",
		property.InAmplitude: "linearly in amplitude", property.InSemitones: "linearly in semitones", property.InOctaves: "linearly in octaves",
	}
	number := func(x float64) string {
		if x == 1./16 {
			return "1/16"
		}
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	var b strings.Builder
	b.WriteString("| property | values | default | a change moves | of |\n|---|---|---|---|---|\n")
	for id := range property.Table {
		p := &property.Table[id]
		if p.Key == "" {
			continue
		}
		values, neutral := strings.TrimSpace(number(p.Min)+".."+number(p.Max)+" "+p.Unit), number(p.Default)
		switch {
		case p.IsCutoff():
			values, neutral = values+", or `off`", "`off`"
		case p.Min == 0 && p.Max == 1:
			values, neutral = "`true` or `false`", "`false`"
		case property.ID(id) == property.Rounds:
			values, neutral = "`true`, `false` or a number of rounds", "`false`"
		}
		moves := curves[p.Curve]
		if p.Owners == property.Start {
			moves = "never: it is fixed at the start"
		}
		var of []string
		for i, owner := range []string{"start", "voice", "bus", "`master`"} {
			if p.Owners&(1<<i) != 0 {
				of = append(of, owner)
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", p.Key, values, neutral, moves, strings.Join(of, ", "))
	}
	return b.String()
}

// TestPropertyTable compares the table of properties in docs/cues.md with package property; -update writes it.
func TestPropertyTable(t *testing.T) { checkPart(t, "docs/cues.md", "properties", propertyTable()) }

// TestServiceHasProperties checks that openapi.json and the page of the OSC messages have the properties that fade, and
// openapi.json their ranges.
func TestServiceHasProperties(t *testing.T) {
	src, err := os.ReadFile("cmd/internal/serve/service/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	type limits struct{ Minimum, Maximum *float64 }
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct {
					limits
					AnyOf []limits
				}
			}
		}
	}
	if err := json.Unmarshal(src, &doc); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("docs/service.md")
	if err != nil {
		t.Fatal(err)
	}
	for schema, address := range map[string]string{"Play": "/voicepool/{room}/play", "Set": "/voicepool/{room}/set"} {
		_, row, _ := strings.Cut(string(page), "| `"+address+"`")
		row, _, _ = strings.Cut(row, "\n")
		for _, p := range property.Table[:property.NumVoiceFades] {
			if !strings.Contains(row, " "+p.Key+",") {
				t.Errorf("docs/service.md: %s does not have the key %s", address, p.Key)
			}
			got, ok := doc.Components.Schemas[schema].Properties[p.Key]
			if l := append(got.AnyOf, got.limits)[0]; !ok || l.Minimum == nil || l.Maximum == nil || *l.Minimum != p.Min || *l.Maximum != p.Max {
				t.Errorf("openapi.json: %s does not have %s with the range %v..%v", schema, p.Key, p.Min, p.Max)
			}
		}
	}
}
