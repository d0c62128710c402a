package voice

// Bands is how many bands of four Bark the masking index has.
const Bands = 7

// Masks is what a hop of a sound has in each band: its energy as the ear weights
// it, and what that masks, spread over the bands. Full scale is 92 dB. Both are
// powers, at unit gain, the mean of the channels.
type Masks struct {
	Energy, Spread [Bands]float32
}

// maskScale is a mean square in the powers of Masks: that of a sine of full scale
// is a half.
const maskScale = 2 * 1.5848931924611134e9

// Masks returns what the voice has in the present hop and in the next, at unit
// gain. What has no such index is as loud in all bands.
func (v *Voice) Masks() [2]Masks {
	if v.feed == nil && v.sound.envelope.Masks != nil {
		return v.sound.envelope.masks(v.Position(), v.Looping())
	}
	var m Masks
	for b := range Bands {
		m.Energy[b] = float32(float64(v.Soon()*maskScale) / Bands)
	}
	m.Spread = m.Energy // so flat a spectrum is its own spread, but for a fraction of a decibel
	return [2]Masks{m, m}
}

func (e *Envelope) masks(frame int64, looped bool) (m [2]Masks) {
	table := e.Masks
	if looped && e.MasksLoop != nil {
		table = e.MasksLoop
	}
	if e.Hop < 1 {
		return m
	}
	if i := max(frame/e.Hop, 0); i < int64(len(table)) {
		copy(m[:], table[i:])
	}
	return m
}
