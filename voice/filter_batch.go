package voice

import (
	"voicepool/internal/dsp"
	"voicepool/internal/passfilter"
)

// FilterBatch filters several voices side by side. This takes a fraction of the time of filtering one
// voice after the other, and gives the same bits. Add registers voices that are mixed next, Run filters
// them, and MixFast mixes the results. Audio side.
type FilterBatch struct {
	frames     int64 // maximum frames per block
	rows       [dsp.MaxLanes][]float32
	usedRows   int       // rows in use
	discardRow []float32 // scratch space for an unused right channel
	voices     [dsp.MaxLanes]batchedVoice
	inputs     [dsp.MaxLanes]passfilter.Input // of voices, by the same index
	count      int                            // number of voices
	pending    int                            // filtered voices that are not mixed yet
	dirty      bool                           // refers to voices of this block or the last one
	filters    passfilter.Batch
}

// NewFilterBatch returns an empty batch for blocks of at most the given number of frames. It allocates all memory that
// the batch needs.
func NewFilterBatch(frames int64) *FilterBatch {
	b := &FilterBatch{frames: frames}
	stride := dsp.WholeBlocks(int(frames)) + dsp.LaneBlock // the kernel may start its 16-frame turn at any frame
	samples := make([]float32, stride*(dsp.MaxLanes+1))
	for i := range b.rows {
		b.rows[i] = samples[i*stride:][:stride:stride]
	}
	b.discardRow = samples[dsp.MaxLanes*stride:]
	return b
}

// Clear empties the batch at the beginning of a block. Results that were not mixed, because a voice failed, are
// dropped. So are all references to sounds and voices, so that the garbage collector can free them.
func (b *FilterBatch) Clear() {
	if !b.dirty {
		return
	}
	for i := range b.voices {
		if f := b.voices[i].filter; f != nil && f.batched == &b.voices[i] {
			f.batched = nil
		}
	}
	clear(b.voices[:])
	clear(b.inputs[:])
	b.filters.DropReferences()
	b.count, b.usedRows, b.pending, b.dirty = 0, 0, 0, false
}

// Accepts reports whether the batch can filter v for n frames of the mix, from frame on. The result is false if
// results of the last Run are not mixed yet, or if n exceeds the block length of NewFilterBatch. It is also false if
// v has no active filter, if its samples are not contiguous for the n frames, or if its pitch moves. If gains of v
// move, no move may end within the n frames. Accepts does not check whether the batch has room for v. It may take v
// off the fast path (see MixFast).
func (b *FilterBatch) Accepts(v *Voice, n, frame int64) bool {
	return b.pending == 0 && b.canFilter(v, n, frame)
}

// canFilter reports whether the batch can filter v for n frames of the mix, from frame on. The result is false if n
// exceeds the block length of the batch. It is also false if v has no active filter, if its samples are not contiguous
// for the n frames, or if its pitch moves. If gains of v move, no move may end within the n frames. canFilter checks
// neither for room in the batch nor for results that wait to be mixed. It may take v off the fast path.
func (b *FilterBatch) canFilter(v *Voice, n, frame int64) bool {
	s := &v.fast
	if s.filtered && uint64(n-1) < uint64(s.left) {
		return n <= b.frames
	}
	return v.filter.active() && v.rampSpanCovers(n, frame) && n <= b.frames
}

// Add registers v for the next Run, to be filtered for n frames of the mix from frame on. n and frame must be the same
// for all voices of a Run. The result reports whether the batch still has room for more voices. If the batch cannot
// filter v, Add ignores v and returns true. If v has more channels than the batch has free rows, Add ignores v and
// returns false.
func (b *FilterBatch) Add(v *Voice, n, frame int64) bool {
	if !b.canFilter(v, n, frame) {
		return true
	}
	first, channels := b.usedRows, v.data().Channels
	if first+channels > dsp.MaxLanes {
		return false
	}
	e := &b.voices[b.count]
	*e = batchedVoice{batch: b, voice: v, filter: v.filter, input: &b.inputs[b.count]}
	*e.input = passfilter.Input{Filter: &v.filter.passes}
	for i := range channels {
		e.input.Rows[i] = b.rows[first+i]
	}
	b.usedRows += channels
	b.count++
	b.dirty = true
	return b.usedRows < dsp.MaxLanes
}

// Run filters all added voices side by side, for n frames of the mix from frame on, and advances them. MixFast of each
// voice must then mix its result. n and frame must be the arguments of Add. If only one channel was added, Run only
// empties the list. It neither filters nor advances that voice, which is then filtered when it is mixed.
func (b *FilterBatch) Run(n, frame int64) {
	all, used := b.voices[:b.count], b.usedRows
	if b.count, b.usedRows = 0, 0; used < 2 {
		return
	}
	for i := range all {
		all[i].read(n)
	}
	b.filters.Run(b.inputs[:len(all)], n, frame)
	for i := range all {
		all[i].filter.batched = &all[i]
	}
	b.pending = len(all)
}
