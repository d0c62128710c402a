package bench

import (
	"testing"
	"testing/synctest"
	"time"

	"voicepool/pcm"
)

// sleeper is a source with preset times per block.
type sleeper struct {
	takes []time.Duration
	at    []time.Duration // when they were requested
	begin time.Time
}

func (s *sleeper) Render(dst []pcm.Frame) {
	s.at = append(s.at, time.Since(s.begin))
	time.Sleep(s.takes[0])
	s.takes = s.takes[1:]
}

// TestPace checks blocks of 10 ms. With one block in reserve, 20 ms are enough, and delays are made
// up as fast as possible.
func TestPace(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		takes        []time.Duration
		late, missed int64
		worst        float64
		at           []time.Duration
	}{
		"in time": {
			takes: []time.Duration{0, 9 * ms, 10 * ms, ms}, at: []time.Duration{0, 10 * ms, 20 * ms, 30 * ms},
		},
		"reserve played": {
			takes: []time.Duration{0, 20 * ms, ms, ms}, late: 2, worst: 10,
			at: []time.Duration{0, 10 * ms, 30 * ms, 31 * ms},
		},
		"and again": {
			takes: []time.Duration{15 * ms, 10 * ms, 4 * ms}, late: 2, worst: 5,
			at: []time.Duration{0, 15 * ms, 25 * ms},
		},
		"a gap": {
			takes: []time.Duration{0, 21 * ms, ms, ms}, late: 2, missed: 1, worst: 11,
			at: []time.Duration{0, 10 * ms, 31 * ms, 32 * ms},
		},
		"a long gap": {
			takes: []time.Duration{45 * ms, 0, 0, 0, 0, 0}, late: 4, missed: 3, worst: 35,
			at: []time.Duration{0, 45 * ms, 45 * ms, 45 * ms, 45 * ms, 50 * ms},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &sleeper{takes: c.takes, begin: time.Now()}
				row := pace(s, 1000, 10, int64(len(c.takes)))
				if row.Blocks != int64(len(c.takes)) || row.Late != c.late || row.Missed != c.missed || row.WorstLate != c.worst {
					t.Errorf("%+v, want %d late, %d missed, %v ms at worst", row, c.late, c.missed, c.worst)
				}
				for i, at := range c.at {
					if s.at[i] != at {
						t.Errorf("block %d is asked for at %v, want %v", i, s.at[i], at)
					}
				}
			})
		})
	}
}

// TestRealtime mixes a fifth of a second twice, and checks that the figures are consistent, even on
// a busy machine.
func TestRealtime(t *testing.T) {
	const blocks = 20
	rows, err := Realtime(blocks, func(string, ...any) {})
	if err != nil || len(rows) != 2 || rows[0].Run != "control" || rows[1].Run != "garbage" {
		t.Fatalf("%+v, %v", rows, err)
	}
	for _, r := range rows {
		sum := int64(0)
		for _, n := range r.Shares {
			sum += n
		}
		if r.Blocks != blocks || sum != blocks || r.Late > blocks || r.Missed > r.Late || (r.WorstLate > 0) != (r.Late > 0) || !(r.Mean > 0) || r.Longest < r.Mean {
			t.Errorf("%+v", r)
		}
	}
	if c, g := rows[0], rows[1]; g.Garbage < 0.01 || g.Garbage < 10*c.Garbage || g.Garbage > 3 {
		t.Errorf("garbage: %v GB/s in the control run, %v beside garbage", c.Garbage, g.Garbage)
	}
}
