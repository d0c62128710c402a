package auto_test

import (
	"log"
	"time"

	"voicepool/device/auto"
	"voicepool/mixer"
)

// A game opens its device and plays on, with a sound card and without.
func ExampleOpen() {
	m, err := mixer.New(mixer.Config{})
	if err != nil {
		log.Fatal(err)
	}
	out := auto.Open(m, auto.Config{Name: "my game", Buffer: 60 * time.Millisecond})
	defer out.Close()
	if out.Reason() != "" {
		log.Printf("no sound: %s", out.Reason()) // and the game goes on
	}
}
