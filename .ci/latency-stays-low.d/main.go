// Command latency measures the time from Play of a sound to its arrival at the monitor of a sink:
//
//	latency DRIVER [BUFFER]        with pulse, oto or beep; BUFFER is a duration such as 5ms
//	latency steady [BUFFER]        measures pulse for a minute beside garbage
//	latency idle DRIVER [BUFFER]   measures the CPU usage of an idle mixer; DRIVER may also be auto or null
//
// Without BUFFER the driver uses its default.
//
// It plays 200 sounds; package loopback records and measures them.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopxl/beep/v2"
	"github.com/gopxl/beep/v2/speaker"

	"voicepool/device"
	"voicepool/device/oto"
	"voicepool/device/pulse"
	"voicepool/internal/loopback"
	"voicepool/mixer"
	"voicepool/sounds"
)

const (
	rate   = 48000
	length = 480 // frames of the sound
)

// rest is the pause before each start, LATENCY_REST, in which a mixer may become idle.
var rest = 150 * time.Millisecond

func main() {
	log.SetFlags(0)
	starts := 200
	if n, err := strconv.Atoi(os.Getenv("LATENCY_STARTS")); err == nil {
		starts = n
	}
	if d, err := time.ParseDuration(os.Getenv("LATENCY_REST")); err == nil {
		rest = d
	}
	var buffer time.Duration
	if at := slices.IndexFunc(os.Args, func(s string) bool { return strings.HasSuffix(s, "ms") }); at > 0 {
		var err error
		if buffer, err = time.ParseDuration(os.Args[at]); err != nil {
			log.Fatal(err)
		}
	}
	if os.Args[1] == "idle" {
		idle(os.Args[2], buffer)
		return
	}
	if os.Args[1] == "steady" {
		steady(buffer)
		return
	}
	heard, err := loopback.Listen(context.Background(), "")
	if err != nil {
		log.Fatal(err)
	}
	play, told := open(os.Args[1], buffer)
	time.Sleep(time.Second)
	r, err := heard.Measure(context.Background(), starts, rest, play)
	if err != nil {
		log.Fatal(err)
	}
	took, judged, lost := r.Heard, r.Judged, r.Unheard
	if len(took) == 0 {
		log.Fatalf("%s: nothing was heard", os.Args[1])
	}
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 }
	if file := os.Getenv("LATENCY_JUDGED"); file != "" {
		line := fmt.Sprintf("%.1f %.1f %d\n", ms(judged[len(judged)/2]), ms(judged[len(judged)*99/100]), lost)
		if err := os.WriteFile(file, []byte(line), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	asked := cmp.Or(slices.Concat(os.Args[2:], []string{"default"})...)
	fmt.Printf("| %s | %s | %.1f | %.1f | %d | %s |\n", os.Args[1], asked,
		ms(took[len(took)/2]), ms(took[len(took)*99/100]), lost, told())
}

// open opens a driver. It returns a function that plays a sound, and a function that describes the driver's latency.
func open(name string, buffer time.Duration) (play func() error, told func() string) {
	if name == "beep" {
		buffer = cmp.Or(buffer, 100*time.Millisecond) // the value in beep's examples
		if err := speaker.Init(rate, beep.SampleRate(rate).N(buffer)); err != nil {
			log.Fatal(err)
		}
		play = func() error {
			speaker.Play(beep.Take(length, beep.StreamerFunc(level)))
			return nil
		}
		return play, func() string { return "" }
	}
	m, err := mixer.New(mixer.Config{Rate: rate})
	if err != nil {
		log.Fatal(err)
	}
	frames := make([]float32, length)
	for i := range frames {
		frames[i] = 0.5
	}
	sound, err := sounds.NewSound(sounds.Samples{Rate: rate, Channels: 1, Data: frames})
	if err != nil {
		log.Fatal(err)
	}
	out, err := card(name, buffer)
	if err != nil {
		log.Fatal(err)
	}
	if err := out.Start(m); err != nil {
		log.Fatal(err)
	}
	play = func() error {
		_, err := m.Play(sound, mixer.Options{})
		return err
	}
	return play, func() string {
		l, of := m.Latency(), device.LatenciesOf(out)
		return fmt.Sprintf("block %v, limiter %v, driver %v, server %v",
			round(l.Block), round(l.Limiter), round(of.Driver), round(of.Server))
	}
}

func card(name string, buffer time.Duration) (device.Device, error) {
	if name == "oto" {
		return oto.Open(oto.Config{Rate: rate, Buffer: buffer})
	}
	out, err := pulse.Open(context.Background(), pulse.Config{Rate: rate, Buffer: buffer})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// level is a constant sound for beep.
func level(samples [][2]float64) (int, bool) {
	for i := range samples {
		samples[i] = [2]float64{0.5, 0.5}
	}
	return len(samples), true
}
