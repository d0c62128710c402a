package synth

import "voicepool/pcm"

// theme returns the loop of the theme, four bars at 120 bpm: a bass, a plucked accompaniment, a soft pad and a melody
// on an electric piano, over A minor, F, C and G.
func theme() *track {
	const (
		beat = 0.5
		bar  = 4 * beat
	)
	t := newLoop(2, 4*bar)

	// In semitones from A4. Each bar: the bass note, then the chord.
	chords := [4][4]pcm.Semitones{
		{-24, -12, -9, -5},
		{-28, -16, -12, -9},
		{-21, -14, -9, -5},
		{-26, -14, -10, -7},
	}
	for i, c := range chords {
		start := float64(i) * bar
		for _, on := range []float64{0, 1.5, 3} {
			t.put(start+float64(on*beat), 0.9, bass(pitch(c[0])))
		}
		pad := chord(pitch(c[1]), pitch(c[2]), pitch(c[3])).lowpass(1500).times(attack(0.5)).times(line(point{1.6, 1}, point{2.6, 0}))
		t.put(start, 2.6, pad.gain(-27))

		order := [8]int{1, 2, 3, 2, 1, 3, 2, 3}
		for k, n := range order {
			up := pcm.Semitones(12 * (k % 2))
			note := pluck(pitch(c[n]+up), 1.4, 0.17, random(200+8*i+k))
			place := 0.4 - float64(0.8*float64(k%2))
			t.pan(place, start+float64(float64(k)*beat/2), 1.2, note.times(attack(0.003)).times(line(point{0.9, 1}, point{1.2, 0})).gain(-6))
		}
	}

	melody := []struct {
		at    float64 // in beats
		note  pcm.Semitones
		beats float64
	}{
		{0, 7, 1.5}, {1.5, 3, 0.5}, {2, 5, 1}, {3, 7, 1},
		{4, 8, 1.5}, {5.5, 7, 0.5}, {6, 3, 2},
		{8, 7, 1}, {9, 10, 1}, {10, 12, 1.5}, {11.5, 10, 0.5},
		{12, 5, 1}, {13, 7, 0.5}, {13.5, 5, 0.5}, {14, 2, 2},
	}
	for _, m := range melody {
		t.pan(0.12, float64(m.at*beat), float64(m.beats*beat)+0.35, piano(pitch(m.note), float64(m.beats*beat)).gain(-10))
	}
	return t.reverb(-21, newReverb(0.9, 1.2, 0.45))
}

// bass returns a bass note of the frequency hz, which is silent after 0.88 s.
func bass(hz float64) Signal {
	tone := sine(at(hz)).plus(triangle(at(hz)).lowpass(500).gain(-6))
	return tone.times(attack(0.008)).times(decay(1.6)).times(line(point{0.7, 1}, point{0.88, 0})).gain(-8)
}

// piano returns a note of an electric piano of the frequency hz. The key is held for the time held, in seconds; after
// that the note ends within 0.3 s.
func piano(hz, held float64) Signal {
	tone := fm(at(hz), 1, decay(1.5).gain(2))
	tine := fm(at(hz), 14, at(0.2)).times(decay(0.25)).gain(-22)
	damper := line(point{held, 1}, point{held + 0.3, 0})
	return tone.plus(tine).times(attack(0.004)).times(decay(2.8)).times(damper)
}
