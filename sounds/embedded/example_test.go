package embedded_test

import (
	"fmt"

	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// A game without sounds of its own loads embedded ones. The error of an unknown name suggests the nearest name.
func ExampleLoad() {
	lib := library.NewLibrary(library.Options{})
	bell, err := embedded.Load(lib, "bell")
	fmt.Println(bell.Name(), bell.Rate(), err)
	_, err = embedded.Load(lib, "trunder")
	fmt.Println(err)
	// Output:
	// bell 48000 <nil>
	// embedded: there is no sound "trunder"; the nearest is "thunder": file does not exist
}

// The rain is streamed, decoded as it plays.
func ExampleSource() {
	lib := library.NewLibrary(library.Options{})
	rain, err := lib.OpenStream(embedded.Source("rain"), library.StreamOptions{})
	fmt.Println(rain.Name(), rain.Streamed(), err)
	// Output:
	// rain true <nil>
}
