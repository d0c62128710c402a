package room

import (
	"fmt"
	"time"

	"voicepool/cue"
	"voicepool/pcm"
)

// CheckScene returns what would be wrong with a change of the scene.
func (r *Room) CheckScene(name string, over time.Duration) error {
	if err := lasting("over", over); err != nil {
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
		return missing("scene", name, names)
	}
	return nil
}

// Scene changes the scene within a time; empty: the sheet without one.
func (r *Room) Scene(name string, over time.Duration) error {
	if err := r.CheckScene(name, over); err != nil {
		return err
	}
	r.orders.Lock()
	defer r.orders.Unlock()
	err := r.settle(func() error {
		err := r.on().player.Do("scene", name, fmt.Sprintf("over=%gs", over.Seconds()))
		if err == nil && r.pace != nil {
			r.pace.tend(r.on()) // hands it to the mixer
		}
		return err
	})
	if err == nil {
		r.desk.show(name)
		st := r.on()
		st.scened.Store(st.player.Mixer().Next() + pcm.Frames(st.player.Mixer().Latency().Block+ahead, r.rate))
	}
	return err
}

// ahead is how far ahead of the mix a player plans a scene at most.
const ahead = 25 * time.Millisecond

// fired takes a cue of the list that has begun: it may change the scene. Of the goroutine of the player.
func (r *Room) fired(list int, _ int64) {
	st := r.on()
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
			r.desk.show(s.Cues[i].Scene)
		}
	}
}

// show notes the scene.
func (d *desk) show(name string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.scene = name
}

// shown returns the scene.
func (d *desk) shown() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.scene
}
