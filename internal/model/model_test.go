package model

import (
	"flag"
	"maps"
	"strings"
	"testing"

	"voicepool/internal/longtest"
)

var deep = flag.Bool("deep", false, "go through a larger scope, which takes minutes")

// TestNothingIsLost explores all interleavings of the calls of three callers, up to a number of calls. One
// more record than voices lets a start steal a victim. A ring of one command is full at once, so that the
// words of the records are used; in a longer ring commands wait for each other.
func TestNothingIsLost(t *testing.T) {
	for _, c := range []struct {
		voices, pool, commands int
		short, usual, deep     int // calls
		calls                  []kind
	}{
		{voices: 3, pool: 4, commands: 1, short: 3, usual: 4, deep: 6, calls: []kind{play, stop, set, stopAll}},
		{voices: 3, pool: 4, commands: 2, short: 2, usual: 3, deep: 5, calls: []kind{play, stop, set, stopAll}},
		{voices: 3, pool: 4, commands: 2, short: 2, usual: 3, deep: 4, calls: []kind{play, playLater, stop, stopLater, set, fade}},
		{voices: 3, pool: 4, commands: 1, short: 4, usual: 8, deep: 10, calls: []kind{play, stopAll}},
		{voices: 1, pool: 2, commands: 1, short: 4, usual: 8, deep: 12, calls: []kind{play, stop, stopAll}},
		{voices: 1, pool: 2, commands: 1, short: 4, usual: 8, deep: 10, calls: []kind{play, set}},
		{voices: 1, pool: 2, commands: 2, short: 4, usual: 6, deep: 8, calls: []kind{play, set, fade}},
		{voices: 1, pool: 2, commands: 6, short: 4, usual: 6, deep: 8, calls: []kind{playLater, set, fade}},
		{voices: 1, pool: 2, commands: 2, short: 3, usual: 5, deep: 8, calls: []kind{play, stop, set, stopAll}},
		{voices: 1, pool: 2, commands: 2, short: 2, usual: 3, deep: 6, calls: []kind{play, playLater, stop, stopLater, set, fade, stopAll}},
	} {
		depth := c.usual
		if !longtest.Enabled() {
			depth = c.short
		}
		if *deep {
			depth = c.deep
		}
		r := explore(config{voices: c.voices, pool: c.pool, commands: c.commands, calls: c.calls}, depth)
		names := make([]string, len(c.calls))
		for i, k := range c.calls {
			names[i] = kindNames[k]
		}
		t.Logf("voices %d, records %d, a ring of %d, %d calls of %s: %d states, %d steps; closed %v",
			c.voices, c.pool, c.commands, r.calls, strings.Join(names, ", "), r.states, r.steps, r.closed)
		if r.bad != "" {
			t.Errorf("%s, by\n%s", r.bad, strings.Join(r.trace, "\n"))
		}
	}
}

// TestFaults checks that each fault in the protocol is found.
func TestFaults(t *testing.T) {
	for f := sound + 1; f < numFaults; f++ {
		c := faults[f]
		r := explore(config{voices: 1, pool: 2, commands: c.commands, calls: c.calls, fault: f}, 8)
		if r.bad == "" {
			t.Errorf("%s is not found within %d calls, %d states", c.name, r.calls, r.states)
			continue
		}
		t.Logf("%s: %s, after %d calls and %d steps of %d states", c.name, r.bad, r.calls, len(r.trace), r.states)
		if testing.Verbose() && *deep {
			t.Log("by\n" + strings.Join(r.trace, "\n"))
		}
	}
}

// TestWhole explores without the reduction to independent steps and must find the same faults.
func TestWhole(t *testing.T) {
	for f := range numFaults {
		calls, commands, depth := faults[f].calls, faults[f].commands, 8
		if f == sound {
			calls, commands, depth = []kind{play, playLater, stop, stopLater, set, fade, stopAll}, 1, 3
		}
		if f != sound && !longtest.Enabled() {
			continue
		}
		c := config{voices: 1, pool: 2, commands: commands, calls: calls, fault: f}
		less := explore(c, depth)
		c.whole = true
		whole := explore(c, depth)
		if (whole.bad == "") != (f == sound) || (less.bad == "") != (f == sound) || whole.calls != less.calls {
			t.Errorf("%s: %q within %d calls, with steps taken alone %q within %d", faults[f].name, whole.bad, whole.calls, less.bad, less.calls)
		}
		if f == sound && less.states >= whole.states {
			t.Errorf("steps that are taken alone save nothing: %d states of %d", less.states, whole.states)
		}
	}
}

// TestPrints checks that states with equal prints lead to states with equal prints, so that one of them
// represents all.
func TestPrints(t *testing.T) {
	for _, c := range []config{
		{voices: 1, pool: 2, commands: 1, calls: []kind{play, stop, stopAll}},
		{voices: 1, pool: 2, commands: 2, calls: []kind{playLater, stop}},
		{voices: 2, pool: 2, commands: 1, calls: []kind{play, set}},
		{voices: 1, pool: 2, commands: 2, calls: []kind{play, playLater, fade, stopLater}},
	} {
		again := samePrints(t, c, 4)
		if again == 0 {
			t.Errorf("%v: no state is met twice", c)
		}
	}
}

// samePrints explores states up to a number of commands, and returns how many of them had the print of
// another state.
func samePrints(t *testing.T, c config, commands uint8) (again int) {
	x := newExplorer(c)
	type deed struct {
		to  print
		bad string
	}
	type visit struct {
		calls bool // further calls were explored
		to    map[deed]bool
	}
	follow := func(s *state, each func(*state)) visit {
		all := visit{s.seq < commands, map[deed]bool{}}
		for i := range c.pool { // starts that found the ring full have no number
			all.calls = all.calls && s.records[i].id.generation() < 2*int(commands)
		}
		x.moves(s, all.calls, func(mv move) string {
			next := *s
			if m := (machine{config: c, state: &next}); m.apply(mv) || m.bad != "" {
				all.to[deed{x.print(&next), m.bad}] = true
				each(&next)
			}
			return ""
		})
		return all
	}
	met := map[print]visit{}
	exact := map[state]bool{}
	for todo := []state{first(c)}; len(todo) > 0 && len(met) < 20000; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if exact[s] {
			continue
		}
		exact[s] = true
		p := x.print(&s)
		old, ok := met[p]
		if !ok {
			met[p] = follow(&s, func(next *state) { todo = append(todo, *next) })
			continue
		}
		again++
		if now := follow(&s, func(*state) {}); now.calls == old.calls && !maps.Equal(old.to, now.to) {
			t.Fatalf("two states with one print lead to %d and %d others; one is %+v", len(old.to), len(now.to), s)
		}
	}
	return again
}
