package mixer

import (
	"runtime"
	"slices"
	"sync"

	"voicepool/voice"
)

// refiner computes the mip levels of sounds: the band-limited versions that pitched voices read, and
// their spectra, in the order of the requests. Its goroutines end when they are idle. There are at most
// GOMAXPROCS-1 of them, or one, because the audio side may need a processor.
type refiner struct {
	mutex   sync.Mutex
	idle    sync.Cond
	queued  []mipKey // in the order of the requests
	running []mipKey // being computed
}

type mipKey struct {
	sound  *voice.Sound
	level  int
	looped bool
}

// request requests a mip level unless it exists, cannot exist, or is already requested. It does not wait.
func (y *refiner) request(k mipKey) {
	if k.sound.Refined(k.level, k.looped) {
		return
	}
	y.mutex.Lock()
	defer y.mutex.Unlock()
	if slices.Contains(y.queued, k) || slices.Contains(y.running, k) {
		return
	}
	y.idle.L = &y.mutex
	if len(y.running) < max(1, runtime.GOMAXPROCS(0)-1) {
		y.running = append(y.running, k)
		go y.run(k)
		return
	}
	y.queued = append(y.queued, k)
}

// run computes a mip level and then the queued ones; it returns when the queue is empty.
func (y *refiner) run(k mipKey) {
	for more := true; more; {
		k.sound.Refine(k.level, k.looped)
		y.mutex.Lock()
		at := slices.Index(y.running, k)
		if more = len(y.queued) > 0; more {
			k = y.queued[0]
			y.running[at], y.queued = k, slices.Delete(y.queued, 0, 1)
		} else {
			y.running = slices.Delete(y.running, at, at+1)
		}
		if len(y.running) == 0 {
			y.queued, y.running = nil, nil
			y.idle.Broadcast()
		}
		y.mutex.Unlock()
	}
}

// wait blocks until all requests are done.
func (y *refiner) wait() {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	for len(y.running) > 0 {
		y.idle.Wait()
	}
}

// cancelQueued cancels the queued requests.
func (y *refiner) cancelQueued() {
	y.mutex.Lock()
	defer y.mutex.Unlock()
	y.queued = nil
}

// requestMissingMips requests the versions that voices lacked while they were mixed.
func (m *Mixer) requestMissingMips() {
	if !m.missingMips.Load() || !m.missingMips.Swap(false) {
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
					m.refiner.request(mipKey{s, level, looped})
				}
			}
		}
	}
}
