package voice

import (
	"cmp"
	"math"
)

// Envelope is the loudness index of a sound at unit gain: for each hop the best
// average loudness from there on, as a K-weighted mean square (the mean of the
// channels), 0..1e15. The slices are read by the audio side and must never change.
type Envelope struct {
	Hop  int64     // frames per hop, at least 1; 0: there is no index
	Once []float32 // by hop of the position, for voices that play to their end
	Loop []float32 // the same for voices that loop; nil: Once serves both

	// Near is the mean energy of the next 20 ms, by which voices come and go that may
	// come back; nil: Once and Loop serve. NearLoop is for those that loop. They have
	// an entry for each Step frames; 0: for each hop.
	Near, NearLoop []float32
	Step           int64

	// Later is the largest mean of any three hops in a row that are still to come;
	// LaterLoop that of a loop, from anywhere in it.
	Later     []float32
	LaterLoop float32

	// Masks says by hop what is heard in which band, and what that hides; MasksLoop
	// the same for voices that loop, with one hop more. nil: it is taken to be as loud
	// in all bands. See package mixer's StealMasked.
	Masks, MasksLoop []Masks

	declared float64 // without an index: a power; 0: unknown
}

// unknown is the declared level of what has no envelope: -20 dB, a power of 0.01.
const unknown = 0.01

// At returns the index at a position in frames.
func (e *Envelope) At(frame int64, looped bool) float64 {
	return e.lookUp(tableOf(e.Once, e.Loop, looped), e.hop(frame))
}

// Soon returns the energy of the next 20 ms.
func (e *Envelope) Soon(frame int64, looped bool) float64 {
	if e.Near == nil {
		return e.At(frame, looped)
	}
	return e.lookUp(tableOf(e.Near, e.NearLoop, looped), max(frame/max(e.step(), 1), 0))
}

// Both returns what At and Soon do.
func (e *Envelope) Both(frame int64, looped bool) (index, soon float64) {
	if e.Near == nil {
		index = e.At(frame, looped)
		return index, index
	}
	if !e.quarters() {
		return e.At(frame, looped), e.Soon(frame, looped)
	}
	step := max(frame/e.Step, 0)
	return e.lookUp(tableOf(e.Once, e.Loop, looped), step/4), e.lookUp(tableOf(e.Near, e.NearLoop, looped), step)
}

// quarters reports whether four steps are a hop, so that one division finds both: a division is slow.
func (e *Envelope) quarters() bool { return e.Step > 0 && e.Hop == 4*e.Step }

// Most returns the largest energy of any three hops from a position on; Inf when
// nobody knows.
func (e *Envelope) Most(frame int64, looped bool) float64 {
	if e.Later == nil {
		return math.Inf(1)
	}
	most := e.lookUp(e.Later, e.hop(frame))
	if looped {
		most = max(most, float64(e.LaterLoop))
	}
	return most
}

// Energies gives e what Masks returns as energies, times so much of each band. Audio side.
func (v *Voice) Energies(heard *[Bands]float32, e *[2][Bands]float32) {
	envelope := &v.sound.envelope
	if envelope.Masks == nil {
		for h, m := range v.Masks() {
			for b, g := range heard {
				e[h][b] = float32(m.Energy[b] * g)
			}
		}
		return
	}
	table, at := tableOf(envelope.Masks, envelope.MasksLoop, v.Looping()), max(envelope.hop(v.Position()), 0)
	for h := range e {
		if at += int64(h); envelope.Hop < 1 || at >= int64(len(table)) {
			e[h] = [Bands]float32{}
			continue
		}
		energy := &table[at].Energy
		for b, g := range heard {
			e[h][b] = float32(energy[b] * g)
		}
	}
}

// tableOf returns the table of those that loop, where there is one of their own.
func tableOf[T any](once, loop []T, looped bool) []T {
	if looped && loop != nil {
		return loop
	}
	return once
}

// step returns how many frames an entry of Near stands for.
func (e *Envelope) step() int64 { return cmp.Or(max(e.Step, 0), e.Hop) }

// hop returns the number of the hop at a position; 0 without an index.
func (e *Envelope) hop(frame int64) int64 {
	if e.Hop < 1 {
		return 0
	}
	return max(frame/e.Hop, 0)
}

func (e *Envelope) lookUp(g []float32, hop int64) float64 {
	switch {
	case e.Hop < 1 || len(g) == 0:
		return cmp.Or(e.declared, unknown)
	case hop >= int64(len(g)):
		return 0
	}
	return float64(g[hop])
}

// size returns how many bytes the tables take.
func (e *Envelope) size() int64 {
	return 4 * int64(len(e.Once)+len(e.Loop)+len(e.Near)+len(e.NearLoop)+len(e.Later)+2*Bands*(len(e.Masks)+len(e.MasksLoop)))
}

// Bands is how many bands of four Bark the masking index has.
const Bands = 7

// Masks is what a hop of a sound has in each band: its energy as the ear weights
// it, and what that masks, spread over the bands. Full scale is 92 dB. Both are
// powers, at unit gain, the mean of the channels.
type Masks struct {
	Energy, Spread [Bands]float32
}

// maskScale is a mean square of 1 in the powers of Masks.
const maskScale = 2 * 1.5848931924611134e9

// Masks returns what the voice has in the present hop and in the next, at unit
// gain. What has no such index is as loud in all bands.
func (v *Voice) Masks() (m [2]Masks) {
	e := &v.sound.envelope
	if e.Masks == nil {
		for b := range Bands {
			m[0].Energy[b] = float32(float64(v.Soon()*maskScale) / Bands)
		}
		m[0].Spread = m[0].Energy // so flat a spectrum is its own spread, but for a fraction of a decibel
		m[1] = m[0]
		return m
	}
	table := tableOf(e.Masks, e.MasksLoop, v.Looping())
	if frame := v.Position(); e.Hop > 0 && frame/e.Hop < int64(len(table)) {
		copy(m[:], table[max(frame/e.Hop, 0):])
	}
	return m
}
