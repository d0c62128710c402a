package bench

import (
	"time"

	"voicepool/internal/dsp"
	"voicepool/voice"
)

// Cases with one sound per voice. The sounds together exceed every cache.
const (
	apartVoices = 16384
	apartFrames = 4096 // per sound
	apartSpeed  = 1.1

	monoApart, bestApart, copyApart = "mono-apart", "mono-best-apart", "copy-apart"
)

// separateSounds measures 16,384 voices with one sound each, unpitched and pitched. Because memory bandwidth limits
// every mixer there, it also measures plain copying of the data that the pitched voices read. pick selects the cases
// by name. separateSounds calls next before each measurement.
func separateSounds(pick func(string) bool, next Progress) ([]Row, error) {
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
			if sounds[i], err = newSound(data, 1, false); err != nil { // the data is copied
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
		add(copyApart, measureCopies(data))
	}
	return rows, nil
}

// measureCopies measures how long it takes to copy the data that pitched voices with one sound each read. data are
// the samples of each sound, apartFrames long. It returns nanoseconds per voice and frame, one value for each run.
func measureCopies(data []float32) (runs []float64) {
	const read = Block*11/10 + 1 // at apartSpeed
	dst, all := make([]float32, read), make([]float32, 0, apartVoices*apartFrames)
	for range apartVoices {
		all = append(all, data...)
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
