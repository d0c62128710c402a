package server

import (
	"encoding/json"
	"testing"

	"voicepool/internal/schematest"
	"voicepool/internal/sheet/fields"
)

// configs returns the matrix of configurations. Its keys come from the tables of ParseConfig.
func configs(t *testing.T) *schematest.Matrix {
	t.Helper()
	type (
		m = schematest.Map
		x = schematest.Text
	)
	schema, err := json.Marshal(fields.Mapping{Fields: new(Config).fields(&fields.Reader{})}.Schema(fields.Limits{}))
	if err != nil {
		t.Fatal(err)
	}
	base := m{{Key: "rooms", Value: m{{Key: "main", Value: m{{Key: "sheet", Value: x("show.yaml")}}}}}}
	matrix, err := schematest.New(schema, base, []x{"main", "show.yaml", "pulse"}, func(text string) int {
		if _, err := ParseConfig("c.yaml", []byte(text)); err != nil {
			return 1
		}
		return 0
	})
	if err != nil {
		t.Fatal(err)
	}
	return matrix
}

// TestConfigMatrix reads each key of a configuration, alone and in pairs, with valid and invalid
// values, in flow and block style.
func TestConfigMatrix(t *testing.T) {
	matrix := configs(t)
	files := 0
	try := func(c schematest.Case) {
		files++
		_, inLine := ParseConfig("c.yaml", []byte(c.File.Flow()))
		_, inBlock := ParseConfig("c.yaml", []byte(c.File.Block()))
		if (inLine == nil) != (inBlock == nil) {
			t.Errorf("%s: %v in one line, and %v in block style\n%s", c.Name, inLine, inBlock, c.File.Block())
		}
	}
	for c := range matrix.Singles(true) {
		try(c)
	}
	for c := range matrix.Pairs(true) {
		try(c)
	}
	for _, p := range matrix.Mappings {
		for _, sh := range p.Shapes {
			for _, k := range sh.Keys {
				if !k.Valid {
					t.Errorf("no configuration has %s.%s, and is right", p.Path, k.Name)
				}
			}
		}
	}
	if len(matrix.Mappings) != 3 || files < 500 {
		t.Errorf("%d files of %d places are too few", files, len(matrix.Mappings))
	}
}
