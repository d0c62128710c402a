package mixer

import "voicepool/pool"

// playLists finds the starts with the same Options.Play in the order of the requests. It is a hash table
// of linked lists of record numbers, from 1. Records of finished starts stay in it until they are reused.
// It is allocated for the first start with a Play. Control side.
type playLists struct {
	lists []playList // a power of two
	next  []uint32   // by record: the next record; 0: the last one
}

type playList struct{ first, last uint32 }

// list returns the list of records for starts with the Options.Play play. Other plays with the same hash share the
// list. The table must have been allocated, see grow.
func (p *playLists) list(play uint64) *playList {
	return &p.lists[play*0x9e3779b97f4a7c15>>32&uint64(len(p.lists)-1)]
}

// add appends the record with number i, counted from 1, to the list of the Options.Play play. The table must have
// room for record i, see grow.
func (p *playLists) add(play uint64, i uint32) {
	l := p.list(play)
	if p.next[i-1] = 0; l.last == 0 {
		l.first = i
	} else {
		p.next[l.last-1] = i
	}
	l.last = i
}

// remove removes the record with number i, counted from 1, from the list of the Options.Play play. The list must
// contain the record.
func (p *playLists) remove(play uint64, i uint32) {
	l, before := p.list(play), uint32(0)
	for x := l.first; x != i; x = p.next[x-1] {
		before = x
	}
	if before == 0 {
		l.first = p.next[i-1]
	} else {
		p.next[before-1] = p.next[i-1]
	}
	if l.last == i {
		l.last = before
	}
}

// grow enlarges the table so that it has room for records, all records in the order of their numbers. It moves the
// lists to the new table. Records with the same play stay in the same order.
func (p *playLists) grow(records []*record) {
	was, next := p.lists, p.next
	n := 4
	for n < len(records)/2 {
		n *= 2
	}
	p.lists, p.next = make([]playList, n), make([]uint32, len(records))
	for _, l := range was {
		for i := l.first; i != 0; i = next[i-1] {
			p.add(records[i-1].play.Load(), i)
		}
	}
}

// setPlay moves the record r to the list of starts with the Options.Play play. It removes r from the list of its last
// start. id is the handle of the new start. With a play of 0 the record is in no list. It stores play in r and may
// enlarge the table of lists. Call it before r gets its new handle. The caller holds m.mutex.
func (m *Mixer) setPlay(id pool.Handle, r *record, play uint64) {
	was, i := r.play.Load(), uint32(id.Slot()+1)
	if was != 0 {
		m.playLists.remove(was, i)
	}
	if was != play {
		r.play.Store(play)
	}
	if play != 0 {
		if all := m.allRecords(); len(m.playLists.next) < len(all) {
			m.playLists.grow(all)
		}
		m.playLists.add(play, i)
	}
}

// forPlay calls the function do for each start with the Options.Play play that is not over, in the order of the
// requests. The arguments of do are the handle of the start, without its play, and its record. The caller holds
// m.mutex.
func (m *Mixer) forPlay(play uint64, do func(Handle, *record)) {
	if len(m.playLists.lists) == 0 {
		return
	}
	for i := m.playLists.list(play).first; i != 0; i = m.playLists.next[i-1] {
		if r := m.allRecords()[i-1]; r.play.Load() == play && m.alive(r) {
			do(Handle{mixer: m, id: pool.Handle(r.id.Load())}, r)
		}
	}
}
