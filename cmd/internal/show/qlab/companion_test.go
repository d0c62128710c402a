package qlab

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// keys lists the values that Companion's module requests of a cue.
const keys = `["number","uniqueID","listName","type","mode","isPaused","duration","actionElapsed", "preWait", "postWait","parent",` +
	`"flagged","notes","autoLoad","colorName","isRunning","isAuditioning","isLoaded","armed",` +
	`"isBroken","continueMode","percentActionElapsed","cartPosition","infiniteLoop","holdLastFrame"]`

// replay plays a dialogue, optionally up to a given line, and checks every answer.
func replay(t *testing.T, file, until string, r *remote) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	filled := regexp.MustCompile(`\{(W|L|1|2|2\.5|3|Q4)\}`).ReplaceAllStringFunc(string(text), func(name string) string {
		switch name = name[1 : len(name)-1]; name {
		case "W":
			return workspaceID("main")
		case "L":
			return listID("main")
		}
		return cueID("main", name)
	})
	asked := 0
	for i, line := range strings.Split(filled, "\n") {
		if line == until && line != "" {
			break
		}
		if line == "" || line[0] == '#' {
			continue
		}
		kind, rest, _ := strings.Cut(line, " ")
		switch kind {
		case ">":
			address, args := spoken(t, rest)
			r.say(address, args...)
			asked++
		case "<":
			word := strings.SplitN(rest, " ", 3)
			m, a := r.heard()
			if m.Address != "/reply"+word[0] || a.Address != word[0] || a.Status != word[1] {
				t.Fatalf("%s:%d: %s: %v", file, i+1, m.Address, a)
			}
			if _, some := r.next(); some {
				t.Fatalf("%s:%d: one message has two answers", file, i+1)
			}
			if a.Workspace != workspaceID("main") && !strings.Contains(word[0], "/0/") {
				t.Errorf("%s:%d: the workspace is %q", file, i+1, a.Workspace)
			}
			if len(word) < 3 {
				if a.Data != nil {
					t.Errorf("%s:%d: it has %v", file, i+1, a.Data)
				}
				continue
			}
			var want any
			if err := json.Unmarshal([]byte(anything.ReplaceAllString(word[2], `"*"`)), &want); err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
			if err := within(want, a.Data); err != nil {
				t.Errorf("%s:%d: %v\nin %v", file, i+1, err, a.Data)
			}
		case "~":
			if address, id, some := strings.Cut(rest, "/playbackPosition "); some {
				r.told(address+"/playbackPosition", id)
			} else {
				r.told(rest)
			}
		}
	}
	if asked < 20 {
		t.Errorf("%s: %d messages are too few to be all", file, asked)
	}
}

// anything matches the placeholder for any value.
var anything = regexp.MustCompile(`\*`)

// next returns an answer that has already arrived.
func (r *remote) next() (string, bool) {
	select {
	case m := <-r.replies:
		return m.Address, true
	default:
		return "", false
	}
}

// spoken parses a message: an address, and arguments as i:1, f:0.5, s:text or @keys.
func spoken(t *testing.T, text string) (address string, args []any) {
	t.Helper()
	words := strings.Fields(text)
	for _, w := range words[1:] {
		kind, value, _ := strings.Cut(w, ":")
		x, err := strconv.ParseFloat(value, 32)
		switch {
		case w == "@keys":
			args = append(args, keys)
		case kind == "s":
			args = append(args, value)
		case kind == "i" && err == nil:
			args = append(args, int32(x))
		case kind == "f" && err == nil:
			args = append(args, float32(x))
		default:
			t.Fatalf("%q is no argument", w)
		}
	}
	return words[0], args
}

// within returns an error if got lacks a wanted value or has another value.
func within(want, got any) error {
	switch want := want.(type) {
	case string:
		if want == "*" && got != nil {
			return nil
		}
	case map[string]any:
		at, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%v is no object", got)
		}
		for key, value := range want {
			if err := within(value, at[key]); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
		return nil
	case []any:
		at, ok := got.([]any)
		if !ok || len(at) != len(want) {
			return fmt.Errorf("%v has not the length of %v", got, want)
		}
		for i := range want {
			if err := within(want[i], at[i]); err != nil {
				return fmt.Errorf("%d: %w", i, err)
			}
		}
		return nil
	}
	if want != got {
		return fmt.Errorf("%v came, want %v", got, want)
	}
	return nil
}

// guarded returns options of a room with two passcodes.
func guarded(r Room) Options {
	o := one(r)
	o.Check = func(passcode string, rooms []string, from netip.Addr) Role {
		switch {
		case !slices.Contains(rooms, "main") || !from.IsLoopback():
			return None
		case passcode == "1234":
			return Operate
		case passcode == "5678":
			return Read
		}
		return None
	}
	return o
}

// TestCompanion replays Companion's messages over TCP and UDP and checks the answers that its module expects.
func TestCompanion(t *testing.T) {
	t.Run("tcp", func(t *testing.T) {
		replay(t, "testdata/companion.txt", "", overTCP(t, serve(t, one(newFake(t, sheet)))))
	})
	t.Run("udp", func(t *testing.T) {
		r, _ := overUDP(t, one(newFake(t, sheet)))
		replay(t, "testdata/companion.txt", "", r)
	})
	t.Run("tcp with a passcode", func(t *testing.T) {
		replay(t, "testdata/companion-passcode.txt", "", overTCP(t, serve(t, guarded(newFake(t, sheet)))))
	})
	t.Run("udp with a passcode", func(t *testing.T) {
		r, _ := overUDP(t, guarded(newFake(t, sheet)))
		replay(t, "testdata/companion-passcode.txt", "", r)
	})
}

// TestKeys checks that each value requested by Companion is present and has the type that its module assumes.
func TestKeys(t *testing.T) {
	r := overTCP(t, serve(t, one(newFake(t, sheet))))
	var asked []string
	if err := json.Unmarshal([]byte(keys), &asked); err != nil {
		t.Fatal(err)
	}
	texts := map[string]bool{"number": true, "uniqueID": true, "listName": true, "type": true, "colorName": true, "parent": true, "notes": true}
	for _, id := range []string{listID("main"), cueID("main", "1"), cueID("main", "3")} {
		got := r.ask("/cue_id/"+id+"/valuesForKeys", keys).Data.(map[string]any)
		if len(got) != len(asked) {
			t.Errorf("%d values for %d keys", len(got), len(asked))
		}
		for _, key := range asked {
			if _, text := got[key].(string); got[key] == nil || text != texts[key] {
				t.Errorf("%s of %s is %v", key, id, got[key])
			}
		}
	}
}
