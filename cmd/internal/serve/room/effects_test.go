package room_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/cmd/internal/show/showrun"
)

const wet = `
voices: 4
buses:
  hall: {effects: [{reverb: {time: 2s}}, {eq: {id: tone, bands: [{type: peak, freq: 1000}]}}, delay]}
  sfx: {sends: {hall: -12}, effects: [compressor]}
cues: [{at: 0, play: rain, bus: sfx, loop: true, id: w}]
`

// TestEffects checks moves of effect and send values. A resumed room keeps them, and errors name the field.
func TestEffects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, wet)
		if _, err := r.SetBus("hall", room.BusChange{Effects: room.Effects{
			"reverb": {"time": 4.5, "predelay": "20ms", "bypass": true}, "tone": {"bands.1.freq": 300.0, "bands.1.type": "lowpass"}, "delay": {"lowpass": "off", "time": 1.0},
		}}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.SetBus("sfx", room.BusChange{Sends: map[string]float64{"hall": -3}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		want := []showrun.BusEffect{{Effect: "reverb", Kind: "reverb", Bypass: true}, {Effect: "tone", Kind: "eq"}, {Effect: "delay", Kind: "delay"}}
		if got := bus(r, "hall").Effects; !reflect.DeepEqual(got, want) {
			t.Errorf("the hall has %+v, want %+v", got, want)
		}
		for field, f := range map[string]room.BusChange{
			"": {Effects: room.Effects{"revreb": {"time": 1.0}}}, "effects.reverb.tmie": {Effects: room.Effects{"reverb": {"tmie": 1.0}}},
			"effects.reverb.time": {Effects: room.Effects{"reverb": {"time": 99.0}}}, "effects.tone.bands.1.type": {Effects: room.Effects{"tone": {"bands.1.type": "peek"}}},
			"effects.delay.lowpass": {Effects: room.Effects{"delay": {"lowpass": "on"}}}, "effects.delay.pingpong": {Effects: room.Effects{"delay": {"pingpong": "3"}}},
			"sends.sfx": {Sends: map[string]float64{"sfx": -3}}, "sends.hal": {Sends: map[string]float64{"hal": -3}},
		} {
			_, err := r.SetBus("hall", f)
			var e *room.Error
			if e, _ = err.(*room.Error); e == nil || e.Field != field && field != "" || field == "" && !strings.Contains(err.Error(), "reverb") && e.Nearest != "reverb" {
				t.Errorf("%s: %+v", field, err)
			}
		}
		if _, err := r.SetBus("hall", room.BusChange{Effects: room.Effects{"reverb": {"time": nil}}}); err == nil || !strings.Contains(err.Error(), "null is out of range") {
			t.Errorf("null: %v", err)
		}
		for field, f := range map[string]room.BusChange{"lowpass": {LowPass: new(19.0)}, "highpass": {HighPass: new(20001.0)}} {
			if e, _ := errOf(r.SetBus("hall", f)).(*room.Error); e == nil || e.Field != field {
				t.Errorf("%s: %v", field, e)
			}
		}
		if _, err := r.SetBus("hall", room.BusChange{LowPass: new(900.0), Over: time.Second}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.SetBus("hall", room.BusChange{HighPass: new(0.0)}); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		r.Close(0)
		var was room.Snapshot
		if err := json.Unmarshal(text, &was); err != nil {
			t.Fatal(err)
		}
		now := open(t, was.Text, func(o *room.Options) { o.Resume = &was })
		synctest.Wait()
		if again := now.Snapshot().Buses; !reflect.DeepEqual(again, was.Buses) || len(again) != 2 || again[0].Values["reverb"]["time"] != 4.5 || *again[0].LowPass != 900 || *again[0].HighPass != 0 || again[1].LowPass != nil || again[1].Sends["hall"] != -3 {
			t.Errorf("%+v, want %+v", again, was.Buses)
		}
		if got := bus(now, "hall").Effects; !reflect.DeepEqual(got, want) {
			t.Errorf("the hall has %+v then, want %+v", got, want)
		}
	})
}

// errOf returns the error of a call.
func errOf[T any](_ T, err error) error { return err }
