package busmix

import (
	"voicepool/internal/dsp"
	"voicepool/mixer/internal/master"
	"voicepool/pcm"
)

// Insert is an effect supplied by the user. Process changes a block in place.
type Insert interface {
	Process(block []pcm.Frame)
}

// InsertState is an Insert on a bus, with its buffers. After Graph.SetInsert the audio side owns it.
type InsertState struct {
	effect Insert       // nil: removed or failed
	dry    []pcm.Frame  // the block before the effect
	before *InsertState // the previous insert, until end; may be nil
	old    []pcm.Frame  // the block after the previous insert
	end    int64        // the end of the crossfade
}

// NewInsert returns an insert that runs effect, with buffers for blocks of up to hop frames. If effect is nil, the
// insert removes the present insert of a bus. Control side.
func NewInsert(effect Insert, hop int64) *InsertState {
	return &InsertState{effect: effect, dry: make([]pcm.Frame, hop), old: make([]pcm.Frame, hop)}
}

// SetInsert replaces the insert of the bus with index bus by i at the given frame of the mix, with a crossfade of
// Config.Smooth. i must not be nil; an i without an effect removes the insert. If a crossfade is under way, i waits for
// its end. Only the last insert that waits is used.
func (g *Graph) SetInsert(bus int, i *InsertState, frame int64) {
	b := &g.Buses[bus]
	if b.insert != nil && frame < b.insert.end {
		b.next = i
		return
	}
	b.crossfadeTo(i, frame, g.smooth)
}

// crossfadeTo begins a crossfade from the present insert of the bus, if any, to i. It begins at the given frame of the
// mix and lasts smooth frames. If i has no effect, the bus has no insert after the crossfade. i must not be nil, and
// no crossfade may be under way. b.next, the insert that waits, is cleared.
func (b *Bus) crossfadeTo(i *InsertState, frame, smooth int64) {
	i.before, i.end = b.insert, frame+smooth
	b.insert, b.next = i, nil
}

// runInserts runs the insert of the bus with the given index, if any, in place on n frames from the given frame of the
// mix on. During a crossfade it runs both inserts and mixes their results. When a crossfade ends, it removes the old
// insert and begins the crossfade to the insert that waits, if any.
func (g *Graph) runInserts(index int, frame, n int64) {
	b := &g.Buses[index]
	for done := int64(0); done < n && b.insert != nil; {
		i := b.insert
		block, left := b.Block(n)[done:], i.end-frame-done
		if left > 0 {
			block = block[:min(int64(len(block)), left)]
			old := i.old[:len(block)]
			copy(old, block)
			g.runInsert(index, i.before, old)
			g.runInsert(index, i, block)
			crossfade(block, old, left, g.smooth)
		} else {
			g.runInsert(index, i, block)
		}
		if done += int64(len(block)); frame+done < i.end {
			continue
		}
		if i.before = nil; i.effect == nil {
			b.insert = nil
		}
		if b.next != nil {
			b.crossfadeTo(b.next, frame+done, g.smooth)
		}
	}
}

// runInsert runs the insert i of the bus with the given index on block, in place. If the effect panics or leaves NaN,
// Inf or a sample beyond master.MaxPeak, runInsert restores the block and removes the effect, and the bus counts as
// failed. If i is nil or has no effect, the block is unchanged.
func (g *Graph) runInsert(index int, i *InsertState, block []pcm.Frame) {
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
	g.addFault(index)
}

// run lets the effect of the insert process block in place. If the effect panics, run returns false, and the content
// of block is undefined.
func (i *InsertState) run(block []pcm.Frame) (ok bool) {
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
