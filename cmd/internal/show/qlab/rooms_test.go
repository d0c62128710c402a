package qlab

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"voicepool/cue"
)

// TestWithoutMain checks that a remote can log in and thump without a room called main.
func TestWithoutMain(t *testing.T) {
	fake := newFake(t, sheet)
	s := serve(t, Options{
		Rooms: func(name string) Room {
			if name == "stage" {
				return fake
			}
			return nil
		},
		Names: func() []string { return []string{"foyer", "stage"} },
		Check: func(passcode string, rooms []string, _ netip.Addr) Role {
			if passcode == "secret" && slices.Contains(rooms, "stage") {
				return Operate
			}
			return None
		},
	})
	r := overTCP(t, s)
	if a := r.ask("/thump"); a.Status != "denied" {
		t.Errorf("a thump without a passcode: %+v", a)
	}
	if a := r.ask("/voicepool/stage/go"); a.Status != "denied" {
		t.Errorf("a GO without a passcode: %+v", a)
	}
	if a := r.ask("/connect", "secret"); a.Data != "ok:view|control" {
		t.Errorf("/connect: %+v", a)
	}
	if a := r.ask("/thump"); a.Data != "thump" {
		t.Errorf("a thump: %+v", a)
	}
	if a := r.ask("/voicepool/stage/go"); a.Status != "ok" {
		t.Errorf("a GO: %+v", a)
	}
	if a := r.ask("/workspace/" + workspaceID("stage") + "/thump"); a.Data != "thump" {
		t.Errorf("a room by its id: %+v", a)
	}
}

// TestIdsOfRooms checks that an id finds its room while other rooms are added and removed, and that the cache
// of ids stays bounded.
func TestIdsOfRooms(t *testing.T) {
	fake, names := newFake(t, sheet), []string{}
	s := New(Options{Rooms: func(name string) Room {
		for _, one := range names {
			if one == name {
				return fake
			}
		}
		return nil
	}, Names: func() []string { return names }})
	c := &call{client: &client{server: s}}
	for round := range 4 {
		names = names[:0]
		for i := range 50 {
			names = append(names, fmt.Sprintf("room%d-%d", round, i))
		}
		for _, name := range names {
			if got := c.workspace(workspaceID(name)); got != name {
				t.Fatalf("%s is found as %s", name, got)
			}
		}
		if got := c.workspace("room0-0"); got != "room0-0" {
			t.Errorf("a name becomes %s", got)
		}
		if len(s.ids) > 3*len(names) {
			t.Errorf("%d ids are kept of %d rooms", len(s.ids), len(names))
		}
	}
}

// TestLanesAreBounded checks that waiting packets use bounded memory for all senders together.
func TestLanesAreBounded(t *testing.T) {
	s := New(Options{})
	s.queued = maxBytes - 10
	s.queue(netip.MustParseAddrPort("127.0.0.1:9"), queuedPacket{[]*cue.Message{{Address: "/thump"}}, 11})
	if s.counters.Slow.Load() != 1 || len(s.senderQueues) != 0 {
		t.Errorf("%d are dropped, %d lanes", s.counters.Slow.Load(), len(s.senderQueues))
	}
}
