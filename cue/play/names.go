package play

import (
	"cmp"
	"maps"
	"slices"

	"voicepool/cue"
	"voicepool/cue/internal/runsheet"
	"voicepool/mixer"
)

// firstStarted is a lower bound of the numbers of names that only Start uses. Each number is used only once.
const firstStarted = 1 << 32

// names numbers the ids, or the owners, of a show. A name in a sheet or in a call of Do is kept forever. A name that
// only Start uses is deleted after the end of its last voice. The caller of the methods holds live.mutex.
type names struct {
	all      map[string]*name
	byNumber map[uint64]string
	kept     uint64 // number of names that were kept from the beginning
	started  uint64 // number of names that Start has created
	limit    int    // at this size, the next claim calls deleteEnded
}

// name is an id or an owner.
type name struct {
	number uint64
	kept   bool
	claims int // starts in progress
	voices []mixer.Handle
}

// numberOrZero returns the number of the name one, or 0 if one is nil.
func (one *name) numberOrZero() uint64 {
	if one == nil {
		return 0
	}
	return one.number
}

// newNames returns a table of the names in numbers, which maps each name of a sheet to its number. The numbers must be
// 1 to len(numbers). These names are kept forever.
func newNames(numbers map[string]uint64) names {
	m := names{all: map[string]*name{}, byNumber: map[uint64]string{}, kept: uint64(len(numbers))}
	for text, number := range numbers {
		m.add(text, number).kept = true
	}
	return m
}

// add adds the name text with the given number to m, and returns its entry. The name is not kept and has no claims and
// no voices yet.
func (m *names) add(text string, number uint64) *name {
	one := &name{number: number}
	m.all[text], m.byNumber[number] = one, text
	return one
}

// number returns the number of the name text, or 0 if m does not have this name.
func (m *names) number(text string) uint64 { return m.all[text].numberOrZero() }

// intern returns the number of the name text. If m does not have the name, intern adds it with a new number. The name
// is then kept forever. The number of "" is 0.
func (m *names) intern(text string) uint64 {
	one := m.all[text]
	switch {
	case text == "":
		return 0
	case one == nil:
		m.kept++
		one = m.add(text, m.kept)
	}
	one.kept = true
	return one.number
}

// ofSheets returns the names that were kept from the beginning, in the order of their numbers.
func (m *names) ofSheets() (texts []string) {
	for number := range m.kept {
		texts = append(texts, m.byNumber[number+1])
	}
	return texts
}

// claim returns the entry of the name text for a start in progress, and creates the entry if needed. Each claim must be
// ended by addVoices; the entry exists at least until then. claim may delete other names whose voices have ended. The
// result for "" is nil.
func (m *names) claim(text string) *name {
	if text == "" {
		return nil
	}
	one := m.all[text]
	if one == nil {
		if len(m.all) >= m.limit {
			m.deleteEnded()
			m.limit = 2*len(m.all) + 64
		}
		m.started++
		one = m.add(text, firstStarted+m.started)
	}
	one.claims++
	return one
}

// deleteEnded deletes the names that are not kept and whose voices have all ended. Names that a start in progress has
// claimed stay.
func (m *names) deleteEnded() {
	for text, one := range m.all {
		if one.deleteEnded(); one.claims == 0 && len(one.voices) == 0 && !one.kept {
			delete(m.all, text)
			delete(m.byNumber, one.number)
		}
	}
}

// addVoices ends a claim of the name, and records voices, the voices of the start that has claimed it. voices may be
// empty. For a kept name they are not recorded, because a kept name is never deleted.
func (one *name) addVoices(voices []mixer.Handle) {
	if one.claims--; one.kept {
		return
	}
	if len(one.voices)+len(voices) > cap(one.voices) {
		one.deleteEnded()
	}
	one.voices = append(one.voices, voices...)
}

// deleteEnded removes the voices that have ended from the list of the name.
func (one *name) deleteEnded() {
	one.voices = slices.DeleteFunc(one.voices, func(h mixer.Handle) bool { return h.State().Over() })
}

// Tag returns the tag of id: the number that selects the same voices with mixer.TargetTag. known is true if a cue of
// a sheet, Do or Start has used the id. An id that only Start has used may become unknown once its voices have ended,
// at the latest with the next call of IDs. If known is false, the tag is 0. Any goroutine.
func (p *Player) Tag(id string) (tag mixer.Tag, known bool) {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	tag = mixer.Tag(p.live.ids.number(id))
	return tag, tag != 0
}

// ID returns the id whose number is tag. Cues select voices by their ids; see Tag. ID returns "" if the
// id does not exist or was deleted. Any goroutine.
func (p *Player) ID(tag mixer.Tag) string {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	return p.live.ids.byNumber[uint64(tag)]
}

// IDs returns all ids that have a Tag, sorted and without duplicates. The slice is new. An id that only calls of
// Start have used is left out once its voices have ended. IDs then deletes it, so that Tag no longer finds it. Any
// goroutine.
func (p *Player) IDs() []string {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	p.live.ids.deleteEnded()
	return slices.Sorted(maps.Keys(p.live.ids.all))
}

// claim returns the entries of an id and of an owner for a start by hand. The entry of "" is nil. The caller must pass
// the entries to finishClaim later, whether the start succeeds or not. It takes l.mutex.
func (l *live) claim(id, owner string) (claimed [2]*name) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return [...]*name{l.ids.claim(id), l.owners.claim(owner)}
}

// finishClaim ends the claims of a start by hand. voices are the voices of that start; the slice is empty if the start
// failed. The claimed names exist until these voices have ended. It takes l.mutex.
func (l *live) finishClaim(claimed [2]*name, voices []mixer.Handle) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, one := range claimed {
		if one != nil {
			one.addVoices(voices)
		}
	}
}

// keepNames gives a number to each id and each owner of sheet s. Names that the player already has keep their numbers.
// The results have the numbers by name. It takes l.mutex.
func (l *live) keepNames(s *cue.Sheet) (ids, owners map[string]uint64) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	ids, owners = runsheet.Numbers(s)
	for _, id := range slices.SortedFunc(maps.Keys(ids), func(a, b string) int { return cmp.Compare(ids[a], ids[b]) }) {
		ids[id] = l.ids.intern(id)
	}
	for _, owner := range slices.Sorted(maps.Keys(owners)) {
		owners[owner] = l.owners.intern(owner)
	}
	return ids, owners
}
