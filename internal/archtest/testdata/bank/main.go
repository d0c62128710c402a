// A game with a bank: that it carries no sounds but its own, minimal_test.go says.
package main

import (
	"log"
	"os"
	"time"

	"voicepool/bank"
	"voicepool/device/auto"
	"voicepool/sounds/library"
)

func main() {
	b, err := bank.Open(os.DirFS("assets"), "sounds.yaml", library.NewLibrary(library.Options{}))
	if err != nil {
		log.Fatal(err)
	}
	m, err := b.NewMixer()
	if err != nil {
		log.Fatal(err)
	}
	out := auto.Open(m, auto.Config{})
	defer out.Close()
	b.Play("coin", bank.Options{Gain: -6})
	time.Sleep(time.Second)
}
