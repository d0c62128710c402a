package library_test

import (
	"context"
	"fmt"
	"log"

	"voicepool/sounds"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// A loading screen shows the progress of loading and the memory used.
func ExampleLibrary_LoadEach() {
	lib := library.NewLibrary(library.Options{Rate: 48000, Compact: true})
	rain := embedded.Source("rain")
	rain.Looped = true
	sources := []library.Source{embedded.Source("coin"), embedded.Source("laser"), rain}
	done := 0
	lib.LoadEach(context.Background(), sources, func(i int, s *sounds.Sound, err error) bool {
		if err != nil {
			log.Print(err)
			return false
		}
		done++
		fmt.Printf("%d of %d\n", done, len(sources))
		return true
	})
	fmt.Printf("%.1f MB\n", float64(lib.Bytes())/1e6)
	// Output:
	// 1 of 3
	// 2 of 3
	// 3 of 3
	// 0.7 MB
}

// All sounds are brought to the same loudness.
func ExampleLeveling() {
	lib := library.NewLibrary(library.Options{Measure: true, Leveling: library.Leveling{LUFS: -23}})
	for _, name := range []string{"coin", "door"} {
		s, err := embedded.Load(lib, name)
		if err != nil {
			log.Fatal(err)
		}
		info, _ := lib.Info(s)
		fmt.Printf("%s: %.1f LUFS, changed by %+.1f dB\n", name, info.Loudness, info.Gain)
	}
	// Output:
	// coin: -19.5 LUFS, changed by -3.5 dB
	// door: -24.9 LUFS, changed by +1.9 dB
}
