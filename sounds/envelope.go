package sounds

import (
	"cmp"
	"math"
)

// Envelope is the loudness index of a sound at unit gain. It divides the sound into hops of equal length.
// For each hop it holds the largest mean loudness of any stretch that begins there. The unit is a K-weighted
// mean square (the mean of the channels), 0..1e15. The audio side reads the slices, so they must never
// change.
type Envelope struct {
	Hop  int64     // frames per hop, at least 1; 0: no index
	Once []float32 // the loudness by hop, for voices that play to the end
	Loop []float32 // the same for looping voices; nil: Once

	// Near is the mean energy of the next 20 ms. The mixer uses it to decide which voices become virtual or
	// are restored. NearLoop is the same for looping voices. Both have an entry for each Step frames; if
	// Step is 0, for each hop. If Near is nil, Once and Loop are used instead.
	Near, NearLoop []float32
	Step           int64

	// Later holds, by hop, the largest mean energy of any three consecutive hops that are still to come.
	// LaterLoop is the same for a loop, from any position in it.
	Later     []float32
	LaterLoop float32

	// Masks holds, by hop, the energy in each band and how much it masks. MasksLoop is the same for looping
	// voices and has one hop more. nil: the energy is spread evenly over the bands. See mixer.StealMasked.
	Masks, MasksLoop []Masks

	declared float64 // power without an index; 0: unknown
}

// defaultPower is the declared power of a sound without an index: -20 dB.
const defaultPower = 0.01

// At returns the loudness index of the sound at the position frame. The index is the largest mean loudness of any
// stretch of the sound that begins there, as a K-weighted mean square at unit gain. looped selects the index for
// looping voices. After the end of the sound the result is 0. A sound without an index has its declared level
// everywhere, or -20 dB if no level was declared.
func (e *Envelope) At(frame int64, looped bool) float64 {
	return e.lookUp(tableOf(e.Once, e.Loop, looped), e.HopAt(frame))
}

// NearAt returns the mean energy of the 20 ms after the position frame of the sound, as a K-weighted mean square at
// unit gain. looped selects the table for looping voices. If the sound has no Near table, it returns the result of At.
func (e *Envelope) NearAt(frame int64, looped bool) float64 {
	if e.Near == nil {
		return e.At(frame, looped)
	}
	return e.lookUp(tableOf(e.Near, e.NearLoop, looped), max(frame/max(e.step(), 1), 0))
}

// BothAt returns the results of At (index) and of NearAt (near) for the position frame of the sound. It is faster than
// two calls. Both results are K-weighted mean squares at unit gain. looped selects the tables for looping voices.
func (e *Envelope) BothAt(frame int64, looped bool) (index, near float64) {
	if e.Near == nil {
		index = e.At(frame, looped)
		return index, index
	}
	if !e.fourStepsPerHop() {
		return e.At(frame, looped), e.NearAt(frame, looped)
	}
	step := max(frame/e.Step, 0)
	return e.lookUp(tableOf(e.Once, e.Loop, looped), step/4), e.lookUp(tableOf(e.Near, e.NearLoop, looped), step)
}

// fourStepsPerHop reports whether an entry of Once covers exactly as many frames as four entries of Near. Then a single
// division finds the entries of both tables.
func (e *Envelope) fourStepsPerHop() bool { return e.Step > 0 && e.Hop == 4*e.Step }

// MaxAfter returns the largest mean energy of any 60 ms (three consecutive hops) after the position frame of the sound.
// It is a K-weighted mean square at unit gain. If looped is true, the whole loop counts, too. Without the table Later,
// the result is +Inf.
func (e *Envelope) MaxAfter(frame int64, looped bool) float64 {
	if e.Later == nil {
		return math.Inf(1)
	}
	most := e.lookUp(e.Later, e.HopAt(frame))
	if looped {
		most = max(most, float64(e.LaterLoop))
	}
	return most
}

// tableOf selects the table for a voice. It returns loop if looped is true and loop is not nil, otherwise once.
func tableOf[T any](once, loop []T, looped bool) []T {
	if looped && loop != nil {
		return loop
	}
	return once
}

// step returns how many frames of the sound an entry of Near covers: Step, or Hop if Step is 0 or less.
func (e *Envelope) step() int64 { return cmp.Or(max(e.Step, 0), e.Hop) }

// HopAt returns the index of the table entry (hop) for the position frame of the sound. It is 0 without an index and
// for a negative position.
func (e *Envelope) HopAt(frame int64) int64 {
	if e.Hop < 1 {
		return 0
	}
	return max(frame/e.Hop, 0)
}

// lookUp returns the entry number hop of table, which must be a table of e. It returns 0 for entries behind the end.
// Without an index or with an empty table, it returns the declared power of the sound, or -20 dB if no level was
// declared.
func (e *Envelope) lookUp(table []float32, hop int64) float64 {
	switch {
	case e.Hop < 1 || len(table) == 0:
		return cmp.Or(e.declared, defaultPower)
	case hop >= int64(len(table)):
		return 0
	}
	return float64(table[hop])
}

// bytes returns the size of the tables in bytes.
func (e *Envelope) bytes() int64 {
	return 4 * int64(len(e.Once)+len(e.Loop)+len(e.Near)+len(e.NearLoop)+len(e.Later)+2*Bands*(len(e.Masks)+len(e.MasksLoop)))
}

// Bands is the number of frequency bands of Masks, four Bark each.
const Bands = 7

// Masks holds, for one hop and each band, the ear-weighted energy and the masking that it causes, spread over
// the bands. Both are powers at unit gain, the mean of the channels; full scale is 92 dB.
type Masks struct {
	Energy, Spread [Bands]float32
}

// maskScale converts a mean square to the powers of Masks.
const maskScale = 2 * 1.5848931924611134e9

// MasksAt returns, for each band, the ear-weighted energy of the sound and its masking effect on all bands, both at
// unit gain. m[0] is for the position frame, m[1] for the next hop. looped selects the index for looping voices. After
// the end of the index they are zero. Without a masking index, m[0] and m[1] are equal. Both then spread the result of
// NearAt, in the unit of Masks, evenly over the bands.
func (e *Envelope) MasksAt(frame int64, looped bool) (m [2]Masks) {
	if e.Masks == nil {
		near := e.NearAt(frame, looped)
		for b := range Bands {
			m[0].Energy[b] = float32(float64(near*maskScale) / Bands)
		}
		m[0].Spread = m[0].Energy // a flat spectrum equals its spread to within a fraction of a decibel
		m[1] = m[0]
		return m
	}
	table := tableOf(e.Masks, e.MasksLoop, looped)
	if e.Hop > 0 && frame/e.Hop < int64(len(table)) {
		copy(m[:], table[max(frame/e.Hop, 0):])
	}
	return m
}

// BandEnergiesAt fills energies with the energy of the sound in each masking band, as in Masks. energies[0] is for the
// position frame, energies[1] for the next hop, about 20 ms later. Each energy is multiplied by powers, a power gain
// for each band. looped selects the index for looping voices. After the end of the index the energies are 0. Without a
// masking index the near energy, in the unit of Masks, is spread evenly over the bands. Audio side.
func (e *Envelope) BandEnergiesAt(frame int64, looped bool, powers *[Bands]float32, energies *[2][Bands]float32) {
	if e.Masks == nil {
		for h, m := range e.MasksAt(frame, looped) {
			for b, g := range powers {
				energies[h][b] = float32(m.Energy[b] * g)
			}
		}
		return
	}
	table, at := tableOf(e.Masks, e.MasksLoop, looped), max(e.HopAt(frame), 0)
	for h := range energies {
		if at += int64(h); e.Hop < 1 || at >= int64(len(table)) {
			energies[h] = [Bands]float32{}
			continue
		}
		energy := &table[at].Energy
		for b, g := range powers {
			energies[h][b] = float32(energy[b] * g)
		}
	}
}
