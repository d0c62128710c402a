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
	"voicepool/sounds"
)

const (
	voices    = 64
	lasts     = time.Minute
	roundTime = 5 * time.Second
	garbage   = 1 << 20 // bytes per millisecond: a gigabyte per second
	litter    = 1 << 10 // bytes per allocation
	retained  = 16384   // allocations, so that the collector has objects to mark
)

// steady plays 64 pitched voices for a minute alone, and for a minute beside a gigabyte of garbage a second.
// Rounds of 5 s alternate, so that other load on the machine affects both. It prints how often the server ran
// dry.
func steady(buffer time.Duration) {
	m := crowd()
	out, err := pulse.Open(context.Background(), pulse.Config{Rate: rate, Buffer: buffer})
	if err != nil {
		log.Fatal(err)
	}
	defer out.Close()
	load := device.NewLoadMeter(m, rate)
	if err := out.Start(load); err != nil {
		log.Fatal(err)
	}
	time.Sleep(time.Second) // to reach a steady state
	runs := [...]struct {
		name        string
		dry, rounds int64 // rounds: the number of rounds with an underrun
		collections uint64
	}{{name: "control"}, {name: "garbage"}}
	kept := make([]*[litter]byte, retained)
	for range int(lasts / roundTime) {
		for i := range runs {
			r, before, begin := &runs[i], out.Underflows(), time.Now()
			collections := load.Load().Collections
			for made := 0; time.Since(begin) < roundTime; time.Sleep(time.Millisecond) {
				for ; i == 1 && made < int(time.Since(begin)/time.Millisecond)*garbage/litter; made++ {
					kept[made%retained] = new([litter]byte)
				}
			}
			dry := out.Underflows() - before
			r.dry += dry
			r.rounds += min(dry, 1)
			r.collections += load.Load().Collections - collections
			time.Sleep(200 * time.Millisecond) // late events belong to their own round
		}
	}
	for _, r := range runs {
		fmt.Printf("| %s | %v | %d | %d | %d |\n", r.name, lasts, r.dry, r.rounds, r.collections)
	}
}

// crowd returns a mixer with 64 endless pitched voices.
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
	sound, err := sounds.NewSound(sounds.Samples{Rate: rate, Channels: 1, Data: data})
	if err != nil {
		log.Fatal(err)
	}
	for range voices {
		if _, err := m.Play(sound, mixer.Options{Loop: true, Gain: -40, Pitch: 1.5, EngineOptions: mixer.EngineOptions{Quality: sounds.Best}}); err != nil {
			log.Fatal(err)
		}
	}
	return m
}
