package model

import "hash/maphash"

// print is a 128-bit hash of a state: of the data that determine its future. Hashes
// of records are added, so their order does not matter. Generations are replaced by ages, and command numbers
// by the results of pending comparisons. The probability of a collision among 10^7 states is 10^-24.
type print [2]uint64

func (x *explorer) print(s *state) print {
	var buffer [64]byte
	k := buffer[:0]
	a := &s.audio
	sweeping := a.pc == allClear || a.pc == allSweep || a.back == allSweep
	k = append(k,
		0xff, // of no record
		byte(s.call.kind)<<4|s.call.step, flags(s.call.pending, s.call.follows, s.call.after), flags(s.call.stale, s.stopsWait, s.wantsWait, s.quiet, a.second, sweeping && a.loaded == handle(s.stopAll)),
		byte(a.pc), byte(a.back), s.underWay, s.nring, s.nqueue,
	)
	if s.stopAll != 0 {
		k = append(k, max(s.stopAll, s.popped+1)-s.popped)
	} else {
		k = append(k, 0)
	}
	for i := range s.nring { // commands that name no record
		k = append(k, byte(s.ring[i].kind))
	}
	for i := range s.nqueue {
		k = append(k, byte(s.queue[i].kind)<<1|flags(s.queue[i].later))
	}
	var p print
	x.add(&p, k)
	for i := range x.pool {
		x.add(&p, x.mark(s, i, buffer[:0], sweeping))
	}
	return p
}

func (x *explorer) add(p *print, k []byte) {
	for i := range p {
		p[i] += maphash.Bytes(x.seeds[i], k)
	}
}

// prints is a set of prints.
type prints struct {
	table []print // a power of two of entries; the zero print marks a free entry
	n     int
}

// add adds p and reports whether it is new.
func (s *prints) add(p print) bool {
	if 2*s.n >= len(s.table) {
		old := s.table
		s.table, s.n = make([]print, max(2*len(old), 1024)), 0
		for _, p := range old {
			if p != (print{}) {
				s.add(p)
			}
		}
	}
	for i := p[0]; ; i++ {
		at := &s.table[i&uint64(len(s.table)-1)]
		switch *at {
		case p:
			return false
		case print{}:
			*at = p
			s.n++
			return true
		}
	}
}

func flags(bits ...bool) byte {
	b := byte(0)
	for i, set := range bits {
		if set {
			b |= 1 << i
		}
	}
	return b
}

// mark appends the data of one record: its fields, its slot, the commands that name it, and its callers.
func (x *explorer) mark(s *state, i int, k []byte, sweeping bool) []byte {
	r, a := &s.records[i], &s.audio
	age := func(h handle) byte { // 0 for no handle
		if h == 0 {
			return 0
		}
		return byte(1 + r.id.generation() - h.generation())
	}
	stale := func(h handle) byte { // 0 for data that ignores old handles
		if h != r.id && x.fault == sound {
			return 0
		}
		return age(h)
	}
	before := func(seq uint8) byte {
		return flags(s.stopAll != 0 && seq < s.stopAll, sweeping && handle(seq) < a.loaded)
	}
	about, scanned := byte(0), a.scanned>>i&1 != 0
	switch a.pc {
	case moveClear, moveRead, leaveDirty, leaveWait, finishState, finishPush:
		about = flags(int(a.rec) == i)
	case scanCheck:
		if int(a.rec) == i {
			about = age(a.loaded)
		}
	}
	slotted, gain, order := byte(0), byte(0), byte(0)
	for j := range x.voices {
		if v := &s.slots[j]; v.h != 0 && v.h.record() == i {
			slotted, gain, order = age(v.h), v.gain, before(v.seq)
		}
	}
	want := r.want
	m := machine{config: x.config, state: s}
	if x.fault == sound && !m.wanted(r) && (s.call.kind != set || s.call.h != r.id) {
		want = 0
	}
	// States with two gains swapped are equivalent.
	lives := r.where == pending || r.where == living
	value := func(v uint8) uint8 {
		if !lives && x.fault == sound {
			return 0
		}
		if r.expect == 2 && v != 0 && v < 3 && x.fault == sound {
			return 3 - v
		}
		return v
	}
	fresh, expect := r.fresh, value(r.expect)
	want, gain = value(want), value(gain)
	if x.fault == sound && !m.reached(r.id) {
		fresh = false // cannot be observed
		if r.where == living && !r.dirty && !m.wanted(r) && (s.slots[r.slot].gain == r.expect || r.loose) && !m.fades(r) {
			expect, gain, want = 0, 0, 0
		}
	}
	if r.over && s.call.h != r.id {
		fresh = false
	}
	k = append(k, flags(r.over, r.sound, r.dirty, fresh, scanned, r.after, r.torn), byte(r.where)<<4|about<<1|flags(r.loose), want<<2|gain, slotted<<2|order, age(r.stop), stale(r.cancel), age(r.live))
	if lives {
		k = append(k, flags(r.touched, r.later, r.askedOne, r.askedAll, r.stopped, r.due), expect)
		k = append(k, 0)
		if r.ahead == r.id {
			k[len(k)-1] = 4 | value(r.aheadTo)
		}
	} else {
		k = append(k, 0, 0, 0)
	}
	if r.after {
		k = append(k, max(r.behind, s.popped)-s.popped)
	} else {
		k = append(k, 0)
	}
	now, old := byte(0), byte(0)
	for _, h := range s.held {
		if h == r.id {
			now++
		} else if h != 0 && h.record() == i && x.stales {
			old++
		}
	}
	if r.over {
		now, old = 0, now+old // over for every caller that checks
	}
	named := byte(0)
	if s.call.h != 0 && s.call.h.record() == i {
		named = age(s.call.h)<<2 | value(s.call.value)
	}
	k = append(k, now<<4|old, named)
	for list, commands := range [2][]command{s.ring[:s.nring], s.queue[:s.nqueue]} {
		for j := range commands {
			if c := &commands[j]; c.h != 0 && c.h.record() == i {
				k = append(k, byte(1+list*8+j), age(c.h)<<2|value(c.value), before(c.seq))
			}
		}
	}
	return k
}
