package oto_test

import (
	"log"

	"voicepool/device"
	"voicepool/device/null"
	"voicepool/device/oto"
	"voicepool/mixer"
)

// A program chooses its devices by hand: the sound card, or otherwise a null device. Package device/auto does
// the same in one call.
func ExampleOpen() {
	m, err := mixer.New(mixer.Config{})
	if err != nil {
		log.Fatal(err)
	}
	var out device.Device
	if out, err = oto.Open(oto.Config{Rate: m.Rate()}); err != nil {
		log.Print(err)
		out = null.NewPaced(null.Config{Rate: m.Rate()})
	}
	defer out.Close()
	if err := out.Start(m); err != nil {
		log.Fatal(err)
	}
}
