package bank

import (
	"time"

	"voicepool/internal/scenes"
	"voicepool/mixer"
)

// Scene moves the mixer to a scene of the file within a time. Gains of buses move linearly in decibels, mutes
// linearly in amplitude, ducks with their own attack and release. A pool grows at once and shrinks at the end
// of the time. Values that the scene leaves open return to the file's; the empty name means the file without
// a scene. A bus in neither this scene nor the previous one keeps the values that the game has set.
//
// It fails with ErrName, ErrMixer or mixer.ErrBusy. After mixer.ErrBusy it may be called again.
func (b *Bank) Scene(name string, within time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mixer == nil {
		return noMixer("Scene")
	}
	scene := scenes.Find(b.rules, name)
	if scene == nil && name != "" {
		known := map[string]bool{}
		for i := range b.rules.Scenes {
			known[b.rules.Scenes[i].Name] = true
		}
		return unknown("scene", name, known)
	}
	late := &later{file: b.rules.File, root: b.root}
	if err := b.move(scenes.Of(b.rules, scene), within, late); err != nil {
		return err
	}
	b.scene = name
	return late.err()
}

// move moves the mixer to a state and records in late the differences that require another mixer. The caller
// holds mu.
func (b *Bank) move(to scenes.State, within time.Duration, late *later) error {
	return b.stage.Move(mixer.Now, to, within, late.add)
}
