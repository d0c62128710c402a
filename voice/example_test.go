package voice_test

import (
	"fmt"

	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/voice"
)

// A voice adds its sound to a block and ends with the sound.
func ExampleVoice() {
	click, err := sounds.NewSound(sounds.Samples{Name: "click", Rate: 48000, Channels: 2, Data: []float32{1, 1, -0.5, -0.5}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var v voice.Voice
	v.Start(click, voice.Options{}, 100)
	var block [4]pcm.Frame
	n := v.Mix(block[:], 100)
	fmt.Println(n, block[:n], v.Ended(102))
	// Output:
	// 2 [[1 1] [-0.5 -0.5]] true
}
