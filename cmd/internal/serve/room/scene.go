package room

import (
	"fmt"
	"slices"
	"time"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/internal/words"
	"voicepool/pcm"
)

// CheckScene checks whether Scene would accept name and over, without changing the room. A scene that the sheet lacks
// is an *Error of Kind NotFound. The empty name is valid; it leaves the current scene. A time over that is negative or
// longer than 24 h is an *Error of Kind Range.
func (r *Room) CheckScene(name string, over time.Duration) error {
	if err := checkDuration("over", over); err != nil {
		return err
	}
	if names := sceneNames(r.Sheet()); name != "" && !slices.Contains(names, name) {
		return unknownName("scene", name, names)
	}
	return nil
}

// sceneNames returns the names of the scenes of the sheet s, in the order of the sheet.
func sceneNames(s *cue.Sheet) []string {
	return words.Names(s.Scenes, func(s *rules.Scene) string { return s.Name })
}

// Scene starts a fade to the scene that the sheet calls name, and returns without waiting for the end of the fade. The
// fade takes the time over; 0 means at once. The empty name leaves the current scene. The State contains the new scene
// at once. Bus changes for now that SetBus makes afterwards act after the start of the fade.
//
// An unknown scene is an *Error of Kind NotFound. If over is negative or longer than 24 h, the error is an *Error of
// Kind Range. An ended room is Kind Closed.
func (r *Room) Scene(name string, over time.Duration) error {
	if err := r.CheckScene(name, over); err != nil {
		return err
	}
	r.orders.Lock()
	defer r.orders.Unlock()
	err := r.execute(func() error {
		err := r.current().player.Do("scene", name, fmt.Sprintf("over=%gs", over.Seconds()))
		if err == nil && r.clock != nil {
			r.clock.stepPlayer(r.current()) // passes the command to the mixer
		}
		return err
	})
	if err == nil {
		r.manualBuses.setScene(name)
		st := r.current()
		st.sceneFrame.Store(st.player.Mixer().Engine().Next() + pcm.Frames(st.player.Mixer().Latency().Block+sceneDelay, r.rate))
	}
	return err
}

// sceneDelay is the longest time between the scheduling of a scene by the player and its start.
const sceneDelay = 25 * time.Millisecond

// recordScene records the scene of the list cue with the index list as the current scene, if the cue sets a scene. If
// it sets several, the last counts. The player calls recordScene when that cue has begun, on the player's goroutine. An
// index that the sheet lacks has no effect.
func (r *Room) recordScene(list int, _ int64) {
	st := r.current()
	if st == nil {
		return
	}
	s := st.player.Sheet()
	if list < 0 || list >= len(s.List) {
		return
	}
	l := &s.List[list]
	for i := l.First; i < l.First+l.Count; i++ {
		if set, is := s.Cues[i].Action.(*cue.SetScene); is {
			r.manualBuses.setScene(set.Scene)
		}
	}
}

// setScene records name as the name of the current scene. The empty name means that no scene is set. It does not change
// the mixer.
func (d *manualBuses) setScene(name string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.scene = name
}

// currentScene returns the name of the current scene. It returns "" if no scene was set, or the last one was left.
func (d *manualBuses) currentScene() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.scene
}
