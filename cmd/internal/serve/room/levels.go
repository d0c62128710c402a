package room

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"voicepool/cmd/internal/show/showrun"
	"voicepool/pcm"
)

// Levels holds the values that change continuously.
type Levels struct {
	Frame   int64             `json:"frame"`
	Time    float64           `json:"time"`
	Playing int64             `json:"playing"`
	Stolen  int64             `json:"stolen"`
	Left    float64           `json:"left"` // dB
	Right   float64           `json:"right"`
	Buses   []BusLevel        `json:"buses"`
	Voices  []Voice           `json:"voices"`
	Running []showrun.Running `json:"running"`
	Standby string            `json:"standby"`
	Paused  bool              `json:"paused"`
}

// BusLevel is the level of a bus.
type BusLevel struct {
	Bus  string  `json:"bus"`
	Peak float64 `json:"peak"`

	Reduction float64 `json:"reduction,omitempty"` // in dB, of its compressors
}

// levelsMaxAge is the time for which Levels are reused.
const levelsMaxAge = 30 * time.Millisecond

// meter keeps the last Levels, so that calls within 30 ms share them.
type meter struct {
	mutex       sync.Mutex
	computed    time.Time
	last        *Levels
	still       bool
	revision    int64
	fingerprint string // summary of the slow values; a change increments the revision
}

// Levels returns the current levels of the room. It computes them at most once in 30 ms; calls in between get the last
// result. Callers share l, so they must not change it. Left and Right are peaks since the last computation, or since
// the last call of Look.
//
// The number revision grows if a value of the State has changed since the last computation, except levels, voices and
// times. An example is the setting of a bus. The result still is true if no voice plays, no cue runs and no level has
// changed since the last computation. In this case l is the same pointer as before, and its Frame and Time are old.
func (r *Room) Levels() (l *Levels, revision int64, still bool) {
	m := &r.meter
	m.mutex.Lock()
	defer m.mutex.Unlock()
	now := time.Now()
	if m.last != nil && now.Sub(m.computed) < levelsMaxAge {
		return m.last, m.revision, m.still
	}
	l, fingerprint := r.levels()
	if m.computed = now; fingerprint != m.fingerprint {
		m.fingerprint = fingerprint
		m.revision++
	}
	if m.still = m.last != nil && m.last.same(l); !m.still {
		m.last = l
	}
	return m.last, m.revision, m.still
}

// levels computes new levels of the room, and a fingerprint for comparison with earlier calls. The fingerprint is a
// text that changes whenever a slow value changes. The slow values are the sheet, the scene, the standby cue, the last
// cue, the loaded time, the trims of list cues, the pause, the messages, the output and the settings of buses.
//
// levels also records scheduled bus changes that have taken effect, and resets the peaks of the player.
func (r *Room) levels() (*Levels, string) {
	shown, s := r.current().show.State(), r.current().player.Sheet()
	st, now := r.current().player.Mixer().Stats(), r.current().player.Mixer().Now()
	left, right := r.current().player.Levels()
	l := &Levels{
		Frame: now, Time: float64(now) / float64(r.rate), Playing: st.Playing, Stolen: st.Stolen,
		Left: level(left), Right: level(right), Buses: []BusLevel{}, Voices: r.voices(),
		Running: shown.Running, Standby: shown.Standby, Paused: shown.Paused,
	}
	var fingerprint strings.Builder
	output := r.outputState()
	fmt.Fprintf(&fingerprint, "%p %q %q %v %v %q %q %q %q %q ", s, r.manualBuses.currentScene(), shown.Standby, shown.Loaded, shown.Paused, shown.Last, shown.Events, output.Device, output.Sink, output.Lost)
	for _, c := range shown.List {
		fmt.Fprintf(&fingerprint, "%v ", c.Trim)
	}
	for _, name := range showrun.BusNames(s) {
		b := r.bus(name)
		l.Buses = append(l.Buses, BusLevel{name, b.Peak, b.Reduction})
		fmt.Fprintf(&fingerprint, "%v %v %v %v %v ", b.Gain, b.Volume, b.Mute, b.Solo, b.Effects)
	}
	return l, fingerprint.String()
}

// level converts x, a linear amplitude with full scale 1, to dB. The result is rounded to tenths and is at least -120,
// the value for silence.
func level(x float32) float64 {
	return tenth(max(float64(pcm.FromLinear(float64(x))), silence))
}

// same reports whether l can be returned again in place of now, the newly computed levels. This requires that no voice
// plays and no cue runs in either of them, and that they differ in Frame and Time at most.
func (l *Levels) same(now *Levels) bool {
	return l.Playing == 0 && now.Playing == 0 && l.Stolen == now.Stolen && l.Left == now.Left && l.Right == now.Right &&
		slices.Equal(l.Buses, now.Buses) && slices.Equal(l.Voices, now.Voices) && len(l.Running) == 0 && len(now.Running) == 0 &&
		l.Standby == now.Standby && l.Paused == now.Paused
}
