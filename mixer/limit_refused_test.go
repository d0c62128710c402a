package mixer_test

import (
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
)

// TestLimitRefused checks that no voice is stolen for a limit if the pool rejects the start. The slot is
// taken by a loop, another loop is virtual, and the third start is at a limit.
func TestLimitRefused(t *testing.T) {
	type o = mixer.Options
	for _, c := range []struct {
		name               string
		config             mixer.Config
		group              mixer.Overflow // the policy of its limit
		real, waits, third o
		want               string
	}{
		{name: "by reject, a limit of a group", config: mixer.Config{Overflow: mixer.Reject},
			want: "0 started 1, 1 started 2, 1 virtual 2 (pool), 2 rejected (pool)"},
		{name: "the oldest of a group", config: mixer.Config{Overflow: mixer.Reject}, group: mixer.StealOldest,
			want: "0 started 1, 1 started 2, 1 virtual 2 (pool), 2 rejected (pool)"},
		{name: "a protected one", real: o{EngineOptions: mixer.EngineOptions{Protect: true}},
			want: "0 started 1, 1 started 2, 1 virtual 2 (protected), 2 rejected (protected)"},
		{name: "of a bus, a protected one", real: o{EngineOptions: mixer.EngineOptions{Protect: true}},
			config: mixer.Config{Buses: []mixer.BusConfig{{Name: "b", Voices: 1}}},
			want:   "0 started 1, 1 started 2, 1 virtual 2 (protected), 2 rejected (protected)"},
		{name: "a higher priority", real: o{Priority: 2}, waits: o{Priority: 1}, third: o{Priority: 1},
			want: "0 started 1, 1 started 2, 1 virtual 2 (priority), 2 rejected (priority)"},
		{name: "louder ones", config: mixer.Config{RejectQuietest: true}, waits: o{Gain: -70}, third: o{Gain: -60},
			want: "0 started 1, 1 started 2, 1 virtual 2 (quieter), 2 rejected (quieter)"},
		{name: "it goes on unheard", config: mixer.Config{Overflow: mixer.Reject}, third: o{Loop: true},
			want: "0 started 1, 1 started 2, 1 virtual 2 (pool), 2 stolen 2 by 3 (limit), 2 started 3, 2 virtual 3 (pool)"},
		{name: "as a finite one, too", config: mixer.Config{Overflow: mixer.Reject, Virtual: 1},
			want: "0 started 1, 1 started 2, 1 virtual 2 (pool), 2 stolen 2 by 3 (limit), 2 started 3, " +
				"2 virtual 3 (pool), 52 ended 3"},
		{name: "it takes a slot",
			want: "0 started 1, 1 virtual 1 by 2 (pool), 1 started 2, 2 stolen 2 by 3 (limit), 2 started 3, 52 ended 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.config.Rate, c.config.NoLimiter, c.config.Voices = 1000, true, 1
			m := newMixer(t, c.config)
			first := o{Loop: true, EngineOptions: mixer.EngineOptions{Protect: c.real.Protect}, Priority: c.real.Priority}
			c.waits.Loop = true
			if len(c.config.Buses) > 0 {
				c.waits.Bus = busOf(t, m, "b")
				c.third.Bus = c.waits.Bus
			} else {
				g, err := m.NewGroup("g", mixer.GroupOptions{Voices: 1, Full: c.group})
				must(t, err)
				c.waits.Group, c.third.Group = g, g
			}
			s := level(t, 1000, 50, 0.1)
			play(t, m.Engine().At(0), s, first)
			play(t, m.Engine().At(1), s, c.waits)
			play(t, m.Engine().At(2), s, c.third)
			m.Render(make([]pcm.Frame, 60))
			wantEvents(t, m, c.want)
		})
	}
}
