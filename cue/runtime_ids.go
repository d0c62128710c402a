package cue

import (
	"maps"
	"slices"

	"voicepool/mixer"
)

// firstByHand is a lower bound of the tags and numbers created by Start. Each number is used only once.
const firstByHand = 1 << 32

// made is an id or an owner created by Start. It is deleted after the end of its last voice.
type made struct {
	number uint64
	claims int // starts in progress
	voices []mixer.Handle
	pinned bool // used by a sheet or by Do: never deleted
}

// madeNames holds all ids, or all owners, created by Start. The zero value is empty.
type madeNames struct {
	all  map[string]*made
	of   map[uint64]string // by number
	last uint64            // the last number given
	most int               // at this size, the next claim calls tidy
}

// number returns the number of a name, or 0.
func (m *madeNames) number(name string) uint64 {
	if one := m.all[name]; one != nil {
		return one.number
	}
	return 0
}

// pin protects a name from deletion and returns its number, or 0 if it does not exist.
func (m *madeNames) pin(name string) uint64 {
	if one := m.all[name]; one != nil {
		one.pinned = true
	}
	return m.number(name)
}

// claim returns the entry of a name for a start in progress and creates it if needed.
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

// tidy deletes names without living voices.
func (m *madeNames) tidy() {
	for name, one := range m.all {
		if one.tidy(); one.claims == 0 && len(one.voices) == 0 && !one.pinned {
			delete(m.all, name)
			delete(m.of, one.number)
		}
	}
}

// settle records the voices of a finished start.
func (one *made) settle(voices []mixer.Handle) {
	if one.claims--; one.pinned {
		return
	}
	if len(one.voices)+len(voices) > cap(one.voices) {
		one.tidy()
	}
	one.voices = append(one.voices, voices...)
}

// tidy removes voices that have ended.
func (one *made) tidy() {
	one.voices = slices.DeleteFunc(one.voices, func(h mixer.Handle) bool { return h.State().Over() })
}

// Tag returns the tag of an id, for mixer.TargetTag. known is true if a cue of a sheet uses the id, or living
// voices that were started by hand. Any goroutine.
func (p *Player) Tag(id string) (tag uint64, known bool) {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	tag = p.live.tagOf(id)
	return tag, tag != 0
}

// ID returns the id of a tag, or "" if it does not exist or has been deleted. Any goroutine.
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

// tagOf returns the tag of an id, or 0. The caller holds the mutex.
func (l *live) tagOf(id string) uint64 {
	if l.tagged == nil {
		l.tagged = map[string]uint64{}
	}
	for i := len(l.tagged); i < len(l.ids); i++ { // ids added since the last call
		l.tagged[l.ids[i]] = uint64(i + 1)
	}
	if tag := l.tagged[id]; tag != 0 {
		return tag
	}
	return l.madeIDs.number(id)
}

// claimed holds the names claimed by a start by hand. A field is nil if it is unset or belongs to a sheet.
type claimed struct{ id, owner *made }

// claim returns the tag of an id and the number of an owner, and creates them if needed. Empty names give 0.
// The caller must call settle later.
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

// settle records the voices of a start by hand.
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
