package bank

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/scenes"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
)

// ErrLeft is wrapped by the error of ActiveScene.Leave for a scene that is not active.
var ErrLeft = errors.New("bank: scene left")

// ActiveScene is a scene that EnterScene has entered. It is a small comparable value, safe for concurrent use.
type ActiveScene struct {
	bank *Bank
	name string
	id   uint64 // unique in the bank
}

// Scene replaces all active scenes by the scene called name of the bank's file; the empty name leaves all of them. The
// change takes the duration over. Gains of buses change linearly in decibels, mutes linearly in amplitude, and ducks
// with their own attack and release. If the scene sets a larger pool of voices, the pool grows at once. If the scene
// sets a smaller one, the pool shrinks at the end of the time. Values that the scene does not set return to the values
// of the file. A bus in neither this scene nor the previous ones keeps the values that the game has set. Volumes, which
// belong to the player, do not change.
//
// The error wraps ErrName, ErrMixer or mixer.ErrBusy. After mixer.ErrBusy, try again.
func (b *Bank) Scene(name string, over time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mixer == nil {
		return noMixerError("Scene")
	}
	var active []ActiveScene
	if name != "" {
		if err := b.checkScene(name); err != nil {
			return err
		}
		active = append(active, b.newActive(name))
	}
	return b.activate(active, over)
}

// EnterScene adds the scene called name of the bank's file to the active scenes, until ActiveScene.Leave or Scene. The
// change takes the duration over, as in Scene. The order of entering and leaving does not matter, and a scene that was
// entered several times counts once, until it was left as often.
//
// A value that several active scenes set is combined. Each gain, of a bus or a send, contributes its difference from
// the file's, or from 0 dB if the file is silent; silence in any scene is silence. Any mute mutes. The smallest number
// of voices, the lowest low-pass and the highest high-pass count. The duck with the largest by counts, then with the
// longest release, then of the first scene by name. An effect value comes from the scene with the highest priority,
// then from the first scene by name.
//
// The error wraps ErrName, ErrMixer or mixer.ErrBusy. The scene is then not active, with one exception: after an error
// about values that need another mixer, which wraps both ErrMixer and mixer.ErrOption, it is active without them.
func (b *Bank) EnterScene(name string, over time.Duration) (ActiveScene, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mixer == nil {
		return ActiveScene{}, noMixerError("EnterScene")
	}
	if err := b.checkScene(name); err != nil {
		return ActiveScene{}, err
	}
	s := b.newActive(name)
	err := b.activate(append(slices.Clip(b.active), s), over)
	if !slices.Contains(b.active, s) {
		s = ActiveScene{}
	}
	return s, err
}

// Leave removes the scene from the active scenes of its bank. The change takes the duration over, as in Bank.Scene. The
// error wraps ErrLeft if the scene was left before, by Leave, Bank.Scene, Bank.Use or Bank.NewMixer, and for the zero
// ActiveScene. It wraps mixer.ErrBusy or ErrMixer as in EnterScene; after mixer.ErrBusy the scene is still active.
func (s ActiveScene) Leave(over time.Duration) error {
	b := s.bank
	if b == nil {
		return fmt.Errorf("%w: the zero ActiveScene was never entered; call EnterScene", ErrLeft)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	at := slices.Index(b.active, s)
	if at < 0 {
		return fmt.Errorf("%w: %s is not active: it was left, or Scene, Use or NewMixer has replaced it; enter it again", ErrLeft, yaml.Quote(s.name))
	}
	return b.activate(slices.Delete(slices.Clone(b.active), at, at+1), over)
}

// newActive returns a new ActiveScene of the scene called name, which is not active yet. The caller holds mu.
func (b *Bank) newActive(name string) ActiveScene {
	b.lastActive++
	return ActiveScene{b, name, b.lastActive}
}

// checkScene returns an error that wraps ErrName if the file has no scene called name. The caller holds mu.
func (b *Bank) checkScene(name string) error {
	if scenes.Find(b.rules, name) != nil {
		return nil
	}
	known := map[string]bool{}
	for i := range b.rules.Scenes {
		known[b.rules.Scenes[i].Name] = true
	}
	return unknownError("scene", name, known)
}

// activate makes active the active scenes, within the duration over. There must be a mixer. After an error of the mixer
// the active scenes stay; values that need another mixer are an error, too, but the others act. The caller holds mu.
func (b *Bank) activate(active []ActiveScene, over time.Duration) error {
	differences := &reloadDifferences{file: b.rules.File, root: b.root}
	if err := b.moveTo(active, over, differences); err != nil {
		return err
	}
	b.active = active
	return differences.err()
}

// moveTo moves the mixer to the state of the scenes active over the duration over, from the next frame on. Scenes that
// the file lacks have no effect. It records in differences what requires another mixer. The error is the mixer's. The
// caller holds mu.
func (b *Bank) moveTo(active []ActiveScene, over time.Duration, differences *reloadDifferences) error {
	all := make([]*rules.Scene, len(active))
	for i, s := range active {
		all[i] = scenes.Find(b.rules, s.name)
	}
	return b.stage.Move(mixer.Now, b.file.With(all...), over, differences.addDifference)
}
