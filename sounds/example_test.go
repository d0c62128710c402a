package sounds_test

import (
	"fmt"

	"voicepool/sounds"
)

// Samples of a program's own become a sound, which any number of voices play.
func ExampleNewSound() {
	click, err := sounds.NewSound(sounds.Samples{Name: "click", Rate: 48000, Channels: 1, Data: []float32{1, -0.5, 0.25, 0}})
	fmt.Println(click.Name(), click.Frames(), err)
	_, err = sounds.NewSound(sounds.Samples{Name: "click", Rate: 48000, Channels: 3, Data: []float32{0, 0, 0}})
	fmt.Println(err)
	// Output:
	// click 4 <nil>
	// sounds: not a playable sound: 3 channels, a sound has 1 or 2
}
