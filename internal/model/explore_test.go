package model

import (
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
)

// move is one step of a run: of the audio side, of the present call, or the first of a call.
type move struct {
	kind   kind // the kind of the call that begins
	caller uint8
	audio  bool
	way    uint8 // selects one of several possible steps
}

// node is a visited state, for the path to it.
type node struct {
	parent int32
	move   move
}

// explorer visits all states within a number of calls, breadth first by calls.
type explorer struct {
	config
	seeds  [2]maphash.Seed
	met    prints
	stales bool // old handles remain usable
	nodes  []node
	steps  int
	after  state // of the present move; a field, so that no move allocates
}

type frontier struct {
	state state
	node  int32
}

// result is the result of a run.
type result struct {
	states, steps int
	calls         int    // limit of the calls
	bad           string // violated invariant; empty: no violation
	trace         []string
	closed        bool // further calls lead to no new state
}

func newExplorer(c config) *explorer {
	return &explorer{
		config: c, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		stales: c.fault != sound || slices.Contains(c.calls, fade) || slices.Contains(c.calls, stopLater),
	}
}

func explore(c config, depth int) result {
	x := newExplorer(c)
	start := first(c)
	x.nodes = append(x.nodes, node{parent: -1})
	x.met.add(x.print(&start))
	here := []frontier{{start, 0}}
	for calls := 0; ; calls++ {
		var next []frontier // after another call
		for len(here) > 0 {
			f := here[len(here)-1]
			here = here[:len(here)-1]
			try := func(to *[]frontier, mv move) string {
				x.after = f.state
				m := machine{config: c, state: &x.after}
				x.steps++
				if !m.apply(mv) && m.bad == "" {
					return ""
				}
				if m.bad == "" && !x.met.add(x.print(&x.after)) {
					return ""
				}
				x.nodes = append(x.nodes, node{f.node, mv})
				*to = append(*to, frontier{x.after, int32(len(x.nodes) - 1)})
				return m.bad
			}
			bad := x.moves(&f.state, calls < depth, func(mv move) string {
				if mv.kind != none {
					return try(&next, mv)
				}
				return try(&here, mv)
			})
			if bad != "" {
				return result{states: x.met.n, steps: x.steps, calls: calls, bad: bad, trace: x.trace(int32(len(x.nodes) - 1))}
			}
		}
		if len(next) == 0 {
			return result{states: x.met.n, steps: x.steps, calls: calls, closed: calls < depth}
		}
		here = next
	}
}

// moves tries all relevant moves until one violates an invariant.
//
// If the next step of one side is independent of all steps that the other side can take before it, their
// order does not matter, and only this step is taken. No cycle consists of such steps alone: each block has a
// dependent one.
func (x *explorer) moves(s *state, calls bool, try func(move) string) (bad string) {
	m := machine{config: x.config, state: s}
	if !x.whole && s.call.kind != none && m.aloneCall() {
		return try(move{})
	}
	for way := range uint8(m.ways()) {
		if bad = try(move{audio: true, way: way}); bad != "" {
			return bad
		}
	}
	if !x.whole && m.alone() {
		return ""
	}
	if s.call.kind != none {
		return try(move{})
	}
	if !calls {
		return ""
	}
	for _, k := range x.calls {
		for caller := range uint8(callers) {
			if !distinct(s, k, caller) {
				continue
			}
			ways := uint8(1)
			if k == play || k == playLater {
				ways = uint8(x.pool)
			}
			for way := range ways {
				if bad = try(move{kind: k, caller: caller, way: way}); bad != "" {
					return bad
				}
			}
		}
	}
	return ""
}

// alone reports whether the next step of the audio side is independent.
func (m *machine) alone() bool {
	a := &m.audio
	switch a.pc {
	case receive:
		return m.nring > 0 // sent commands come after it
	case arrive:
		i := m.next()
		if i < 0 {
			return true
		}
		c := &m.queue[i]
		if c.kind != play {
			return true // depends only on handles, which are never reused
		}
		r := m.record(c.h)
		return !r.later // matters for a StopAll
	case moveClear, moveRead, leaveDirty, finishState:
		return !m.reached(m.records[a.rec].id)
	case scanCheck, allSweep, mix, mixed:
		return true
	}
	return false
}

// reached reports whether a caller can still make a call with a handle.
func (m *machine) reached(h handle) bool {
	if m.call.h == h {
		return true
	}
	for _, held := range m.held {
		if held == h {
			return true
		}
	}
	return false
}

// aloneCall is alone for the next step of the present call.
func (m *machine) aloneCall() bool {
	switch r := m.record(max(m.call.h, 1)); m.call.kind {
	case play, playLater:
		return m.call.step == 1 && r.stop == 0 && !m.wanted(r)
	case set:
		return (m.call.step == 3 || m.call.step == 4) && !m.wanted(r)
	}
	return false
}

// wanted reports whether the audio side may read the pending set of a record.
func (m *machine) wanted(r *record) bool {
	moving := m.audio.pc >= moveClear && m.audio.pc <= leaveWait && &m.records[m.audio.rec] == r
	return r.dirty || r.after || moving || m.under(set, r.id)
}

// distinct reports whether a call of this caller differs from the calls of earlier callers. Callers differ
// only in their handles.
func distinct(s *state, k kind, caller uint8) bool {
	if k == stopAll {
		return caller == 0
	}
	for c := range caller {
		if s.held[c] == s.held[caller] {
			return false
		}
	}
	return true
}

// apply does one move, and reports whether the run can continue.
func (m *machine) apply(mv move) bool {
	switch {
	case mv.audio:
		return m.step(int(mv.way))
	case mv.kind != none:
		return m.begin(mv.kind, int(mv.caller), int(mv.way))
	}
	m.control()
	return true
}

// trace describes the path to a node.
func (x *explorer) trace(n int32) []string {
	var moves []move
	for ; n > 0; n = x.nodes[n].parent {
		moves = append(moves, x.nodes[n].move)
	}
	s := first(x.config)
	m := machine{config: x.config, state: &s}
	var lines []string
	for i := len(moves) - 1; i >= 0; i-- {
		mv := moves[i]
		var line strings.Builder
		switch {
		case mv.audio:
			fmt.Fprintf(&line, "audio side %s", pcNames[s.audio.pc])
			if mv.way > 0 {
				fmt.Fprintf(&line, ", way %d", mv.way)
			}
		case mv.kind != none:
			fmt.Fprintf(&line, "caller %d begins %s of %d", mv.caller, kindNames[mv.kind], s.held[mv.caller])
		default:
			fmt.Fprintf(&line, "  %s of %d, step %d", kindNames[s.call.kind], s.call.h, s.call.step+1)
		}
		m.apply(mv)
		lines = append(lines, line.String())
	}
	return lines
}
