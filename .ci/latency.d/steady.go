package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"time"

	"voicepool/device"
	"voicepool/device/pulse"
	"voicepool/mixer"
	"voicepool/voice"
)

const (
	voices   = 64
	lasts    = time.Minute
	garbage  = 1 << 20 // bytes a millisecond: a gigabyte a second
	litter   = 1 << 10 // bytes of a piece
	retained = 16384   // pieces, so that a collection has something to mark
)

// steady plays 64 pitched voices for a minute, then again beside a gigabyte of garbage a
// second, and prints how often the server ran dry.
func steady(buffer time.Duration) {
	for _, run := range []string{"control", "garbage"} {
		m := crowd()
		out, err := pulse.Open(context.Background(), pulse.Config{Rate: rate, Buffer: buffer})
		if err != nil {
			log.Fatal(err)
		}
		gauge := device.NewGauge(m, rate)
		if err := out.Start(gauge); err != nil {
			log.Fatal(err)
		}
		time.Sleep(time.Second) // to its pace
		before, begin := out.Underflows(), time.Now()
		kept := make([]*[litter]byte, retained)
		for made := 0; time.Since(begin) < lasts; time.Sleep(time.Millisecond) {
			if run == "garbage" {
				for ; made < int(time.Since(begin)/time.Millisecond)*garbage/litter; made++ {
					kept[made%retained] = new([litter]byte)
				}
			}
		}
		l := gauge.Load()
		fmt.Printf("| %s | %v | %d | %.2f | %.1f | %d |\n", run, lasts, out.Underflows()-before,
			100*l.Mean, l.Longest.Seconds()*1000, l.Collections)
		out.Close()
	}
}

// crowd is a mixer in which 64 pitched voices play on and on.
func crowd() *mixer.Mixer {
	m, err := mixer.New(mixer.Config{Rate: rate, Voices: voices})
	if err != nil {
		log.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 1))
	data := make([]float32, rate)
	for i := range data {
		data[i] = random.Float32() - 0.5
	}
	sound, err := voice.NewSound(voice.Samples{Rate: rate, Channels: 1, Data: data})
	if err != nil {
		log.Fatal(err)
	}
	for range voices {
		if _, err := m.Play(sound, mixer.Options{Loop: true, Gain: -40, Pitch: 1.5, Quality: voice.Best}); err != nil {
			log.Fatal(err)
		}
	}
	return m
}
