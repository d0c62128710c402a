package mixer

import (
	"voicepool/internal/dsp"
	"voicepool/mixer/internal/master"
	"voicepool/pcm"
)

// insert is the user's effect on a bus.
type insert struct {
	effect Insert      // nil: none, or one that failed
	dry    []pcm.Frame // the block without it
}

func newInsert(effect Insert, a *audio) insert {
	if effect == nil {
		return insert{}
	}
	return insert{effect, make([]pcm.Frame, a.hop)}
}

// insert runs the effect of a bus over its block. One that fails is taken out.
func (a *audio) insert(index int, n int64) {
	b := &a.buses[index]
	if b.insert.effect == nil {
		return
	}
	block, dry := b.block(n), b.insert.dry[:n]
	copy(dry, block)
	if b.insert.run(block) && dsp.Peak(block) <= master.MaxPeak {
		return
	}
	copy(block, dry)
	b.insert.effect = nil
	a.stats.Faults++
	a.emit(&Event{Frame: a.now, Kind: EventFault, Slot: -1, Bus: Bus{index: uint16(index)}})
}

func (i *insert) run(block []pcm.Frame) (ok bool) {
	defer func() { ok = recover() == nil }()
	i.effect.Process(block)
	return true
}
