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

// newInsert returns an insert that runs effect, with buffers for blocks of up to hop frames. If effect is nil, the
// insert removes the present insert of a bus.
func newInsert(effect Insert, hop int64) *insert {
	return &insert{effect: effect, dry: make([]pcm.Frame, hop), old: make([]pcm.Frame, hop)}
}

// setInsert replaces the insert of bus b by i, with a crossfade of 5 ms. i must not be nil; an i without an effect
// removes the insert. If a crossfade is under way, i waits for its end in b.next. Only the last insert that waits is
// used.
func (a *audio) setInsert(b *bus, i *insert) {
	if b.insert != nil && a.now < b.insert.end {
		b.next = i
		return
	}
	b.crossfadeTo(i, a.now, a.smooth)
}

// crossfadeTo begins a crossfade from the present insert of the bus, if any, to i. It begins at the given frame of the
// mix and lasts smooth frames. If i has no effect, the bus has no insert after the crossfade. i must not be nil, and
// no crossfade may be under way. b.next, the insert that waits, is cleared.
func (b *bus) crossfadeTo(i *insert, frame, smooth int64) {
	i.before, i.end = b.insert, frame+smooth
	b.insert, b.next = i, nil
}

// runInserts runs the insert of a.buses[index], if any, in place on the next n frames. During a crossfade it runs both
// inserts and mixes their results. When a crossfade ends, it removes the old insert and begins the crossfade to the
// insert that waits, if any.
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

// runInsert runs the insert i of a.buses[index] on block, in place. If the effect panics or leaves NaN, Inf or a sample
// beyond master.MaxPeak, runInsert restores the block and removes the effect. This counts in Stats.Faults and emits
// EventFault. If i is nil or has no effect, the block is unchanged.
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

// run lets the effect of the insert process block in place. If the effect panics, run returns false, and the content
// of block is undefined.
func (i *insert) run(block []pcm.Frame) (ok bool) {
	defer func() { ok = recover() == nil }()
	i.effect.Process(block)
	return true
}

// crossfade mixes old into block in place, with linear gains: old fades out and block fades in. The whole crossfade
// lasts fade frames; left of them remain at the first frame of block. old and block must have the same length.
func crossfade(block, old []pcm.Frame, left, fade int64) {
	for i := range block {
		g := float32(left-int64(i)) / float32(fade)
		for c := range block[i] {
			block[i][c] += float32((old[i][c] - block[i][c]) * g)
		}
	}
}
