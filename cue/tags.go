package cue

import (
	"maps"
	"slices"

	"voicepool/mixer"
)

// firstByHand is below all tags and numbers that Start makes; none of them is used twice.
const firstByHand = 1 << 32

// made is an id or an owner that Start has made. It is forgotten when its last voice is over.
type made struct {
	number uint64
	claims int // starts that are being asked for
	voices []mixer.Handle
	pinned bool // a sheet has it, or an action by hand: it stays
}

// madeNames are all ids, or all owners, that Start has made. The zero value has none.
type madeNames struct {
	all  map[string]*made
	of   map[uint64]string // by number
	last uint64            // the last number
	most int               // of all, before those that are over are forgotten
}

// number returns the number of a name; 0: it is not there.
func (m *madeNames) number(name string) uint64 {
	if one := m.all[name]; one != nil {
		return one.number
	}
	return 0
}

// pin has a name stay, and returns its number; 0: it is not there.
func (m *madeNames) pin(name string) uint64 {
	if one := m.all[name]; one != nil {
		one.pinned = true
	}
	return m.number(name)
}

// claim returns a name, which is made if it is not there, for a start that is being asked for.
func (m *madeNames) claim(name string) *made {
	one := m.all[name]
	if one == nil {
		if len(m.all) >= m.most {
			m.tidy()
			m.most = 2*len(m.all) + 64
		}
		if m.all == nil {
			m.all, m.of = map[string]*made{}, map[uint64]string{}
		}
		m.last++
		one = &made{number: firstByHand + m.last}
		m.all[name], m.of[one.number] = one, name
	}
	one.claims++
	return one
}

// tidy forgets names whose voices are all over.
func (m *madeNames) tidy() {
	for name, one := range m.all {
		if one.tidy(); one.claims == 0 && len(one.voices) == 0 && !one.pinned {
			delete(m.all, name)
			delete(m.of, one.number)
		}
	}
}

// settle notes what a start has come to.
func (one *made) settle(voices []mixer.Handle) {
	if one.claims--; one.pinned {
		return
	}
	if len(one.voices)+len(voices) > cap(one.voices) {
		one.tidy()
	}
	one.voices = append(one.voices, voices...)
}

// tidy forgets voices that are over.
func (one *made) tidy() {
	one.voices = slices.DeleteFunc(one.voices, func(h mixer.Handle) bool { return h.State().Over() })
}

// Tag returns the tag of the voices of an id, for mixer.TargetTag, and whether there is one: a cue of a
// sheet has it, or voices that were started by hand and are not over. Any goroutine.
func (p *Player) Tag(id string) (tag uint64, known bool) {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	tag = p.live.tagOf(id)
	return tag, tag != 0
}

// ID returns the id of a tag; empty: there is none, or it is forgotten. Any goroutine.
func (p *Player) ID(tag uint64) string {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	if tag > 0 && tag <= uint64(len(p.live.ids)) {
		return p.live.ids[tag-1]
	}
	return p.live.madeIDs.of[tag]
}

// IDs returns all ids that have a Tag, sorted. Any goroutine.
func (p *Player) IDs() []string {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	p.live.madeIDs.tidy()
	all := slices.AppendSeq(slices.Clone(p.live.ids), maps.Keys(p.live.madeIDs.all))
	slices.Sort(all)
	return slices.Compact(all)
}

// tagOf returns the tag of an id; 0: there is none. Under the mutex.
func (l *live) tagOf(id string) uint64 {
	if l.tagged == nil {
		l.tagged = map[string]uint64{}
	}
	for i := len(l.tagged); i < len(l.ids); i++ { // those that came since
		l.tagged[l.ids[i]] = uint64(i + 1)
	}
	if tag := l.tagged[id]; tag != 0 {
		return tag
	}
	return l.madeIDs.number(id)
}

// claimed are the names of a start by hand; nil: it has none, or a sheet has it.
type claimed struct{ id, owner *made }

// claim returns the tag of an id and the number of an owner, and makes them where there are none; empty
// ones have none. settle comes after it.
func (l *live) claim(id, owner string) (tag, number uint64, c claimed) {
	if id == "" && owner == "" {
		return 0, 0, c
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if tag = l.tagOf(id); id != "" && (tag == 0 || tag > firstByHand) {
		c.id = l.madeIDs.claim(id)
		tag = c.id.number
	}
	if number = l.owners[owner]; owner != "" && number == 0 {
		c.owner = l.madeOwners.claim(owner)
		number = c.owner.number
	}
	return tag, number, c
}

// settle notes the voices of a start by hand.
func (l *live) settle(c claimed, voices []mixer.Handle) {
	if c.id == nil && c.owner == nil {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, one := range []*made{c.id, c.owner} {
		if one != nil {
			one.settle(voices)
		}
	}
}
