// Pooled is the same program with a pool: at most six notes play at once, and the quietest is stolen.
package main

import (
	"log"
	"time"

	"github.com/gopxl/beep/v2"
	"github.com/gopxl/beep/v2/effects"
	"github.com/gopxl/beep/v2/generators"
	"github.com/gopxl/beep/v2/speaker"

	"voicepool/beepio"
	"voicepool/mixer"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

const rate = beep.SampleRate(48000)

func main() {
	if err := speaker.Init(rate, rate.N(50*time.Millisecond)); err != nil {
		log.Fatal(err)
	}
	pool, err := mixer.New(mixer.Config{Rate: int(rate), Voices: 6})
	if err != nil {
		log.Fatal(err)
	}
	speaker.Play(beepio.NewStreamer(pool))
	for i := range 32 {
		note := strike([]float64{262, 294, 330, 349, 392, 440, 494, 523}[i%8])
		if _, err := pool.Play(sound(note), mixer.Options{}); err != nil {
			log.Fatal(err)
		}
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

// sound converts a note to a sound that the pool can play. An error ends the program.
func sound(note *beep.Buffer) *sounds.Sound {
	clip, err := beepio.Read("note", note.Streamer(0, note.Len()), rate, note.Len())
	if err != nil {
		log.Fatal(err)
	}
	s, err := library.Prepare(clip, library.Options{Rate: int(rate)})
	if err != nil {
		log.Fatal(err)
	}
	return s
}
