package library_test

import (
	"fmt"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// A stream loops, and leaves its loop when the level is over.
func ExampleLibrary_OpenStream() {
	lib := library.NewLibrary(library.Options{})
	rain := embedded.Source("rain")
	rain.Looped = true
	stream, err := lib.OpenStream(rain, library.StreamOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _ := mixer.New(mixer.Config{})
	defer m.Close()
	h, _ := m.Play(stream, mixer.Options{Loop: true})
	step := func(blocks int) {
		block := make([]pcm.Frame, 4800)
		for range blocks {
			m.Prepare() // needed only when rendering without a clock
			m.Render(block)
		}
	}
	step(200)
	fmt.Println(h.State())
	h.SetLoop(1)
	step(200)
	fmt.Println(h.State())
	// Output:
	// playing
	// ended
}

// Tracks play one after the other without a gap, and another is added during playback.
func ExampleLibrary_NewQueue() {
	lib := library.NewLibrary(library.Options{})
	album, err := lib.NewQueue("album", library.StreamOptions{}, embedded.Source("coin"), embedded.Source("bell"))
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _ := mixer.New(mixer.Config{})
	defer m.Close()
	h, _ := m.Play(album.Sound(), mixer.Options{})
	if err := album.Add(embedded.Source("laser")); err != nil {
		fmt.Println(err)
	}
	for block := make([]pcm.Frame, 4800); !h.State().Over(); {
		m.Prepare()
		m.Render(block)
	}
	fmt.Println(album.Sources(), h.State())
	// Output: 3 ended
}
