package mixer

import (
	"runtime"
	"slices"
	"sync"

	"voicepool/voice"
)

// refinery computes the mip levels of sounds: the band-limited versions that pitched voices read, and
// their spectra, in the order of the requests. Its goroutines end when they are idle. There are at most
// GOMAXPROCS-1 of them, or one, because the audio side may need a processor.
type refinery struct {
	mutex   sync.Mutex
	idle    sync.Cond
	waiting []versionKey // in the order of the requests
	making  []versionKey // being computed
}

type versionKey struct {
	sound  *voice.Sound
	level  int
	looped bool
}

// ask requests a version unless it exists or is already requested.
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

// run computes a version and then the waiting ones.
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

// wait returns when all requests are done.
func (y *refinery) wait() {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	for len(y.making) > 0 {
		y.idle.Wait()
	}
}

// leave cancels the waiting requests.
func (y *refinery) leave() {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	y.waiting = nil
}

// refineNeeds requests the versions that voices lacked while they were mixed.
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
			for levels, level := s.TakeMissing(looped), 0; levels != 0; levels, level = levels>>1, level+1 {
				if levels&1 != 0 {
					m.refinery.ask(versionKey{s, level, looped})
				}
			}
		}
	}
}
