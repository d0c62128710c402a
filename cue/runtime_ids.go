package cue

import (
	"maps"
	"slices"

	"voicepool/mixer"
)

// firstRuntimeID is a lower bound of the tags and numbers created by Start. Each number is used only once.
const firstRuntimeID = 1 << 32

// runtimeID is an id or an owner created by Start. It is deleted after the end of its last voice.
type runtimeID struct {
	number uint64
	claims int // starts in progress
	voices []mixer.Handle
	pinned bool // used by a sheet or by Do: never deleted
}

// runtimeIDs holds all ids, or all owners, created by Start. The zero value is empty. The caller of its methods holds
// live.mutex.
type runtimeIDs struct {
	all   map[string]*runtimeID
	names map[uint64]string // by number
	last  uint64            // the last number given
	limit int               // at this size, the next claim calls deleteEnded
}

// number returns the number of name. It returns 0 if Start has not created the name or it was deleted.
func (m *runtimeIDs) number(name string) uint64 {
	if one := m.all[name]; one != nil {
		return one.number
	}
	return 0
}

// pin protects name from deletion forever and returns its number. It returns 0 if Start has not created the name or it
// was deleted.
func (m *runtimeIDs) pin(name string) uint64 {
	if one := m.all[name]; one != nil {
		one.pinned = true
	}
	return m.number(name)
}

// claim returns the entry of name for a start in progress, and creates the entry with a new number if needed. The entry
// is kept until addVoices is called for it. claim may delete entries of other names whose voices have ended.
func (m *runtimeIDs) claim(name string) *runtimeID {
	one := m.all[name]
	if one == nil {
		if len(m.all) >= m.limit {
			m.deleteEnded()
			m.limit = 2*len(m.all) + 64
		}
		if m.all == nil {
			m.all, m.names = map[string]*runtimeID{}, map[uint64]string{}
		}
		m.last++
		one = &runtimeID{number: firstRuntimeID + m.last}
		m.all[name], m.names[one.number] = one, name
	}
	one.claims++
	return one
}

// deleteEnded deletes the names whose voices have all ended. Names that a start in progress has claimed are kept, and
// so are pinned names.
func (m *runtimeIDs) deleteEnded() {
	for name, one := range m.all {
		if one.deleteEnded(); one.claims == 0 && len(one.voices) == 0 && !one.pinned {
			delete(m.all, name)
			delete(m.names, one.number)
		}
	}
}

// addVoices ends a claim of the name and records voices, the voices of the start. The name is then kept until they have
// ended. voices may be empty. For a pinned name voices are not recorded, because it is kept anyway.
func (one *runtimeID) addVoices(voices []mixer.Handle) {
	if one.claims--; one.pinned {
		return
	}
	if len(one.voices)+len(voices) > cap(one.voices) {
		one.deleteEnded()
	}
	one.voices = append(one.voices, voices...)
}

// deleteEnded removes the voices that have ended from the list of the entry.
func (one *runtimeID) deleteEnded() {
	one.voices = slices.DeleteFunc(one.voices, func(h mixer.Handle) bool { return h.State().Over() })
}

// Tag returns the tag of id: the number that selects the same voices with mixer.TargetTag. known is true if a cue of
// a sheet, Do or Start has used the id. An id that only Start has used may become unknown once its voices have ended,
// at the latest with the next call of IDs. If known is false, the tag is 0. Any goroutine.
func (p *Player) Tag(id string) (tag uint64, known bool) {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	tag = p.live.tagOf(id)
	return tag, tag != 0
}

// ID returns the id whose number is tag. Cues select voices by their ids; see Tag. ID returns "" if the
// id does not exist or was deleted. Any goroutine.
func (p *Player) ID(tag uint64) string {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	if tag > 0 && tag <= uint64(len(p.live.ids)) {
		return p.live.ids[tag-1]
	}
	return p.live.runtimeIDs.names[tag]
}

// IDs returns all ids that have a Tag, sorted and without duplicates. The slice is new. An id that only calls of
// Start have used is left out once its voices have ended. IDs then deletes it, so that Tag no longer finds it. Any
// goroutine.
func (p *Player) IDs() []string {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	p.live.runtimeIDs.deleteEnded()
	all := slices.AppendSeq(slices.Clone(p.live.ids), maps.Keys(p.live.runtimeIDs.all))
	slices.Sort(all)
	return slices.Compact(all)
}

// tagOf returns the tag of id, which may come from a sheet, from Do or from Start. It returns 0 if the id does not
// exist. The caller must hold l.mutex.
func (l *live) tagOf(id string) uint64 {
	if l.tagByID == nil {
		l.tagByID = map[string]uint64{}
	}
	for i := len(l.tagByID); i < len(l.ids); i++ { // ids added since the last call
		l.tagByID[l.ids[i]] = uint64(i + 1)
	}
	if tag := l.tagByID[id]; tag != 0 {
		return tag
	}
	return l.runtimeIDs.number(id)
}

// claimedIDs holds the names claimed by a start by hand. A field is nil if it is unset or belongs to a sheet.
type claimedIDs struct{ id, owner *runtimeID }

// claim returns the tag of id and the number of owner for a start by hand. New names get new numbers; an empty name
// gives 0. c records the names that do not belong to a sheet, so that they are kept during the start. The caller must
// pass c to finishClaim later, whether the start succeeds or not. claim takes l.mutex.
func (l *live) claim(id, owner string) (tag, number uint64, c claimedIDs) {
	if id == "" && owner == "" {
		return 0, 0, c
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if tag = l.tagOf(id); id != "" && (tag == 0 || tag > firstRuntimeID) {
		c.id = l.runtimeIDs.claim(id)
		tag = c.id.number
	}
	if number = l.owners[owner]; owner != "" && number == 0 {
		c.owner = l.runtimeOwners.claim(owner)
		number = c.owner.number
	}
	return tag, number, c
}

// finishClaim ends c, the result of claim for a start by hand. voices are the voices of that start; the slice is empty
// if the start failed. The claimed names are kept until these voices have ended. It takes l.mutex.
func (l *live) finishClaim(c claimedIDs, voices []mixer.Handle) {
	if c.id == nil && c.owner == nil {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, one := range []*runtimeID{c.id, c.owner} {
		if one != nil {
			one.addVoices(voices)
		}
	}
}
