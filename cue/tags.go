package cue

import (
	"fmt"

	"voicepool/internal/yaml"
)

// mostByHand is how many ids, and how many owners, Start makes at most: they are never forgotten.
const mostByHand = 100_000

// Tag returns the tag of the voices of an id, for mixer.TargetTag, and whether there is one: a cue of a
// sheet has it, or it was made by hand. Any goroutine.
func (p *Player) Tag(id string) (tag uint64, known bool) {
	p.live.mutex.Lock()
	defer p.live.mutex.Unlock()
	tag = p.live.tagOf(id)
	return tag, tag != 0
}

// tagOf returns the tag of an id; 0: there is none. Under the mutex.
func (l *live) tagOf(id string) uint64 {
	if l.tagged == nil {
		l.tagged = map[string]uint64{}
	}
	for i := len(l.tagged); i < len(l.ids); i++ { // those that came since
		l.tagged[l.ids[i]] = uint64(i + 1)
	}
	return l.tagged[id]
}

// claim returns the tag of an id and the number of an owner, and makes them where there are none; empty
// ones have none. The error wraps ErrAction.
func (l *live) claim(id, owner string) (tag, number uint64, err error) {
	if id == "" && owner == "" {
		return 0, 0, nil
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if id != "" {
		tag = l.tagOf(id)
	}
	if owner != "" {
		number = l.owners[owner]
	}
	newTag, newOwner := id != "" && tag == 0, owner != "" && number == 0
	switch {
	case newTag && l.madeIDs >= mostByHand:
		return 0, 0, fmt.Errorf("%w: id: there are %d ids that were made by hand, and no room for %s", ErrAction, mostByHand, yaml.Quote(id))
	case newOwner && l.madeOwners >= mostByHand:
		return 0, 0, fmt.Errorf("%w: owner: there are %d owners that were made by hand, and no room for %s", ErrAction, mostByHand, yaml.Quote(owner))
	}
	if newTag {
		l.madeIDs++
		l.ids = append(l.ids, id)
		tag = l.tagOf(id)
	}
	if newOwner {
		l.madeOwners++
		number = uint64(len(l.owners) + 1)
		l.owners[owner] = number
	}
	return tag, number, nil
}
