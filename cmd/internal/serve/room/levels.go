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

// fresh is how long Levels are reused.
const fresh = 30 * time.Millisecond

// meter caches Levels.
type meter struct {
	mutex    sync.Mutex
	at       time.Time
	last     *Levels
	still    bool
	revision int64
	print    string // summary of the slow values; a change increments the revision
}

// Levels returns the current levels, at most 30 ms old, and the revision of the State. The revision grows whenever a
// value of the State other than levels, voices and times changes, such as a setting of a bus. The levels are shared, so
// the caller must not change them. still means that no voice plays and no level has changed since the last computation;
// l is then the same pointer as before.
func (r *Room) Levels() (l *Levels, revision int64, still bool) {
	m := &r.meter
	m.mutex.Lock()
	defer m.mutex.Unlock()
	now := time.Now()
	if m.last != nil && now.Sub(m.at) < fresh {
		return m.last, m.revision, m.still
	}
	l, print := r.levels()
	if m.at = now; print != m.print {
		m.print = print
		m.revision++
	}
	if m.still = m.last != nil && m.last.same(l); !m.still {
		m.last = l
	}
	return m.last, m.revision, m.still
}

// levels computes new levels, and a fingerprint: a text that changes whenever the sheet, the scene, the standby cue,
// the pause, the messages, the output or a setting of a bus changes.
func (r *Room) levels() (*Levels, string) {
	shown, s := r.on().show.State(), r.on().player.Sheet()
	st, now := r.on().player.Mixer().Stats(), r.on().player.Mixer().Now()
	left, right := r.on().player.Levels()
	l := &Levels{
		Frame: now, Time: float64(now) / float64(r.rate), Playing: st.Playing, Stolen: st.Stolen,
		Left: level(left), Right: level(right), Buses: []BusLevel{}, Voices: r.voices(),
		Running: shown.Running, Standby: shown.Standby, Paused: shown.Paused,
	}
	var print strings.Builder
	heard := r.heard()
	fmt.Fprintf(&print, "%p %q %q %v %v %q %q %q %q %q ", s, r.faders.currentScene(), shown.Standby, shown.Loaded, shown.Paused, shown.Last, shown.Events, heard.Device, heard.Sink, heard.Lost)
	for _, c := range shown.List {
		fmt.Fprintf(&print, "%v ", c.Trim)
	}
	for _, name := range buses(s) {
		b := r.bus(name)
		l.Buses = append(l.Buses, BusLevel{name, b.Peak, b.Reduction})
		fmt.Fprintf(&print, "%v %v %v %v ", b.Gain, b.Mute, b.Solo, b.Effects)
	}
	return l, print.String()
}

// level converts x, a linear amplitude with full scale 1, to dB, rounded to tenths, at least -120 dB (silence).
func level(x float32) float64 {
	return tenth(max(float64(pcm.FromLinear(float64(x))), silence))
}

// same reports whether l can be returned again instead of the newer levels now, because at most Frame and Time differ.
// That requires that in both no voice plays and no cue runs.
func (l *Levels) same(now *Levels) bool {
	return l.Playing == 0 && now.Playing == 0 && l.Stolen == now.Stolen && l.Left == now.Left && l.Right == now.Right &&
		slices.Equal(l.Buses, now.Buses) && slices.Equal(l.Voices, now.Voices) && len(l.Running) == 0 && len(now.Running) == 0 &&
		l.Standby == now.Standby && l.Paused == now.Paused
}
