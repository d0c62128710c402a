package watch_test

import (
	"context"
	"log"
	"time"

	"voicepool/sounds"
	"voicepool/sounds/library"
	"voicepool/sounds/watch"
)

// While a designer works, the game reloads each saved file. Playing voices keep the old sound, and later starts
// use the new one.
func ExampleFiles() {
	lib := library.NewLibrary(library.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	go watch.Files(ctx, lib, func(old, now *sounds.Sound, err error) {
		if err != nil {
			log.Print(err) // the old sound stays
			return
		}
		log.Print("read again: ", now.Name())
	})
}
