package cue_test

import (
	"fmt"

	"voicepool/cue"
)

// Parse returns all errors of a sheet with their places.
func ExampleParse() {
	_, err := cue.Parse("show.yaml", []byte(`
cues:
  - {at: 1.5sec, play: coin}
  - {at: 2s, play: coin, pich: 3}
`))
	fmt.Println(err)
	// Output:
	// show.yaml:3:10: at: "1.5sec" is not a time; write 1.5s, 250ms, 2m3s or a number of seconds
	// show.yaml:4:26: unknown key "pich" in a cue; did you mean "pitch"?
}
