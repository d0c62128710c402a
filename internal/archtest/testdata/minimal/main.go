// A game with sounds of its own: what it compiles and how large it is, minimal_test.go says.
package main

import (
	"log"
	"time"

	"voicepool/device/auto"
	"voicepool/mixer"
	"voicepool/sounds/library"
)

func main() {
	m, err := mixer.New(mixer.Config{Voices: 16})
	if err != nil {
		log.Fatal(err)
	}
	coin, err := library.NewLibrary(library.Options{Rate: m.Rate()}).LoadFile("coin.ogg")
	if err != nil {
		log.Fatal(err)
	}
	out := auto.Open(m, auto.Config{})
	defer out.Close()
	m.Play(coin, mixer.Options{Gain: -6})
	time.Sleep(time.Second)
}
