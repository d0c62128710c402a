package cluster

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"voicepool/cmd/internal/cluster/placement"
)

// TestOracle checks that the oracle accepts valid histories and rejects invalid ones.
func TestOracle(t *testing.T) {
	node := func(name, life string, stand placement.NodeState, beat int64) string {
		text, _ := json.Marshal(placement.NodeRecord{Node: name, Life: life, State: stand, Beat: beat})
		return string(text)
	}
	room := func(r placement.RoomRecord) string {
		r.Room = "r"
		text, _ := json.Marshal(r)
		return string(text)
	}
	type step struct {
		by, key, value string
		after          time.Duration // since the previous step
	}
	lives := []step{{"a", "node.a", node("a", "A", placement.Up, 1), 0}, {"b", "node.b", node("b", "B", placement.Up, 1), 0}}
	placed := slices.Clip(append(lives, step{"a", "room.r", room(placement.RoomRecord{Node: "a", Life: "A", Epoch: 1}), 0}))
	gone := step{"b", "node.a", node("a", "A", placement.Gone, 1), 3751 * time.Millisecond}
	next := room(placement.RoomRecord{Node: "a", Life: "A", Epoch: 1, Next: "B"})
	ready := room(placement.RoomRecord{Node: "a", Life: "A", Epoch: 1, Next: "B", Ready: true})
	handed := room(placement.RoomRecord{Node: "b", Life: "B", Epoch: 2, From: "A"})
	taken := step{"b", "room.r", room(placement.RoomRecord{Node: "b", Life: "B", Epoch: 2}), 0}
	for _, c := range []struct {
		says  string // the expected complaint; empty: the history is valid
		steps []step
	}{
		{"", append(placed, gone, taken)},
		{"", append(placed, step{"a", "room.r", next, 0}, step{"b", "room.r", ready, 0}, step{"a", "room.r", handed, 0})},
		{"whose life A lasts", append(placed, taken)},
		{"it is buried 3.7s", append(placed, step{gone.by, gone.key, gone.value, 3700 * time.Millisecond})},
		{"renewed after its burial", append(placed, gone, step{"a", "node.a", node("a", "A", placement.Up, 2), 0})},
		{"a life begins while", append(lives, step{"a", "node.a", node("a", "C", placement.Up, 1), 0})},
		{"begins again", append(lives, gone, step{"a", "node.a", node("a", "C", placement.Up, 1), 0}, step{"b", "node.a", node("a", "C", placement.Gone, 1), 4 * time.Second}, step{"a", "node.a", node("a", "A", placement.Up, 9), 0})},
		{"changed its record", append(lives, step{"b", "node.a", node("a", "A", placement.Up, 2), 0})},
		{"before the next one is ready", append(placed, step{"a", "room.r", next, 0}, step{"a", "room.r", handed, 0})},
		{"somebody else has changed it", append(placed, step{"b", "room.r", next, 0})},
		{"does not rise by one", append(placed, gone, step{"b", "room.r", room(placement.RoomRecord{Node: "b", Life: "B", Epoch: 3}), 0})},
		{"had the room before", append(placed, step{"a", "state.r", `{"epoch":2}`, 0}, step{"b", "state.r", `{"epoch":1}`, 0})},
		{"removes it from a", append(placed, step{"b", "room.r", "", 0})},
	} {
		j := &journal{}
		var all []written
		last, now := map[string]uint64{}, time.Hour
		for i, s := range c.steps {
			now += s.after
			w := &write{who: s.by, key: s.key, value: []byte(s.value), given: last[s.key], deletes: s.value == "", called: now, answered: now + 1, outcome: done, revision: uint64(i + 1)}
			j.all = append(j.all, w)
			all = append(all, written{revision: w.revision, key: s.key, value: w.value, deletes: w.deletes, behind: w.given})
			last[s.key] = w.revision
		}
		if wrong := j.match(all); len(wrong) > 0 {
			t.Fatal(wrong)
		}
		wrong := strings.Join(check(all).wrong, "\n")
		if (wrong == "") != (c.says == "") || !strings.Contains(wrong, c.says) {
			t.Errorf("it says %q, want %q", wrong, c.says)
		}
		if !porcupine.CheckOperations(table, j.operations()) {
			t.Errorf("%q: porcupine takes it for impossible", c.says)
		}
		twice := *j.all[len(j.all)-1]
		twice.revision++
		j.all = append(j.all, &twice)
		if porcupine.CheckOperations(table, j.operations()) {
			t.Errorf("%q: porcupine takes two writes behind one revision", c.says)
		}
		if len(j.match(all)) == 0 {
			t.Errorf("%q: a write that is not there is taken for done", c.says)
		}
	}
}
