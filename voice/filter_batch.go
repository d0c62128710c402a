package voice

import "voicepool/internal/dsp"

// FilterBatch filters several voices side by side. This takes a fraction of the time of filtering one
// voice after the other, and gives the same bits. Add registers voices that are mixed next, Run filters
// them, and MixFast mixes the results. Audio side.
type FilterBatch struct {
	frames     int64 // maximum frames per block
	rows       [dsp.MaxLanes][]float32
	usedRows   int       // rows in use
	discardRow []float32 // scratch space for an unused right channel
	voices     [dsp.MaxLanes]batchedVoice
	count      int  // number of voices
	pending    int  // filtered voices that are not mixed yet
	dirty      bool // refers to voices of this block or the last one
	high       filterLanes
	low        filterLanes
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
	b.high.dropReferences()
	b.low.dropReferences()
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
	first, channels := b.usedRows, v.sound.channels
	if first+channels > dsp.MaxLanes {
		return false
	}
	e := &b.voices[b.count]
	*e = batchedVoice{batch: b, voice: v, filter: v.filter}
	for i := range channels {
		e.rows[i] = b.rows[first+i]
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
	moves := false
	for i := range all {
		all[i].read(n)
		moves = moves || all[i].cutoffsMove
	}
	b.filterConstant(all, n, frame)
	if moves {
		b.filterRamping(all, n, frame)
	}
	for i := range all {
		all[i].filter.batched = &all[i]
	}
	b.pending = len(all)
}

// filterConstant filters the voices whose cutoffs are constant, for n frames of the mix from frame on. It leaves voices
// with moving cutoffs alone. The samples of each voice are filtered in its rows of the batch, and its new filter states
// are stored in its filter.
func (b *FilterBatch) filterConstant(voices []batchedVoice, n, frame int64) {
	b.high.reset(true, false)
	b.low.reset(false, false)
	for i := range voices {
		if e := &voices[i]; !e.cutoffsMove {
			b.high.add(e, 0, frame)
			b.low.add(e, 0, frame)
		}
	}
	for from := int64(0); from < n; {
		k := min(n-from, filterPiece-(frame+from)%filterPiece)
		b.high.filter(int(from), int(k))
		b.low.filter(int(from), int(k))
		if from += k; (frame+from)%filterPiece == 0 {
			b.high.FlushTinyStates(b.high.count, silentState)
			b.low.FlushTinyStates(b.low.count, silentState)
		}
	}
	b.high.storeStates()
	b.low.storeStates()
}

// filterRamping filters the voices whose cutoffs move, for n frames of the mix from frame on. It leaves voices with
// constant cutoffs alone. The samples of each voice are filtered in its rows of the batch, in pieces within which every
// coefficient ramp is linear. The new filter states are stored in the filter of the voice.
func (b *FilterBatch) filterRamping(voices []batchedVoice, n, frame int64) {
	for from := int64(0); from < n; {
		k := n - from
		for i := range voices {
			if e := &voices[i]; e.cutoffsMove {
				k = e.filter.nextPiece(k, frame+from)
			}
		}
		for kind := range 4 {
			c := &b.high
			c.reset(kind < 2, kind&1 != 0)
			for i := range voices {
				if e := &voices[i]; e.cutoffsMove && e.filter.ramping == c.ramping {
					c.add(e, int(from), frame+from)
				}
			}
			c.filter(int(from), int(k))
			c.storeStates()
		}
		from += k
		for i := range voices {
			if e := &voices[i]; e.cutoffsMove {
				e.filter.flushTinyStates(frame + from)
			}
		}
	}
}
