package mixer

import "voicepool/internal/dsp"

// mixApart mixes each voice alone and adds it to its bus and its stem. The mix has the same bits as with
// mixFrom, because each kernel adds the final value of a frame at once.
func (a *audio) mixApart(alive []realVoice, n int64) {
	for i := range alive {
		s := alive[i].slot
		b := &a.buses[s.bus]
		mixed, used := b.mixed, b.used
		b.mixed, b.used = a.stems.alone, false
		a.mixFrom(alive[i:i+1], n)
		sounds := b.used
		b.mixed, b.used = mixed, used
		if sounds {
			dsp.Sum(b.block(n), a.stems.alone)
			dsp.Sum(s.record.rare.Load().stem.buses[s.bus].Load().block(n), a.stems.alone)
		}
	}
}

// beginStems prepares all stems for mixBuses.
func (a *audio) beginStems(n int64) {
	for s := a.stems.first.Load(); s != nil; s = s.next {
		at := a.now % a.hop
		clear(s.out[at : at+n])
		for i := range s.buses {
			if p := s.buses[i].Load(); p != nil {
				p.takeTails(a.now, n)
				a.buses[i].face(p, a.now, n)
			}
		}
	}
}

// silence clears the output of all stems.
func (st *stems) silence() {
	for s := st.first.Load(); s != nil; s = s.next {
		clear(s.out)
	}
}

// applyStems applies the gains of a bus to its stems, for the frames from..to of a stretch of n frames.
func (a *audio) applyStems(bus int, from, to, n int64) {
	b := &a.buses[bus]
	for s := a.stems.first.Load(); s != nil; s = s.next {
		p := s.buses[bus].Load()
		if p == nil || !p.used {
			continue
		}
		sum := s.out[a.now%a.hop:]
		if above := a.tree[bus].above; above >= 0 {
			sum = s.buses[above].Load().block(n)
		}
		b.apply(sum[from:to], p.mixed[from:to], a.now+from)
		p.used = to < n
	}
}

// setStem stores the stem and the play of a start in an event.
func (a *audio) setStem(e *Event, r *record) {
	if a.stems != nil { // otherwise unused, and reading it would miss the cache
		rare := r.rare.Load()
		e.stem, e.play = rare.stem, r.play.Load()
	}
}
