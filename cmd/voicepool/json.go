package main

import (
	"encoding/json"
	"io"
	"math"
)

// printJSON prints v in the form that people and programs can read.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// level is a level in dB for JSON, with two decimals; silence is null.
type level float64

func (l level) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(l), 0) || math.IsNaN(float64(l)) {
		return []byte("null"), nil
	}
	return json.Marshal(math.Round(float64(l)*100) / 100)
}
