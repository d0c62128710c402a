package room

import (
	"cmp"
	"math"
	"slices"
	"time"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/show/showrun"
	"voicepool/mixer"
)

// Snapshot is the state of a room that survives a restart, as JSON.
type Snapshot struct {
	Room    string       `json:"room"`
	Time    time.Time    `json:"time"`
	Frame   int64        `json:"frame"`
	Paused  bool         `json:"paused,omitempty"` // the whole show, including its clock
	Text    string       `json:"text"`
	Scene   string       `json:"scene"`
	Standby string       `json:"standby"`
	Last    string       `json:"last"`
	Buses   []ChangedBus `json:"buses"` // buses changed by hand
	Loops   []Loop       `json:"loops"` // loops started by hand or by a GO

	Volumes map[string]float64 `json:"volumes,omitempty"` // in dB, by bus; 0 is left out
}

// ChangedBus is a bus changed by hand.
type ChangedBus struct {
	Bus
	Duck *Duck `json:"duck,omitempty"` // nil: the sheet's
	Cutoffs

	Values Effects            `json:"values,omitempty"` // changed effect values
	Sends  map[string]float64 `json:"sends,omitempty"`  // changed send gains in dB
}

// Loop is a running loop.
type Loop struct {
	Order    PlayRequest `json:"order"`
	Cue      string      `json:"cue,omitempty"` // list cue that started it; empty: started by hand
	Position float64     `json:"position"`      // in seconds, at Snapshot.Time
	Gain     float64     `json:"gain"`          // current gain
	Pan      float64     `json:"pan"`
	Paused   bool        `json:"paused"`
	Seeks    int         `json:"-"` // number of seeks; a seek changes the position independently of the clock
}

// Snapshot returns the present state of the room that survives a restart, as a new value. It first records scheduled
// bus changes whose frames are reached, and drops the records of ended loops.
func (r *Room) Snapshot() *Snapshot {
	st := r.current()
	shown, now := st.show.State(), st.player.Mixer().Now()
	out := &Snapshot{
		Room: r.Name(), Time: time.Now(), Frame: now, Paused: shown.Paused, Text: *r.text.Load(),
		Scene: r.manualBuses.currentScene(), Standby: shown.Standby, Last: shown.Last, Buses: []ChangedBus{}, Loops: r.loops.running(now, r.rate, shown.Paused),
	}
	r.recordReached()
	for _, name := range showrun.BusNames(st.player.Sheet()) {
		if volume := r.bus(name).Volume; volume != 0 {
			if out.Volumes == nil {
				out.Volumes = map[string]float64{}
			}
			out.Volumes[name] = volume
		}
	}
	for _, name := range r.manualBuses.changedBuses() {
		b := r.bus(name)
		b.Peak, b.Effects, b.Reduction = 0, nil, 0
		values, sends := r.manualBuses.effectsOf(name)
		out.Buses = append(out.Buses, ChangedBus{b, r.manualBuses.duckOf(name), r.manualBuses.cutoffsOf(name), values, sends})
	}
	return out
}

// speedFactor returns the playback speed that Speed and Pitch of o give together, as a factor: 2 plays the sound in
// half its time. A Speed of 0 counts as 1.
func (o *PlayRequest) speedFactor() float64 {
	speed := cmp.Or(o.Speed, 1)
	return speed * math.Pow(2, o.Pitch/12)
}

// elapsed returns the time since the snapshot was taken, at least 0. If the show was paused in the snapshot, the result
// is 0, because the clock of the show did not advance.
func (s *Snapshot) elapsed() time.Duration {
	if s.Paused {
		return 0
	}
	return max(time.Since(s.Time), 0)
}

// resumeTime returns the time that the show of the snapshot would have reached by now if it had continued. It counts
// from frame 0. The parameter rate is the sample rate in Hz.
func (s *Snapshot) resumeTime(rate int) rules.Time {
	return rules.FrameTime(s.Frame+int64(s.elapsed().Seconds()*float64(rate)), rate)
}

// setVolumes sets the volumes of the snapshot s on the mixer of st, which must not have played yet. It skips buses that
// the sheet no longer has. It passes errors to Options.Log and continues after them.
func (r *Room) setVolumes(st *playback, s *Snapshot) {
	m := st.player.Mixer()
	for name, volume := range s.Volumes {
		if b, err := m.Bus(name); err == nil {
			f := BusChange{Volume: &volume}
			if err = f.check(); err == nil {
				err = f.apply(m.Engine().At(mixer.Now), b)
			}
			if err != nil {
				r.logLine("not as it was before: " + err.Error())
			}
		}
	}
}

// restore restores the scene, the buses changed by hand, the last and the standby cue, the pause and the loops of the
// snapshot s in the current playback. The caller has called setVolumes before the playback began. It skips buses that
// the sheet no longer has. It passes errors to Options.Log and continues after them.
func (r *Room) restore(s *Snapshot) {
	st, since := r.current(), s.elapsed()
	logError := func(err error) {
		if err != nil {
			r.logLine("not as it was before: " + err.Error())
		}
	}
	if s.Scene != "" {
		logError(r.Scene(s.Scene, 0))
	}
	known := showrun.BusNames(st.player.Sheet())
	for _, b := range s.Buses {
		if slices.Contains(known, b.Bus.Bus) {
			f := BusChange{Gain: &b.Gain, LowPass: b.LowPass, HighPass: b.HighPass, Mute: &b.Mute, Duck: b.Duck, Effects: b.Values, Sends: b.Sends}
			if b.Solo { // the master cannot be soloed
				f.Solo = &b.Solo
			}
			_, err := r.SetBus(b.Bus.Bus, f)
			logError(err)
		}
	}
	st.show.RestorePosition(s.Last, s.Standby)
	st.show.Pause(s.Paused)
	for i := range s.Loops {
		logError(r.restoreLoop(&s.Loops[i], since))
	}
}
