package wav_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"voicepool/device/wav"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// A mix is written to a file, faster than real time. The file appears under its name when it is complete.
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
	for range 100 { // one second
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

// A game records its output. The recording can be played while it grows, and after a crash.
func ExampleRecord() {
	folder, err := os.MkdirTemp("", "session")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "session.wav")
	m, err := mixer.New(mixer.Config{})
	if err != nil {
		log.Fatal(err)
	}
	file, err := wav.Record(path, wav.Config{Rate: m.Rate(), Format: wav.S16})
	if err != nil {
		log.Fatal(err)
	}
	block := make([]pcm.Frame, 480)
	for range 250 { // two and a half seconds
		m.Render(block)
		if err := file.Write(block); err != nil {
			log.Fatal(err)
		}
	}
	growing, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer growing.Close()
	clip, err := library.Decode(context.Background(), path, growing, library.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(clip.Frames()/int64(m.Rate()), "s of", file.Frames(), "frames while it records")
	fmt.Println(file.Close())
	// Output:
	// 2 s of 120000 frames while it records
	// <nil>
}
