package room

import (
	"fmt"
	"time"

	"voicepool/cue"
	"voicepool/pcm"
)

// CheckScene returns an *Error if Scene would reject name or over: Kind NotFound for a scene that the sheet lacks, Kind
// Range for a time over that is negative or longer than 24 h. The name "" is valid. It does not change the room.
func (r *Room) CheckScene(name string, over time.Duration) error {
	if err := checkDuration("over", over); err != nil {
		return err
	}
	s := r.Sheet()
	found := name == ""
	names := []string{}
	for i := range s.Scenes {
		found = found || s.Scenes[i].Name == name
		names = append(names, s.Scenes[i].Name)
	}
	if !found {
		return unknownName("scene", name, names)
	}
	return nil
}

// Scene begins to fade to the scene of the sheet called name within the time over; 0 means at once. The name "" leaves
// the current scene. Scene does not wait for the end of the fade, but makes name the current scene of State at once. An
// unknown scene is an *Error of Kind NotFound; an invalid time is an *Error of Kind Range.
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
		st.sceneFrame.Store(st.player.Mixer().Next() + pcm.Frames(st.player.Mixer().Latency().Block+sceneDelay, r.rate))
	}
	return err
}

// sceneDelay is the longest time between the scheduling of a scene by the player and its start.
const sceneDelay = 25 * time.Millisecond

// recordScene records the scene of the list cue with the index list as the current scene, if the cue sets a scene. The
// player calls it when that cue has begun, on the player's goroutine. An index that the sheet lacks has no effect.
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
		if s.Cues[i].Verb == cue.SetScene {
			r.manualBuses.setScene(s.Cues[i].Scene)
		}
	}
}

// setScene records the name of the current scene; "" means no scene.
func (d *manualBuses) setScene(name string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.scene = name
}

// currentScene returns the name of the current scene. It returns "" if no scene was chosen or the last one was left.
func (d *manualBuses) currentScene() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.scene
}
