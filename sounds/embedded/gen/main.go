// Command gen makes the embedded sounds, in the folder that its argument names. It is a
// module of its own, because the library does not need a FLAC encoder.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"voicepool/sounds/embedded/gen/synth"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen FOLDER")
		os.Exit(2)
	}
	if err := generate(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func generate(folder string) error {
	for _, r := range synth.Recipes() {
		data, err := synth.FLAC(r.PCM(), r.Loop)
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, r.Name+".flac"), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
