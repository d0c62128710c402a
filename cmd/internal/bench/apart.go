package bench

import (
	"time"

	"voicepool/internal/dsp"
	"voicepool/voice"
)

// The cases of voices that have a sound each: so many that no cache holds what they read.
const (
	apartVoices = 16384
	apartFrames = 4096 // of a sound
	apartSpeed  = 1.1

	monoApart, bestApart, copyApart = "mono-apart", "mono-best-apart", "copy-apart"
)

// apart measures voices that have a sound each, as they are and pitched, and a bare copy of
// what the pitched ones read: no mixer can be faster than the memory.
func apart(pick func(string) bool, next Progress) ([]Row, error) {
	if !pick(monoApart) && !pick(bestApart) && !pick(copyApart) {
		return nil, nil
	}
	data := noise(apartFrames)
	var rows []Row
	add := func(name string, runs []float64) {
		ns := Median(runs)
		realtime := int(1e9 / Rate / ns)
		rows = append(rows, Row{Case: name, Voices: apartVoices, NsPerVoiceFrame: &ns, VoicesRealtime: &realtime, Kernel: dsp.Kernel(), Samples: runs})
	}
	for _, w := range []way{{name: monoApart, channels: 1, speed: 1}, {name: bestApart, channels: 1, speed: apartSpeed}} {
		if !pick(w.name) {
			continue
		}
		next("measuring %s with %d voices", w.name, apartVoices)
		sounds := make([]*voice.Sound, apartVoices)
		for i := range sounds {
			var err error
			if sounds[i], err = sounding(data, 1, false); err != nil { // it is copied
				return nil, err
			}
		}
		_, runs, err := w.measure(sounds, apartVoices, time.Nanosecond, false)
		if err != nil {
			return nil, err
		}
		add(w.name, runs)
	}
	if pick(copyApart) {
		next("copying what %d voices read", apartVoices)
		add(copyApart, copies(data))
	}
	return rows, nil
}

// copies returns what it takes to copy as much as the pitched voices read, from places as
// far apart, to where the first cache has it.
func copies(sound []float32) (runs []float64) {
	const read = Block*11/10 + 1 // at apartSpeed
	dst, all := make([]float32, read), make([]float32, 0, apartVoices*apartFrames)
	for range apartVoices {
		all = append(all, sound...)
	}
	for run := range Runs {
		begin := time.Now()
		for i := range apartVoices {
			copy(dst, all[i*apartFrames+run*read:][:read])
		}
		runs = append(runs, perCall(time.Since(begin), apartVoices*Block))
	}
	return runs
}
