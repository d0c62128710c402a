// Package playlist finds the starts of a mixer that share a play number, in the order of the requests.
package playlist

// Lists is a hash table of linked lists of records. A record is identified by its number, from 0. Records of finished
// starts stay in it until they are reused. The zero value is empty; it allocates on first use. It belongs to the
// control side of the mixer, under the mutex.
type Lists struct {
	lists []list   // a power of two
	next  []uint32 // by record: the next record, from 1; 0: the last one
	plays []uint64 // by record; 0: in no list
}

// list holds the first and the last record of a list, from 1.
type list struct{ first, last uint32 }

// list returns the list of records with a play number. Other play numbers with the same hash share the list.
func (p *Lists) list(play uint64) *list {
	return &p.lists[play*0x9e3779b97f4a7c15>>32&uint64(len(p.lists)-1)]
}

// Set moves a record to the end of the list of a play number; 0: to no list. records is the number of all records,
// which never falls.
func (p *Lists) Set(record int, play uint64, records int) {
	if record < len(p.plays) && p.plays[record] != 0 {
		p.remove(uint32(record + 1))
		p.plays[record] = 0
	}
	if play == 0 {
		return
	}
	if len(p.plays) < records {
		p.grow(records)
	}
	p.plays[record] = play
	p.add(uint32(record + 1))
}

// add appends record i, from 1, to the list of its play number.
func (p *Lists) add(i uint32) {
	l := p.list(p.plays[i-1])
	if p.next[i-1] = 0; l.last == 0 {
		l.first = i
	} else {
		p.next[l.last-1] = i
	}
	l.last = i
}

// remove removes record i, from 1, from the list of its play number.
func (p *Lists) remove(i uint32) {
	l, before := p.list(p.plays[i-1]), uint32(0)
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

// grow enlarges the table so that it has room for the given number of records. Records with the same play number stay
// in the same order.
func (p *Lists) grow(records int) {
	was, next := p.lists, p.next
	n := 4
	for n < records/2 {
		n *= 2
	}
	p.lists, p.next = make([]list, n), make([]uint32, records)
	p.plays = append(p.plays, make([]uint64, records-len(p.plays))...)
	for _, l := range was {
		for i := l.first; i != 0; i = next[i-1] {
			p.add(i)
		}
	}
}

// First returns the first record with a play number that is not 0; -1 without one.
func (p *Lists) First(play uint64) int {
	if len(p.lists) == 0 {
		return -1
	}
	return p.find(p.list(play).first, play)
}

// Next returns the record that follows a record with a play number; -1 after the last.
func (p *Lists) Next(record int, play uint64) int { return p.find(p.next[record], play) }

// find returns the first record from i on, which counts from 1, that has the play number; -1 without one.
func (p *Lists) find(i uint32, play uint64) int {
	for ; i != 0; i = p.next[i-1] {
		if p.plays[i-1] == play {
			return int(i - 1)
		}
	}
	return -1
}
