package watch_test

import (
	"context"
	"log"
	"time"

	"voicepool/sounds"
	"voicepool/sounds/watch"
	"voicepool/voice"
)

// While a designer works, the game reads each file again that is saved. Voices that play
// keep the old sound, and what starts from now on has the new one.
func ExampleFiles() {
	lib := sounds.NewLibrary(sounds.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	go watch.Files(ctx, lib, func(old, now *voice.Sound, err error) {
		if err != nil {
			log.Print(err) // the old sound stays
			return
		}
		log.Print("read again: ", now.Name())
	})
}
