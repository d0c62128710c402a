package qlab

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"voicepool/cmd/internal/show/osc"
	"voicepool/cmd/internal/show/showrun"
	"voicepool/cue"
)

// valued lists the addresses that act and take values, which a button cannot send.
var valued = []string{
	"/voicepool/main/standby", "/voicepool/main/play", "/voicepool/main/set", "/voicepool/main/stop", "/voicepool/main/scene", "/voicepool/main/bus",
	"/panicInTime", "/playhead", "/select", "/select_id", "/cue/1/loadAt", "/cue/1/panicInTime",
}

// buttons returns all addresses that act and take no value, from the tables of methods.
func buttons() []string {
	all := []string{"/playhead/next", "/playhead/previous", "/playhead/3", "/select/2", "/workspace/main/go", "/cue/active/stop", "/cue/selected/start"}
	add := func(before string, names []string) {
		for _, name := range names {
			if !slices.Contains(valued, before+name) {
				all = append(all, before+name)
			}
		}
	}
	acting := func(methods map[string]method) (names []string) {
		for name, m := range methods {
			if m.needs == Operate {
				names = append(names, name)
			}
		}
		return names
	}
	add("/voicepool/main/", acting(roomMethods))
	add("/", acting(workspaceMethods))
	add("/cue/1/", slices.Collect(maps.Keys(commands)))
	slices.Sort(all)
	return all
}

// TestButtons checks that a button's press acts once and its release does not act, in each form that remotes
// send. Any other number is rejected with an answer that shows how to send a cue number.
func TestButtons(t *testing.T) {
	presses := [][]any{{int32(1)}, {int64(1)}, {float32(1)}, {float64(1)}, {true}, {osc.Impulse{}}}
	releases := [][]any{{int32(0)}, {int64(0)}, {float32(0)}, {float64(0)}, {float32(math.Copysign(0, -1))}, {false}}
	others := [][]any{{int32(5)}, {int32(-1)}, {int64(1 << 40)}, {float32(0.5)}, {float64(2.5)}, {math.NaN()}, {math.Inf(1)}, {nil}, {[]byte{1}}, {int32(1), int32(1)}}

	// did returns the orders that a message causes in a room with one running cue and another on standby.
	parts := newFake(t, sheet)
	did := func(address string, args ...any) (asked string, a answer) {
		p := &player{mixer: parts.mixer, sheet: parts.sheet}
		f := &fake{player: p, show: showrun.New(p.sheet, p, showrun.Options{}), done: parts.done}
		if err := f.show.Go(""); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ToLower(address), "resume") {
			f.show.Pause(true)
		}
		f.take()
		before := f.show.State().Standby
		s := New(one(f))
		c := &client{server: s, mayAnswer: true, budget: 1 << 20}
		one := call{client: c, args: args}
		_, err := one.route(strings.Split(address[1:], "/"))
		a.Status = "ok"
		if err != nil {
			a = answer{Status: "error", Data: errorMessage(err)}
		}
		asked = f.take()
		if now := f.show.State().Standby; now != before {
			asked += " standby " + now
		}
		return asked, a
	}
	all := buttons()
	if len(all) < 30 {
		t.Fatalf("only %d addresses act: %v", len(all), all)
	}
	for _, address := range all {
		want, bare := did(address)
		for _, args := range presses {
			if asked, a := did(address, args...); asked != want || a != bare {
				t.Errorf("%s %#v does %q, %v; without an argument %q, %v", address, args, asked, a, want, bare)
			}
		}
		for _, args := range releases {
			if asked, a := did(address, args...); asked != "" || a.Status != "ok" {
				t.Errorf("%s %#v, a release, does %q, %v", address, args, asked, a)
			}
		}
		for _, args := range others {
			if asked, a := did(address, args...); asked != "" || a.Status != "error" {
				t.Errorf("%s %#v does %q, %v", address, args, asked, a)
			}
		}
		if strings.HasSuffix(address, "/go") && !strings.HasPrefix(address, "/cue/") {
			continue // a text is a cue number
		}
		for _, text := range []string{"1", "0", "true"} {
			if asked, a := did(address, text); asked != "" || a.Status != "error" || !strings.Contains(a.Data.(string), "it takes no text") {
				t.Errorf("%s %q does %q, %v", address, text, asked, a)
			}
		}
	}
	for _, address := range []string{"/go", "/voicepool/main/go"} {
		if _, a := did(address, float32(5)); !strings.Contains(a.Data.(string), `"5"`) {
			t.Errorf("%s 5.0 is answered with %v, which does not show the text form", address, a.Data)
		}
	}
}

// TestEveryTypeIsAnswered sends arguments of each OSC type and of undefined types. Each is accepted or rejected
// with an answer, and a rejected message has no effect.
func TestEveryTypeIsAnswered(t *testing.T) {
	f := newFake(t, sheet)
	r := overTCP(t, serve(t, one(f)))
	for letter := byte(' ' + 1); letter <= '~'; letter++ {
		types := string(letter)
		if letter == '[' {
			types = "[im]"
		} else if letter == ']' {
			continue // it only ends an array
		}
		for _, address := range []string{"/go", "/pause", "/voicepool/main/next", "/voicepool/main/play", "/voicepool/main/bus/music/mute", "/version", "/connect", "/cue/1/start"} {
			text := ",s" + types
			if address != "/voicepool/main/play" {
				text = "," + types
			}
			packet := osc.Append(nil, &cue.Message{Address: address})
			packet = append(packet[:len(packet)-4], pad(text)...)
			if text[1] == 's' && len(text) > 2 {
				packet = append(packet, pad("coin")...)
			}
			switch letter {
			case 'i', 'f', 'c', 'r', 'm', 's', 'S', 'b':
				packet = append(packet, 0, 0, 0, 0)
			case 'h', 'd', 't', '[':
				packet = append(packet, 0, 0, 0, 0, 0, 0, 0, 0)
			}
			r.send(packet)
			m, a := r.heard()
			if m.Address != "/reply"+address {
				t.Fatalf("%s %s is answered with %s", address, types, m.Address)
			}
			asked := f.take()
			if defined := strings.IndexByte("ifsbhtdScrmTFNI[", letter) >= 0; !defined && (a.Status != "error" || !strings.Contains(a.Data.(string), "does not define")) {
				t.Errorf("%s %s: %v", address, types, a)
			}
			if a.Status != "ok" && asked != "" {
				t.Errorf("%s %s: %v, and it does %q", address, types, a, asked)
			}
			if a.Status == "error" && strings.Contains(a.Data.(string), "another type") {
				t.Errorf("%s %s: %v does not name the type", address, types, a)
			}
		}
	}
}

// pad returns a text in the encoding of OSC.
func pad(text string) []byte { return append([]byte(text), make([]byte, 4-len(text)%4)...) }

// TestGoByText checks that a text is a cue number, including "1" and "0".
func TestGoByText(t *testing.T) {
	for _, address := range []string{"/go", "/voicepool/main/go"} {
		for text, want := range map[string]string{"1": "fire 1", "2.50": "fire 2.5", "Q4": "fire Q4", "0": ""} {
			f := newFake(t, sheet)
			one := call{client: &client{server: New(one(f)), mayAnswer: true}, args: []any{text}}
			_, err := one.route(strings.Split(address[1:], "/"))
			if asked := f.take(); asked != want || (err == nil) != (want != "") {
				t.Errorf("%s %q does %q, %v", address, text, asked, err)
			}
		}
	}
}
