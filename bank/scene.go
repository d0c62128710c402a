package bank

import (
	"time"

	"voicepool/internal/sheet/scenes"
	"voicepool/mixer"
)

// Scene changes the mixer to the scene called name of the bank's file. The change takes the duration over. Gains of
// buses change linearly in decibels, mutes linearly in amplitude, and ducks with their own attack and release. If the
// scene sets a larger pool of voices, the pool grows at once. If the scene sets a smaller one, the pool shrinks at
// the end of the time. Values that the scene does not set return to the values of the file. The empty name ends the
// current scene. A bus in neither this scene nor the previous one keeps the values that the game has set.
//
// The error wraps ErrName, ErrMixer or mixer.ErrBusy. After mixer.ErrBusy, try again.
func (b *Bank) Scene(name string, over time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mixer == nil {
		return noMixerError("Scene")
	}
	scene := scenes.Find(b.rules, name)
	if scene == nil && name != "" {
		known := map[string]bool{}
		for i := range b.rules.Scenes {
			known[b.rules.Scenes[i].Name] = true
		}
		return unknownError("scene", name, known)
	}
	differences := &reloadDifferences{file: b.rules.File, root: b.root}
	if err := b.moveTo(scenes.StateOf(b.rules, scene), over, differences); err != nil {
		return err
	}
	b.scene = name
	return differences.err()
}

// moveTo moves the mixer to the state to over the duration over, from the next frame on. It records in late the
// differences that require another mixer. The error is the mixer's. The caller holds mu.
func (b *Bank) moveTo(to scenes.State, over time.Duration, differences *reloadDifferences) error {
	return b.stage.Move(mixer.Now, to, over, differences.addDifference)
}
