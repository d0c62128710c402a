package bank

import (
	"time"

	"voicepool/internal/scenes"
	"voicepool/mixer"
)

// Scene moves the mixer to a scene of the file within a time: the gains of buses straight in
// decibels, mutes straight in amplitude, ducks by their own attack and release. A pool that becomes
// larger does so at once, one that becomes smaller when the time is over. What the scene does not
// name returns to what the file says; the empty name is the file without a scene. A bus that neither
// this scene nor the last one names stays as the game has set it.
//
// It fails with ErrName, with ErrMixer, and with mixer.ErrBusy, after which it may be called again.
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

// move takes the mixer to a state, and notes what only another mixer can take. The mutex is held.
func (b *Bank) move(to scenes.State, within time.Duration, late *later) error {
	return b.stage.Move(mixer.Now, to, within, late.add)
}
