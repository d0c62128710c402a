package qlab

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"voicepool/cmd/internal/serve/room"
)

// TestOwn checks the order and the answer of each address of the server's own protocol.
func TestOwn(t *testing.T) {
	f := newFake(t, sheet)
	r := overTCP(t, serve(t, one(f)))
	for _, c := range []struct {
		address string
		args    []any
		asks    string
		data    string // as JSON; for an error, a part of it
		status  string // empty for ok
	}{
		{address: "go", asks: "fire 1", data: `{"cue":"1","standby":"2"}`},
		{address: "go", args: []any{"2.50"}, asks: "fire 2.5", data: `{"cue":"2.5","standby":"Q4"}`},
		{address: "go", args: []any{"3"}, status: "error", data: "arm: false"},
		{address: "go", args: []any{"9"}, status: "error", data: `no cue of the list has the number "9"`},
		{address: "go", args: []any{int32(9)}, status: "error", data: `a cue number is sent as a text: "9"`},
		{address: "go", args: []any{"1", "2"}, status: "error", data: "at most 1 argument"},
		{address: "standby", args: []any{int32(2)}, data: "null"},
		{address: "standby", status: "error", data: "argument 1 is missing"},
		{address: "next", data: "null"},
		{address: "back", data: "null"},
		{address: "pause", asks: "hold true", data: "null"},
		{address: "resume", asks: "hold false", data: "null"},
		{address: "stop", args: []any{"all", float32(1)}, asks: "cease 1 1s, cease 2.5 1s", data: "null"},
		{address: "stop", args: []any{int32(17)}, asks: "stop 17 2s", data: `{"voices":[17]}`},
		{address: "stop", args: []any{"rain", "500ms"}, asks: "stop rain 500ms", data: `{"voices":[17]}`},
		{address: "stop", args: []any{float32(0.5)}, data: "null"},
		{address: "stop", args: []any{"rain", "soon"}, status: "error", data: "\"soon\" is not a time"},
		{address: "panic", asks: "panic 1s", data: "null"},
		{address: "panic", args: []any{int32(2)}, status: "error", data: "nor 0, its release"},
		{address: "play", args: []any{"coin"}, asks: "play coin gain=0 pan=0 pitch=0 speed=0 bus= loop= priority=0 id= fade_in=0s from=0s at=",
			data: `{"voice":17,"sound":"coin","frame":0,"state":"playing","slot":0}`},
		{address: "play", args: []any{"coin", "gain", int32(-3), "pan", "0.5", "pitch", float32(2), "speed", 1.5, "bus", "sfx", "loop", true, "priority", int32(2), "id", "b", "fade_in", "1s", "from", float32(0.25), "at", int64(9)},
			asks: "play coin gain=-3 pan=0.5 pitch=2 speed=1.5 bus=sfx loop=true priority=2 id=b fade_in=1s from=250ms at=9s",
			data: `{"voice":17,"sound":"coin","id":"b","frame":0,"state":"playing","slot":0}`},
		{address: "play", args: []any{"coin", "gain", "-6 dB"}, asks: "play coin gain=-6 pan=0 pitch=0 speed=0 bus= loop= priority=0 id= fade_in=0s from=0s at=",
			data: `{"voice":17,"sound":"coin","frame":0,"state":"playing","slot":0}`},
		{address: "play", args: []any{"coin", "importance", "-6 dB"}, asks: "play coin gain=0 pan=0 pitch=0 speed=0 bus= loop= priority=0 importance=-6 id= fade_in=0s from=0s at=",
			data: `{"voice":17,"sound":"coin","frame":0,"state":"playing","slot":0}`},
		{address: "play", args: []any{"coin", "pan", "1dB"}, status: "error", data: `pan: "1dB" is not a number`},
		{address: "bus/music/gain", args: []any{"-6DB"}, asks: "bus music gain=-6 mute=false over=0s", data: `{"bus":"music","gain":-6,"volume":0,"mute":false,"solo":false,"peak":0}`},
		{address: "bus/music/volume", args: []any{"-9dB", float32(0.25)}, asks: "bus music gain=0 mute=false over=250ms volume=-9", data: `{"bus":"music","gain":0,"volume":-9,"mute":false,"solo":false,"peak":0}`},
		{address: "bus/music/lowpass", args: []any{"off"}, asks: "bus music gain=0 mute=false over=0s lowpass=0", data: `{"bus":"music","gain":0,"volume":0,"mute":false,"solo":false,"peak":0}`},
		{address: "play", status: "error", data: "argument 1 is missing"},
		{address: "play", args: []any{"coin", "gian", int32(1)}, status: "error", data: `unknown key "gian"; did you mean "gain"?`},
		{address: "play", args: []any{"coin", "gain"}, status: "error", data: "gain: its value is missing"},
		{address: "play", args: []any{"coin", "gain", int32(1), "gain", int32(1)}, status: "error", data: "gain is given twice"},
		{address: "play", args: []any{"coin", "gain", "loud"}, status: "error", data: `gain: "loud" is not a number of decibels`},
		{address: "play", args: []any{"coin", "gain", "NaN"}, status: "error", data: "not a number"},
		{address: "play", args: []any{"coin", "loop", int32(2)}, status: "error", data: "neither 0 nor 1"},
		{address: "play", args: []any{"coin", "priority", float32(0.5)}, status: "error", data: "whole number"},
		{address: "play", args: []any{[]byte("coin")}, status: "error", data: "argument 1 is a blob, not a text or a number"},
		{address: "set", args: []any{"house", "gain", float32(-6), "over", float32(2), "shape", "db"}, asks: "set house gain=-6 over=2s shape=db", data: `{"voices":[17]}`},
		{address: "set", args: []any{int32(17), "seek", float32(1.5)}, asks: "set 17 seek=1.5s over=0s shape=", data: `{"voices":[17]}`},
		{address: "set", args: []any{"house"}, status: "error", data: "a key or a value is missing"},
		{address: "scene", args: []any{"night", int32(2)}, asks: "scene night 2s", data: "null"},
		{address: "scene", args: []any{"night", int32(2), "at", int32(3)}, asks: "later scene at 3s", data: `{"frame":144000}`},
		{address: "go", args: []any{"at", "1s"}, asks: "later go at 1s", data: `{"frame":48000}`},
		{address: "go", args: []any{"2", "at", "1s"}, asks: "later go at 1s", data: `{"frame":48000}`},
		{address: "panic", args: []any{"at", float32(2)}, asks: "later panic at 2s", data: `{"frame":96000}`},
		{address: "standby", args: []any{"3", "at", "2s"}, asks: "later standby at 2s", data: `{"frame":96000}`},
		{address: "stop", args: []any{"at", "2s"}, asks: "later stop at 2s", data: `{"frame":96000}`},
		{address: "pause", args: []any{"at", "2s"}, asks: "later pause at 2s", data: `{"frame":96000}`},
		{address: "go", args: []any{"at", "soon"}, status: "error", data: "at: "},
		{address: "panic", args: []any{"now", "at", "2s"}, status: "error", data: "it takes no text"},
		{address: "bus/music/gain", args: []any{float32(-6), float32(0.5)}, asks: "bus music gain=-6 mute=false over=500ms", data: `{"bus":"music","gain":-6,"volume":0,"mute":false,"solo":false,"peak":0}`},
		{address: "bus/music/lowpass", args: []any{float32(800), float32(0.5)}, asks: "bus music gain=0 mute=false over=500ms lowpass=800", data: `{"bus":"music","gain":0,"volume":0,"mute":false,"solo":false,"peak":0}`},
		{address: "bus/music/highpass", args: []any{int32(0)}, asks: "bus music gain=0 mute=false over=0s highpass=0", data: `{"bus":"music","gain":0,"volume":0,"mute":false,"solo":false,"peak":0}`},
		{address: "bus/music/highpass", args: []any{int32(0), int32(1), int32(1)}, status: "error", data: "highpass: "},
		{address: "bus/music/mute", args: []any{int32(1)}, asks: "bus music gain=0 mute=true over=0s", data: `{"bus":"music","gain":0,"volume":0,"mute":true,"solo":false,"peak":0}`},
		{address: "bus/music/mute", status: "error", data: "mute: argument 1 is missing"},
		{address: "bus/music", status: "error", data: "unknown address"},
		{address: "bus/music/colour", status: "error", data: "unknown address"},
		{address: "fly", status: "error", data: "unknown address"},
		{address: "go/1", status: "error", data: "unknown address"},
	} {
		a := r.ask("/voicepool/main/"+c.address, c.args...)
		if c.status == "" {
			c.status = "ok"
		}
		var want any
		ok := false
		if c.status == "ok" {
			if err := json.Unmarshal([]byte(c.data), &want); err != nil {
				t.Fatal(err)
			}
			ok = reflect.DeepEqual(a.Data, want)
		} else {
			text, _ := a.Data.(string)
			ok = strings.Contains(text, c.data)
		}
		if asks := f.take(); !ok || a.Status != c.status || asks != c.asks || a.Workspace != workspaceID("main") {
			t.Errorf("%s %v: asked for %q, want %q; answered %v", c.address, c.args, asks, c.asks, a)
		}
	}
	if a := r.ask("/voicepool/other/go"); a.Status != "error" || a.Data != `unknown room "other"` || a.Workspace != "" {
		t.Errorf("a room that there is not: %v", a)
	}
	if a := r.ask("/voicepool/main/state"); a.Data.(map[string]any)["title"] != "show.yaml" {
		t.Errorf("state: %v", a)
	}
}

// TestRefused checks that the answer to a rejected order is the room's error, and that other errors keep their
// details secret.
func TestRefused(t *testing.T) {
	f := newFake(t, sheet)
	r := overTCP(t, serve(t, one(f)))
	for _, c := range []struct {
		err  error
		data string
	}{
		{&room.Error{Kind: room.Refused, Detail: "coin is refused", Reason: "pool full"}, "coin is refused: pool full"},
		{&room.Error{Kind: room.NotFound, Detail: `there is no sound "coin"; the nearest is "bell"`}, `there is no sound "coin"; the nearest is "bell"`},
		{errors.New("/srv/secret: no such file"), "it failed"},
	} {
		f.fails = c.err
		if a := r.ask("/voicepool/main/play", "coin"); a.Status != "error" || a.Data != c.data {
			t.Errorf("%v", a)
		}
	}
}
