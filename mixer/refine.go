package mixer

import (
	"runtime"
	"slices"
	"sync"

	"voicepool/voice"
)

// refinery makes the versions of sounds that pitched voices read, and their spectra, in the order of asking, in
// goroutines that end when there is nothing to do: one for each processor but one, which the
// audio side may need.
type refinery struct {
	mutex   sync.Mutex
	idle    sync.Cond
	waiting []versionKey // in the order of asking
	making  []versionKey // those under way
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
	if slices.Contains(y.waiting, k) || slices.Contains(y.making, k) {
		return
	}
	y.idle.L = &y.mutex
	if len(y.making) < max(1, runtime.GOMAXPROCS(0)-1) {
		y.making = append(y.making, k)
		go y.run(k)
		return
	}
	y.waiting = append(y.waiting, k)
}

// run makes a version, and those that wait, one after the other.
func (y *refinery) run(k versionKey) {
	for more := true; more; {
		k.sound.Refine(k.level, k.looped)
		y.mutex.Lock()
		at := slices.Index(y.making, k)
		if more = len(y.waiting) > 0; more {
			k = y.waiting[0]
			y.making[at], y.waiting = k, slices.Delete(y.waiting, 0, 1)
		} else {
			y.making = slices.Delete(y.making, at, at+1)
		}
		if len(y.making) == 0 {
			y.waiting, y.making = nil, nil
			y.idle.Broadcast()
		}
		y.mutex.Unlock()
	}
}

// wait returns when there is nothing to do.
func (y *refinery) wait() {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	for len(y.making) > 0 {
		y.idle.Wait()
	}
}

// leave gives up what has not been begun.
func (y *refinery) leave() {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	y.waiting = nil
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
