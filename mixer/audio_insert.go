package mixer

import (
	"voicepool/internal/dsp"
	"voicepool/mixer/internal/master"
	"voicepool/pcm"
)

// insert is an effect of the user on a bus. The control side creates it; then the audio side owns it.
type insert struct {
	effect Insert      // nil: removed or failed
	dry    []pcm.Frame // the block before the effect
	before *insert     // the previous insert, until end; may be nil
	old    []pcm.Frame // the block after the previous insert
	end    int64       // the end of the crossfade
}

// newInsert returns an insert with buffers for blocks of up to hop frames. An effect of nil makes an insert that
// removes the present insert of a bus.
func newInsert(effect Insert, hop int64) *insert {
	return &insert{effect: effect, dry: make([]pcm.Frame, hop), old: make([]pcm.Frame, hop)}
}

// setInsert crossfades the insert of bus b to i, which must not be nil, over 5 ms. If a crossfade is under way, i
// waits for its end; of several inserts that wait only the last is used.
func (a *audio) setInsert(b *bus, i *insert) {
	if b.insert != nil && a.now < b.insert.end {
		b.next = i
		return
	}
	b.crossfadeTo(i, a.now, a.smooth)
}

// crossfadeTo begins a crossfade of smooth frames at frame, a frame of the mix, from the present insert, if any, to
// i. i must not be nil; if i has no effect, the bus has no insert after the crossfade. No crossfade may be under way.
// The insert in b.next is cleared.
func (b *bus) crossfadeTo(i *insert, frame, smooth int64) {
	i.before, i.end = b.insert, frame+smooth
	b.insert, b.next = i, nil
}

// runInserts runs the insert of a.buses[index], if any, in place on the next n frames. During a crossfade it runs
// both inserts. After a crossfade it begins the crossfade to the insert that waits, if any.
func (a *audio) runInserts(index int, n int64) {
	b := &a.buses[index]
	for done := int64(0); done < n && b.insert != nil; {
		i := b.insert
		block, left := b.block(n)[done:], i.end-a.now-done
		if left > 0 {
			block = block[:min(int64(len(block)), left)]
			old := i.old[:len(block)]
			copy(old, block)
			a.runInsert(index, i.before, old)
			a.runInsert(index, i, block)
			crossfade(block, old, left, a.smooth)
		} else {
			a.runInsert(index, i, block)
		}
		if done += int64(len(block)); a.now+done < i.end {
			continue
		}
		if i.before = nil; i.effect == nil {
			b.insert = nil
		}
		if b.next != nil {
			b.crossfadeTo(b.next, a.now+done, a.smooth)
		}
	}
}

// runInsert runs insert i of a.buses[index] on block, in place. If the effect panics or leaves invalid samples,
// runInsert restores the block, removes the effect and counts a fault, with an event. If i is nil or has no effect,
// the block is unchanged.
func (a *audio) runInsert(index int, i *insert, block []pcm.Frame) {
	if i == nil || i.effect == nil {
		return
	}
	dry := i.dry[:len(block)]
	copy(dry, block)
	samples := dsp.Interleaved(block)
	if i.run(block) && dsp.FlushTiny(samples, samples) <= master.MaxPeak {
		return
	}
	copy(block, dry)
	i.effect = nil
	a.stats.Faults++
	a.emit(&audioEvent{Frame: a.now, Kind: EventFault, Slot: -1, Bus: uint16(index)})
}

// run processes a block in place. It returns false if the effect panics; the block is undefined then.
func (i *insert) run(block []pcm.Frame) (ok bool) {
	defer func() { ok = recover() == nil }()
	i.effect.Process(block)
	return true
}

// crossfade mixes old into block in place, with linear gains. The whole crossfade lasts fade frames, of which left
// remain at the first frame of block; old and block have the same length.
func crossfade(block, old []pcm.Frame, left, fade int64) {
	for i := range block {
		g := float32(left-int64(i)) / float32(fade)
		for c := range block[i] {
			block[i][c] += float32((old[i][c] - block[i][c]) * g)
		}
	}
}
