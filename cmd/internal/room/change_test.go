package room_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/room"
	"voicepool/sounds/embedded"
)

// TestBatch: all steps act at one frame, or none of them.
func TestBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet)
		frame, results, err := r.Batch(room.Moment{}, []room.Step{
			{Play: &room.Order{Sound: "bell", ID: "b"}},
			{Play: &room.Order{Sound: "rain", ID: "w"}},
			{Set: &room.Move{Gain: new(-6.0), Pause: yes()}, On: "w"},
			{Bus: &room.Fader{Gain: new(-12.0)}, On: "music"},
			{Play: &room.Order{Sound: "bell"}},
		})
		if err != nil || len(results) != 5 {
			t.Fatalf("%v, %v", results, err)
		}
		for _, i := range []int{0, 1} {
			if v := results[i].Verdict; v == nil || v.Frame != frame || v.State != "playing" {
				t.Errorf("step %d at %d: %+v", i, frame, v)
			}
		}
		if v := results[2].Voices; len(v) != 1 || v[0] != results[1].Verdict.Voice {
			t.Errorf("set: %v", v)
		}
		if b := results[3].Bus; b == nil || b.Gain != -12 {
			t.Errorf("bus: %+v", b)
		}
		if e := results[4].Refused; e == nil || e.Reason != "pool full" {
			t.Errorf("a third in a pool of two: %+v", results[4])
		}
		before := r.State().Totals
		for _, c := range []struct {
			step  room.Step
			field string
		}{
			{room.Step{Play: &room.Order{Sound: "bell", Gain: 40}}, "commands[1].gain"},
			{room.Step{Stop: new(time.Duration), On: "nobody"}, "commands[1].voice"},
			{room.Step{Play: &room.Order{Sound: "bell", Loop: yes()}}, "commands[1].loop"},
		} {
			_, _, err := r.Batch(room.Moment{}, []room.Step{{Bus: &room.Fader{Gain: new(-1.0)}, On: "sfx"}, c.step})
			e, ok := err.(*room.Error)
			if !ok || e.Field != c.field {
				t.Errorf("%s: %v", c.field, err)
			}
		}
		time.Sleep(50 * time.Millisecond)
		if now := r.State().Totals; now.Asked != before.Asked {
			t.Errorf("a batch that fails has started something: %+v, then %+v", before, now)
		}
	})
}

// TestChange: a sheet is changed in place, or by another player, and gains moved by hand stay.
func TestChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet)
		v, err := r.Play(room.Order{Sound: "rain"})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Scene("quiet", 0); err != nil || r.State().Scene != "quiet" {
			t.Errorf("scene %q, %v", r.State().Scene, err)
		}
		if _, err := r.SetBus("music", room.Fader{Gain: new(-9.0)}); err != nil {
			t.Fatal(err)
		}
		if err := r.Scene("quite", 0); kindOf(err) != room.NotFound {
			t.Errorf("a scene that is not there: %v", err)
		}
		if err := r.Change(t.Context(), []byte(strings.Replace(sheet, "  coin:", "  gong: {}\n  coin:", 1))); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Stop("1", 0, room.Moment{}); err != nil || v.Voice != 1 {
			t.Errorf("what played is gone: %v", err)
		}
		if _, err := r.Play(room.Order{Sound: "gong"}); err != nil {
			t.Errorf("the new sound: %v", err)
		}
		if err := r.Change(t.Context(), []byte(strings.Replace(sheet, "music: {},", "music: {}, speech: {},", 1))); err != nil {
			t.Fatal(err)
		}
		if b := bus(r, "music"); b.Gain != -9 || bus(r, "speech").Bus == "" {
			t.Errorf("after another player: %+v", b)
		}
		if _, err := r.Play(room.Order{Sound: "bell", Bus: "speech"}); err != nil {
			t.Errorf("on the new bus: %v", err)
		}
		if err := r.Change(t.Context(), []byte("rate: 44100\n"+sheet)); kindOf(err) != room.Refused {
			t.Errorf("another rate: %v", err)
		}
		if err := r.Change(t.Context(), []byte("sounds: [")); kindOf(err) != room.Range {
			t.Errorf("no sheet: %v", err)
		}
	})
}

// bus returns a bus of a state.
func bus(r *room.Room, name string) room.Bus {
	for _, b := range r.State().Buses {
		if b.Bus == name {
			return b
		}
	}
	return room.Bus{}
}

// TestAddSound: a file is taken in, decoded, and played; what is none is not.
func TestAddSound(t *testing.T) {
	data, err := embedded.FS().Open("bell.flac")
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := file.ReadFrom(data); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"sounds:\n  coin: {}\n", "sounds: {coin: {}}\n", `{"sounds": {"coin": {}}}`, "voices: 4\n"} {
		r := open(t, text, func(o *room.Options) { o.Folder = t.TempDir() })
		for range 2 { // the second replaces the first
			s, info, err := r.AddSound(t.Context(), "ding", bytes.NewReader(file.Bytes()))
			if err != nil || s.Sound != "ding" || s.Seconds <= 0 || info.Format != "flac" {
				t.Fatalf("%q: %+v, %+v, %v", text, s, info, err)
			}
		}
		if _, err := r.Play(room.Order{Sound: "ding"}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		for _, name := range []string{"", ".x", "../x", "a/b", strings.Repeat("x", 65)} {
			if _, _, err := r.AddSound(t.Context(), name, bytes.NewReader(file.Bytes())); kindOf(err) != room.Range {
				t.Errorf("%q: %v", name, err)
			}
		}
		if _, _, err := r.AddSound(t.Context(), "noise", strings.NewReader("no sound")); kindOf(err) != room.Range {
			t.Errorf("what is no sound: %v", err)
		}
	}
}

// TestResume: a room goes on where another ended, through JSON.
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet)
		if _, err := r.Play(room.Order{Sound: "rain", ID: "w", Gain: -3}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.SetBus("music", room.Fader{Gain: new(-9.0), Mute: yes()}); err != nil {
			t.Fatal(err)
		}
		if err := r.Show().Standby("2"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		text, err := json.Marshal(r.Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		r.Close(0)
		time.Sleep(time.Second)
		var was room.Snapshot
		if err := json.Unmarshal(text, &was); err != nil {
			t.Fatal(err)
		}
		if len(was.Loops) != 1 {
			t.Fatalf("%s", text)
		}
		now := open(t, was.Text, func(o *room.Options) { o.Resume = &was })
		st := now.State()
		if len(st.Voices) != 1 || st.Voices[0].ID != "w" || st.Standby != "2" || bus(now, "music").Gain != -9 || !bus(now, "music").Mute {
			t.Fatalf("%+v", st)
		}
		length := 0.0
		for _, s := range st.Sounds {
			if s.Sound == "rain" {
				length = s.Seconds
			}
		}
		want := was.Loops[0].Position + time.Since(was.Time).Seconds()
		for want > length {
			want -= length
		}
		if got := st.Voices[0].Position; got < want-0.1 || got > want+0.1 {
			t.Errorf("at %v s, want %v", got, want)
		}
	})
}

// TestTook: who takes a slot says whom from; a page and a report tell of it.
func TestTook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, "voices: 1\nsounds: {rain: {loop: true}, bell: {}}\n")
		for _, sound := range []string{"rain", "bell"} {
			if _, err := r.Play(room.Order{Sound: sound}); err != nil {
				t.Fatal(err)
			}
		}
		v := r.State().Voices
		if len(v) != 2 || v[0].State != "virtual" || v[1].Took != 1 || v[1].TookName != "rain" {
			t.Errorf("%+v", v)
		}
		var page bytes.Buffer
		if err := r.Timeline(&page); err != nil || !strings.Contains(page.String(), "</html>") {
			t.Errorf("%d bytes, %v", page.Len(), err)
		}
		if n := len(r.Report().Events); n != 3 {
			t.Errorf("%d events", n)
		}
	})
}
