package bank_test

import (
	"fmt"
	"testing/fstest"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// assets contains the files of a game. In a real game it is os.DirFS("assets") or an embed.FS. This bank uses
// embedded sounds, so it has no sound files of its own.
var assets = fstest.MapFS{"sounds.yaml": {Data: []byte(`
voices: 16
buses:
  sfx: {voices: 8}
  music: {gain: -6, duck: {when: sfx, by: 9, release: 300ms}}
sounds:
  step:  {files: [step1, step2], pick: shuffle, gain: [-6, -3], pitch: [-1, 1], bus: sfx}
  coin:  {bus: sfx, limit: 3, cooldown: 30ms}
  theme: {bus: music, loop: true, stream: true}
`)}}

// Open reads a designer's file, NewMixer creates its mixer, and Play plays a sound by name.
func Example() {
	lib := library.NewLibrary(library.Options{})
	b, err := bank.Open(assets, "sounds.yaml", lib, embedded.Sources()...)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := b.NewMixer()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	for range 4 {
		h, err := b.Play("step", bank.Options{Pan: 0.4})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(h.Sound().Name())
	}
	m.Render(make([]pcm.Frame, 480)) // called by the device in a real game
	fmt.Println(m.Stats().Playing, "voices")
	// Output:
	// step2
	// step1
	// step2
	// step1
	// 4 voices
}

// The error of an unknown name suggests the nearest name.
func ExampleBank_Play_error() {
	b, _ := bank.Open(assets, "sounds.yaml", library.NewLibrary(library.Options{}), embedded.Sources()...)
	m, _ := b.NewMixer()
	defer m.Close()
	_, err := b.Play("stpe", bank.Options{})
	fmt.Println(err)
	// Output: bank: unknown name: there is no sound "stpe"; the nearest is "step"
}

// To use another mixer than the file describes, change its configuration and pass the mixer to Use.
func ExampleBank_Use() {
	b, _ := bank.Open(assets, "sounds.yaml", library.NewLibrary(library.Options{}), embedded.Sources()...)
	config := b.Config()
	config.Meters = true
	m, err := mixer.New(config)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	fmt.Println(b.Use(m))
	_, err = b.Play("coin", bank.Options{})
	fmt.Println(err)
	// Output:
	// <nil>
	// <nil>
}

// The game controls the volumes of music and sounds through the buses of the bank's mixer.
func ExampleBank_NewMixer() {
	b, _ := bank.Open(assets, "sounds.yaml", library.NewLibrary(library.Options{}), embedded.Sources()...)
	m, err := b.NewMixer()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer m.Close()
	music, err := m.Bus("music")
	fmt.Println(music.Gain(), err)
	// Output: -6 <nil>
}

// Parse checks the text of a bank without loading its sounds.
func ExampleParse() {
	_, err := bank.Parse("sounds.yaml", []byte("sounds: {step: {file: step.wav, ptch: [-1, 1]}}"))
	fmt.Println(err)
	// Output: sounds.yaml:1:33: unknown key "ptch" in a sound; did you mean "pitch"?
}
