// Command latency measures the time from Play of a sound to its arrival at the monitor of a sink:
//
//	latency DRIVER [BUFFER]        with pulse, oto or beep; BUFFER is a duration such as 5ms
//	latency steady [BUFFER]        measures pulse for a minute beside garbage
//	latency idle DRIVER [BUFFER]   measures the CPU usage of an idle mixer; DRIVER may also be auto or null
//
// Without BUFFER the driver uses its default.
//
// It plays 200 sounds at random times from a fixed seed, and records with its own stream. The result is the
// time when the server passed on the block with the first sample, so it is never too short. The recording
// stream requests no latency; otherwise the sink would reduce its own.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gopxl/beep/v2"
	"github.com/gopxl/beep/v2/speaker"
	driver "github.com/jfreymuth/pulse"

	"voicepool/device"
	"voicepool/device/oto"
	"voicepool/device/pulse"
	"voicepool/internal/lateness"
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
	heard := listen()
	play, told := open(os.Args[1], buffer)
	time.Sleep(time.Second)
	random := rand.New(rand.NewPCG(1, 1))
	var took, judged []time.Duration // judged: without the time that the control lost
	lost := 0
	control := lateness.Start()
	for range starts {
		time.Sleep(rest + time.Duration(random.Int64N(int64(40*time.Millisecond))))
		for len(heard) > 0 {
			<-heard
		}
		begin := time.Now()
		play()
		select {
		case at := <-heard:
			took, judged = append(took, at.Sub(begin)), append(judged, at.Sub(begin)-control.Lost(begin, at))
		case <-time.After(time.Second):
			lost++
		}
	}
	if len(took) == 0 {
		log.Fatalf("%s: nothing was heard", os.Args[1])
	}
	slices.Sort(took)
	slices.Sort(judged)
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

// listen returns a channel with the times when sound begins on the server's default sink.
func listen() chan time.Time {
	client, err := driver.NewClient()
	if err != nil {
		log.Fatal(err)
	}
	sink, err := client.DefaultSink()
	if err != nil {
		log.Fatal(err)
	}
	heard, quiet := make(chan time.Time, 16), 0
	stream, err := client.NewRecord(driver.Float32Writer(func(block []float32) (int, error) {
		now := time.Now()
		loud := slices.ContainsFunc(block, func(x float32) bool { return x > 0.05 || x < -0.05 })
		if loud && quiet > rate/20 {
			heard <- now
		}
		if quiet += len(block); loud {
			quiet = 0
		}
		return len(block), nil
	}), driver.RecordMonitor(sink), driver.RecordSampleRate(rate), driver.RecordBufferFragmentSize(48*4))
	if err != nil {
		log.Fatal(err)
	}
	stream.Start()
	return heard
}

// open opens a driver. It returns a function that plays a sound, and a function that describes the driver's latency.
func open(name string, buffer time.Duration) (play func(), told func() string) {
	if name == "beep" {
		buffer = cmp.Or(buffer, 100*time.Millisecond) // the value in beep's examples
		if err := speaker.Init(rate, beep.SampleRate(rate).N(buffer)); err != nil {
			log.Fatal(err)
		}
		return func() { speaker.Play(beep.Take(length, beep.StreamerFunc(level))) }, func() string { return "" }
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
	play = func() {
		if _, err := m.Play(sound, mixer.Options{}); err != nil {
			log.Fatal(err)
		}
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
