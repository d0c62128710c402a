// Command day plays a day of audio on a mixer, faster than real time, and checks that its memory stays flat.
//
//	day [-hours 24] [-voices 8]
//
// The mix has eight voices, so that a day takes less than a minute: random sounds of 0.1 to 3.2 s and an endless loop,
// on three buses. Speech ducks the music, and the effects of the third bus have a delay. Sounds start at random times
// from a fixed seed, on the average every 0.15 s, with random gain, pan and, one in eight, pitch. Some are stolen, some
// become virtual, and some are stopped with a fade.
//
// After the first 10 minutes of audio, and at the end, it measures the heap after a collection, and the memory that
// the system has given to the process. It counts allocations in between.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"voicepool/effect"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

const (
	rate  = 48000
	block = 2048
	// settled is the length of audio before the first measurement.
	settled = 10 * 60 * rate
)

func main() {
	log.SetFlags(0)
	hours := flag.Float64("hours", 24, "of audio, above 0.2")
	voices := flag.Int("voices", 8, "slots of the pool")
	flag.Parse()
	if *hours <= 0.2 {
		log.Fatalf("day: -hours %v is out of range, want above 0.2", *hours)
	}
	s, err := newShow(*voices)
	if err != nil {
		log.Fatal(err)
	}
	frames, begin := int64(*hours*3600*rate), time.Now()
	s.play(settled)
	before := measure()
	s.play(frames)
	after, stats := measure(), s.mixer.Stats()
	took := time.Since(begin)
	fmt.Printf("%.1f h of audio in %.1f s: %d starts, %d stolen, %d rejected, %d commands late, %d faults\n", *hours, took.Seconds(),
		stats.Asked, stats.Stolen, stats.Rejected, stats.Late, stats.Faults)
	fmt.Printf("after 10 min: heap %d bytes, resident %d KB\n", before.heap, before.resident>>10)
	fmt.Printf("at the end:   heap %d bytes, resident %d KB; %d allocations in between\n", after.heap, after.resident>>10, after.objects-before.objects)
	if err := judge(before, after, stats); err != nil {
		log.Fatal("day: ", err)
	}
}

// memory is the memory of this process.
type memory struct {
	heap     int64  // bytes of live objects
	objects  uint64 // allocated since the start of the process
	resident int64  // bytes, 0 if unknown
}

// measure collects the garbage and measures.
func measure() memory {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	objects := m.Mallocs // the collection itself allocates
	debug.FreeOSMemory()
	runtime.ReadMemStats(&m)
	return memory{int64(m.HeapAlloc), objects, resident()}
}

// resident returns the resident memory of this process, from /proc, or 0.
func resident() int64 {
	var size, pages int64
	text, _ := os.ReadFile("/proc/self/statm")
	fmt.Sscan(string(text), &size, &pages)
	return pages * int64(os.Getpagesize())
}

const (
	maxHeapGrowth     = 64 << 10
	maxResidentGrowth = 2 << 20
	// maxAllocations is the number of allocations that the runtime itself may make in a day. The mixer does not allocate,
	// neither in Render nor in Play; one allocation per block would be two million.
	maxAllocations = 1000
)

// judge returns an error if memory has grown, if the mixer allocated, or if the show was not as intended.
func judge(before, after memory, s mixer.Stats) error {
	switch {
	case after.heap-before.heap > maxHeapGrowth:
		return fmt.Errorf("the heap grew by %d bytes, want at most %d", after.heap-before.heap, maxHeapGrowth)
	case after.resident-before.resident > maxResidentGrowth:
		return fmt.Errorf("the resident memory grew by %d bytes, want at most %d", after.resident-before.resident, maxResidentGrowth)
	case after.objects-before.objects > maxAllocations:
		return fmt.Errorf("%d allocations, want at most %d", after.objects-before.objects, maxAllocations)
	case s.Stolen == 0 || s.Ended == 0 || s.Faults != 0 || s.Busy != 0 || s.Missed != 0:
		return fmt.Errorf("the show had %+v, want steals and ends, and no faults", s)
	}
	return nil
}

// show plays random sounds.
type show struct {
	mixer  *mixer.Mixer
	buses  [3]mixer.Bus // music, speech, effects
	sounds []*sounds.Sound
	random *rand.Rand
	next   int64 // frame of the next start
	block  []pcm.Frame
	events [64]mixer.Event
}

// newShow returns a show on a pool of a number of voices.
func newShow(voices int) (*show, error) {
	echo, err := effect.New("delay", nil)
	if err != nil {
		return nil, err
	}
	m, err := mixer.New(mixer.Config{
		Rate: rate, Voices: voices, Virtual: 2, Quality: sounds.Linear,
		Buses: []mixer.BusConfig{
			{Name: "music", Gain: -6, Duck: mixer.Duck{When: "speech", By: 9, Attack: 50 * time.Millisecond, Release: time.Second}},
			{Name: "speech"},
			{Name: "effects", Effects: []effect.Effect{echo}},
		},
	})
	if err != nil {
		return nil, err
	}
	s := &show{mixer: m, random: rand.New(rand.NewPCG(1, 1)), block: make([]pcm.Frame, block)}
	for i, name := range []string{"music", "speech", "effects"} {
		if s.buses[i], err = m.Bus(name); err != nil {
			return nil, err
		}
	}
	for i := range 6 { // from 0.1 to 3.2 s
		data := make([]float32, rate/10<<i)
		for j := range data {
			data[j] = (s.random.Float32() - 0.5) / 2
		}
		sound, err := sounds.NewSound(sounds.Samples{Name: fmt.Sprint("sound ", i), Rate: rate, Channels: 1, Data: data})
		if err != nil {
			return nil, err
		}
		s.sounds = append(s.sounds, sound)
	}
	_, err = m.Play(s.sounds[5], mixer.Options{Bus: s.buses[0], Loop: true, Gain: -12})
	return s, err
}

// play plays until a frame.
func (s *show) play(until int64) {
	for s.mixer.Now() < until {
		for ; s.next < s.mixer.Now()+block; s.next += s.random.Int64N(rate * 3 / 10) {
			o := mixer.Options{Bus: s.buses[s.random.IntN(3)], Gain: pcm.Decibels(-20 * s.random.Float64()), Pan: 2*s.random.Float64() - 1}
			if s.random.IntN(8) == 0 {
				o.Pitch = pcm.Semitones(12*s.random.Float64() - 6)
			}
			if h, err := s.mixer.Play(s.sounds[s.random.IntN(len(s.sounds))], o); err != nil {
				log.Fatal(err)
			} else if s.random.IntN(16) == 0 {
				_ = h.Stop(time.Second) // it may have been rejected
			}
		}
		s.mixer.Render(s.block)
		s.mixer.Events(s.events[:])
	}
}
