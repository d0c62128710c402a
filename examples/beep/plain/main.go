// Plain is a program with beep alone: a scale so fast that notes overlap.
package main

import (
	"log"
	"time"

	"github.com/gopxl/beep/v2"
	"github.com/gopxl/beep/v2/effects"
	"github.com/gopxl/beep/v2/generators"
	"github.com/gopxl/beep/v2/speaker"
)

const rate = beep.SampleRate(48000)

func main() {
	if err := speaker.Init(rate, rate.N(50*time.Millisecond)); err != nil {
		log.Fatal(err)
	}
	mix := &beep.Mixer{}
	mix.KeepAlive(true)
	speaker.Play(mix)
	for i := range 32 {
		note := strike([]float64{262, 294, 330, 349, 392, 440, 494, 523}[i%8])
		speaker.Lock()
		mix.Add(note.Streamer(0, note.Len()))
		speaker.Unlock()
		time.Sleep(100 * time.Millisecond)
	}
	time.Sleep(time.Second)
}

// strike returns a sine tone of 1 s that fades to silence, with its frequency in Hz. An error ends the program.
func strike(hertz float64) *beep.Buffer {
	tone, err := generators.SineTone(rate, hertz)
	if err != nil {
		log.Fatal(err)
	}
	note := beep.NewBuffer(beep.Format{SampleRate: rate, NumChannels: 2, Precision: 2})
	note.Append(effects.Transition(beep.Take(rate.N(time.Second), tone), rate.N(time.Second), 0.3, 0, effects.TransitionEqualPower))
	return note
}
