package pcm_test

import (
	"fmt"
	"time"

	"voicepool/pcm"
)

// Half the amplitude is about 6 dB less, an octave up is 12 semitones.
func Example() {
	fmt.Printf("%.2f dB\n", pcm.FromLinear(0.5))
	fmt.Printf("%g semitones\n", pcm.FromRatio(2))
	fmt.Println(pcm.Frames(250*time.Millisecond, 48000), "frames")
	fmt.Println(pcm.Duration(72000, 48000))
	// Output:
	// -6.02 dB
	// 12 semitones
	// 12000 frames
	// 1.5s
}
