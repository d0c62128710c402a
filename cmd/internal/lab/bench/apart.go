package bench

import (
	"time"

	"voicepool/internal/dsp"
	"voicepool/sounds"
)

// Cases with one sound per voice. The sounds together exceed every cache.
const (
	separateVoices = 16384
	separateFrames = 4096 // per sound
	separateSpeed  = 1.1

	monoSeparate, bestSeparate, copySeparate = "mono-apart", "mono-best-apart", "copy-apart"
)

// separateSounds measures the mixing of 16,384 voices that each have a sound of their own, unpitched and pitched.
// Memory bandwidth limits any mixer there. For comparison, separateSounds also measures plain copying of the data that
// pitched voices read. pick reports whether the case with a name is measured. separateSounds calls next before each
// measurement.
func separateSounds(pick func(string) bool, next Progress) ([]Row, error) {
	if !pick(monoSeparate) && !pick(bestSeparate) && !pick(copySeparate) {
		return nil, nil
	}
	data := noise(separateFrames)
	var rows []Row
	add := func(name string, runs []float64) {
		ns := Median(runs)
		realtime := int(1e9 / Rate / ns)
		rows = append(rows, Row{Case: name, Voices: separateVoices, NsPerVoiceFrame: &ns, VoicesRealtime: &realtime, Kernel: dsp.Kernel(), Samples: runs})
	}
	for _, w := range []mixCase{{name: monoSeparate, channels: 1, speed: 1}, {name: bestSeparate, channels: 1, speed: separateSpeed}} {
		if !pick(w.name) {
			continue
		}
		next("measuring %s with %d voices", w.name, separateVoices)
		sounds := make([]*sounds.Sound, separateVoices)
		for i := range sounds {
			var err error
			if sounds[i], err = newSound(data, 1, false); err != nil { // the data is copied
				return nil, err
			}
		}
		_, runs, err := w.measure(sounds, separateVoices, time.Nanosecond, false)
		if err != nil {
			return nil, err
		}
		add(w.name, runs)
	}
	if pick(copySeparate) {
		next("copying what %d voices read", separateVoices)
		add(copySeparate, measureCopies(data))
	}
	return rows, nil
}

// measureCopies measures how long it takes to copy the samples that 16,384 pitched voices read for a block. Each voice
// reads from a copy of data, which has separateFrames samples. The result has a value for each of seven runs, in
// nanoseconds per voice and frame.
func measureCopies(data []float32) (runs []float64) {
	const read = Block*11/10 + 1 // at separateSpeed
	dst, all := make([]float32, read), make([]float32, 0, separateVoices*separateFrames)
	for range separateVoices {
		all = append(all, data...)
	}
	for run := range Runs {
		start := time.Now()
		for i := range separateVoices {
			copy(dst, all[i*separateFrames+run*read:][:read])
		}
		runs = append(runs, perCall(time.Since(start), separateVoices*Block))
	}
	return runs
}
