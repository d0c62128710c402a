package mixer

import (
	"slices"
	"sync"

	"voicepool/voice"
)

// refinery makes the versions of sounds that pitched voices read, one after the
// other, in a goroutine that ends when there is nothing to do.
type refinery struct {
	mutex   sync.Mutex
	idle    sync.Cond
	waiting []versionKey // in the order of asking, the one under way first
}

type versionKey struct {
	sound  *voice.Sound
	level  int
	looped bool
}

// ask sees to it that a version will be there.
func (y *refinery) ask(k versionKey) {
	if k.sound.Refined(k.level, k.looped) {
		return
	}
	y.mutex.Lock()
	defer y.mutex.Unlock()
	if slices.Contains(y.waiting, k) {
		return
	}
	y.idle.L = &y.mutex
	y.waiting = append(y.waiting, k)
	if len(y.waiting) == 1 {
		go y.run()
	}
}

// run makes the versions that wait, one after the other.
func (y *refinery) run() {
	y.mutex.Lock()
	for len(y.waiting) > 0 {
		k := y.waiting[0]
		y.mutex.Unlock()
		k.sound.Refine(k.level, k.looped)
		y.mutex.Lock()
		y.waiting = slices.Delete(y.waiting, 0, 1)
	}
	y.waiting = nil
	y.idle.Broadcast()
	y.mutex.Unlock()
}

// wait returns when there is nothing to do.
func (y *refinery) wait() {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	for len(y.waiting) > 0 {
		y.idle.Wait()
	}
}

// leave gives up what has not been begun.
func (y *refinery) leave() {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	y.waiting = y.waiting[:min(len(y.waiting), 1)]
}

// refineNeeds asks for what voices have missed.
func (m *Mixer) refineNeeds() {
	if !m.needs.Load() || !m.needs.Swap(false) {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for _, r := range m.allRecords() {
		s := r.sound.Load()
		if s == nil {
			continue
		}
		for _, looped := range [...]bool{false, true} {
			for levels, level := s.Needed(looped), 0; levels != 0; levels, level = levels>>1, level+1 {
				if levels&1 != 0 {
					m.refinery.ask(versionKey{s, level, looped})
				}
			}
		}
	}
}
