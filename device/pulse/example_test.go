package pulse_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"voicepool/device/pulse"
	"voicepool/mixer"
)

// A program offers its user the available sinks, and plays on the chosen one.
func ExampleOpen() {
	ctx := context.Background()
	sinks, err := pulse.Sinks(ctx)
	if err != nil {
		log.Print(err) // no sound server: play on with device/null, or device/oto
		return
	}
	for i, s := range sinks {
		fmt.Println(i, s.Description, s.Rate, s.Default)
	}
	m, err := mixer.New(mixer.Config{})
	if err != nil {
		log.Fatal(err)
	}
	out, err := pulse.Open(ctx, pulse.Config{
		Rate: m.Rate(), Buffer: 20 * time.Millisecond, Sink: sinks[0].Name, Name: "my game", Title: "level 3",
	})
	if err != nil {
		log.Fatal(err)
	}
	defer out.Close()
	if err := out.Start(m); err != nil {
		log.Fatal(err)
	}
	select {
	case <-out.Lost():
		log.Print(out.Err()) // open another device: device/auto does that automatically
	case <-time.After(time.Second):
	}
}
