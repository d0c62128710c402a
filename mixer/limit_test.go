package mixer_test

import (
	"cmp"
	"fmt"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
)

// TestLimitByHand plays four starts of a group that is limited to two voices, in total or per owner.
func TestLimitByHand(t *testing.T) {
	for _, c := range []struct {
		name   string
		voices int // of the pool
		group  mixer.GroupOptions
		gains  [4]pcm.Decibels
		owners [4]uint64
		want   string
	}{
		{name: "quietest", group: mixer.GroupOptions{}, gains: [4]pcm.Decibels{-10, -20, 0, -5},
			want: "0 started 1, 1 started 2, 2 stolen 2 by 3 (limit), 2 started 3, 3 stolen 1 by 4 (limit), 3 started 4"},
		{name: "oldest", group: mixer.GroupOptions{Full: mixer.StealOldest}, gains: [4]pcm.Decibels{0, -20, -30, -5},
			want: "0 started 1, 1 started 2, 2 stolen 1 by 3 (limit), 2 started 3, 3 stolen 2 by 4 (limit), 3 started 4"},
		{name: "reject", group: mixer.GroupOptions{Full: mixer.Reject}, gains: [4]pcm.Decibels{-30, -20, 0, 0},
			want: "0 started 1, 1 started 2, 2 limited (limit), 3 limited (limit)"},
		{name: "per owner", group: mixer.GroupOptions{PerOwner: true}, owners: [4]uint64{7, 8, 8, 8}, gains: [4]pcm.Decibels{-40, -10, -20, 0},
			want: "0 started 1, 1 started 2, 2 started 3, 3 stolen 3 by 4 (limit), 3 started 4"},
		{name: "the oldest of an owner", group: mixer.GroupOptions{PerOwner: true, Full: mixer.StealOldest}, owners: [4]uint64{7, 8, 8, 8},
			want: "0 started 1, 1 started 2, 2 started 3, 3 stolen 2 by 4 (limit), 3 started 4"},
		{name: "those without an owner are together", group: mixer.GroupOptions{PerOwner: true, Full: mixer.Reject}, owners: [4]uint64{0, 0, 0, 7},
			want: "0 started 1, 1 started 2, 2 limited (limit), 3 started 3"},
		{name: "its like keeps its slot", voices: 1, group: mixer.GroupOptions{Full: mixer.Reject}, gains: [4]pcm.Decibels{-80, 0, 0, 0},
			want: "0 started 1, 1 rejected (pool), 2 rejected (pool), 3 rejected (pool)"},
		{name: "another owner is not its like", voices: 1, group: mixer.GroupOptions{PerOwner: true, Full: mixer.Reject}, owners: [4]uint64{1, 2, 2, 3},
			want: "0 started 1, 1 stolen 1 by 2 (pool), 1 started 2, 2 rejected (pool), 3 stolen 2 by 3 (pool), 3 started 3"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMixer(t, mixer.Config{Rate: 1000, Voices: cmp.Or(c.voices, 4), NoLimiter: true})
			c.group.Voices = 2
			g, err := m.NewGroup("g", c.group)
			must(t, err)
			for i := range 4 {
				play(t, m.Engine().At(int64(i)), level(t, 1000, 100, 0.1), mixer.Options{Group: g, Gain: c.gains[i], EngineOptions: mixer.EngineOptions{Owner: c.owners[i]}})
			}
			left(m, 19)
			wantEvents(t, m, c.want)
		})
	}
}

// TestLimitErrors checks that a limit accepts three policies.
func TestLimitErrors(t *testing.T) {
	m := newMixer(t, mixer.Config{})
	for _, full := range []mixer.Overflow{mixer.StealGain, mixer.GrowPool, mixer.StealMasked, 99} {
		_, err := m.NewGroup("g", mixer.GroupOptions{Voices: 1, Full: full})
		want := fmt.Sprintf(`mixer: bad argument: group "g" is full by %v; a limit takes quietest, oldest or reject`, full)
		if fmt.Sprint(err) != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestLimitSaysItsPolicy checks that an event of a limit has the limit's policy instead of the pool's.
func TestLimitSaysItsPolicy(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Overflow: mixer.StealGain, NoLimiter: true})
	s := level(t, 1000, 100, 0.1)
	for _, full := range []mixer.Overflow{mixer.StealQuietest, mixer.StealOldest, mixer.Reject} {
		g, err := m.NewGroup("g", mixer.GroupOptions{Voices: 1, Full: full})
		must(t, err)
		play(t, m.Engine().At(mixer.Now), s, mixer.Options{Group: g})
		play(t, m.Engine().At(mixer.Now), s, mixer.Options{Group: g})
		m.Render(nil)
		events, found := make([]mixer.Event, 9), false
		for _, e := range events[:m.Events(events)] {
			if e.Reason == mixer.ReasonGroupLimit {
				if found = true; e.Steal.Policy != full {
					t.Errorf("%v: the event says %v", full, e.Steal.Policy)
				}
			}
		}
		if !found {
			t.Errorf("%v: no event of the limit", full)
		}
	}
}
