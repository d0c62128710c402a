package wav_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"voicepool/device/wav"
	"voicepool/mixer"
	"voicepool/pcm"
)

// A mix is written into a file, faster than it would be heard. The file appears under its
// name when it is complete.
func ExampleCreate() {
	folder, err := os.MkdirTemp("", "mix")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	m, err := mixer.New(mixer.Config{})
	if err != nil {
		log.Fatal(err)
	}
	file, err := wav.Create(filepath.Join(folder, "mix.wav"), wav.Config{Rate: m.Rate(), Format: wav.S16})
	if err != nil {
		log.Fatal(err)
	}
	block := make([]pcm.Frame, 480)
	for range 100 { // a second
		m.Render(block)
		if err := file.Write(block); err != nil {
			log.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(folder, "mix.wav"))
	fmt.Println(info.Size() >= 4*48000, err)
	// Output: true <nil>
}
