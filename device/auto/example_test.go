package auto_test

import (
	"fmt"
	"log"
	"time"

	"voicepool/device/auto"
	"voicepool/mixer"
)

// A game opens its device and plays, with or without a sound card. Once per frame it checks whether the sound
// card was lost, or is back.
func ExampleOpen() {
	m, err := mixer.New(mixer.Config{})
	if err != nil {
		log.Fatal(err)
	}
	out := auto.Open(m, auto.Config{Name: "my game", Buffer: 60 * time.Millisecond})
	defer out.Close()
	var events [8]auto.Event
	for _, e := range events[:out.Events(events[:])] {
		log.Print(e)
	}
}

// A program exits if the driver that its user has chosen does not exist.
func ExampleFind() {
	_, err := auto.Find(auto.Config{Driver: "plus"})
	fmt.Println(err)
	// Output:
	// auto: no driver "plus", want one of pulse, oto
}

// An event formats itself for users.
func ExampleEvent() {
	lost := auto.Event{Kind: auto.Lost, Frame: 595200, At: 12400 * time.Millisecond, Reason: "the sound server is gone"}
	back := auto.Event{Kind: auto.Back, Frame: 724800, At: 15100 * time.Millisecond, Gap: 2700 * time.Millisecond, On: "pulse on speakers"}
	fmt.Println(lost)
	fmt.Println(back)
	// Output:
	// no sound since 12.4 s: the sound server is gone; looking
	// sound again at 15.1 s on pulse on speakers: 2.7 s were not heard
}
