package room_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/room"
)

// TestResume checks that a room resumes the state of an ended one, through JSON.
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet)
		if _, err := r.Play(room.PlayRequest{Sound: "rain", ID: "w", Gain: -3}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.SetBus("music", room.BusChange{Gain: new(-9.0), Mute: yes()}); err != nil {
			t.Fatal(err)
		}
		for bus, f := range map[string]room.BusChange{"master": {Mute: yes()}, "sfx": {Solo: yes(), Duck: &room.Duck{When: "music", By: 6}}} {
			if _, err := r.SetBus(bus, f); err != nil {
				t.Fatal(err)
			}
		}
		if b, err := r.SetBus("music", room.BusChange{Volume: new(-7.0)}); err != nil || b.Volume != -7 || b.Gain != -9 {
			t.Fatalf("%+v, %v", b, err)
		}
		if _, err := r.SetBus("hall", room.BusChange{Volume: new(-30.0)}); kindOf(err) != room.NotFound {
			t.Fatal(err)
		}
		if _, err := r.SetBus("sfx", room.BusChange{Volume: new(24.5)}); kindOf(err) != room.Range || !strings.Contains(err.Error(), "volume") {
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
		if len(st.Voices) != 1 || st.Voices[0].ID != "w" || st.Standby != "2" || bus(now, "music").Gain != -9 || !bus(now, "music").Mute || bus(now, "music").Volume != -7 {
			t.Fatalf("%+v", st)
		}
		if !bus(now, "master").Mute || !bus(now, "sfx").Solo || bus(now, "master").Solo || bus(now, "sfx").Mute {
			t.Errorf("%+v", st.Buses)
		}
		if again := now.Snapshot().Buses; !reflect.DeepEqual(again, was.Buses) {
			t.Errorf("%+v, want %+v", again, was.Buses)
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

// TestVolumeFromTheFirstFrame checks that a bus with a volume of silence stays silent while another mixer replaces the
// mixer of a room, even if a scene is active. A show that resumes within a sound fades to its volume within 5 ms.
func TestVolumeFromTheFirstFrame(t *testing.T) {
	const sheet = "buses: {music: {}}\nscenes: {calm: {buses: {music: {gain: -3}}}}\ncues: [{at: 0s, play: \"tone:440\", bus: music}]\n"
	synctest.Test(t, func(t *testing.T) {
		expectSilence := func(name string, l *room.Listener, from time.Duration) {
			for n, second := 0, 4*l.Rate(); n < second/3; {
				block, err := l.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if n += len(block); n > int(from.Seconds()*float64(second)) && slices.ContainsFunc(block, func(b byte) bool { return b != 0 }) {
					t.Fatalf("%s: the room is heard %v s after the start", name, float64(n)/float64(second))
				}
			}
		}
		r := open(t, sheet)
		if _, err := r.SetBus("music", room.BusChange{Volume: new(-120.0)}); err != nil {
			t.Fatal(err)
		}
		if err := r.Scene("calm", 0); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		l, err := r.Listen("")
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Change(t.Context(), []byte(strings.Replace(sheet, "music: {}", "music: {}, speech: {}", 1))); err != nil {
			t.Fatal(err)
		}
		expectSilence("after a change", l, 0)
		if b := bus(r, "music"); b.Volume > -80 {
			t.Errorf("after a change the bus is %+v", b)
		}
		was := r.Snapshot()
		r.Close(0)
		now := open(t, was.Text, func(o *room.Options) { o.Resume = was })
		if l, err = now.Listen(""); err != nil {
			t.Fatal(err)
		}
		expectSilence("after a restart", l, 10*time.Millisecond)
	})
}

// TestResumeCues checks that loops started by a GO are resumed with their fades, pans, ids and remaining time.
// Stopped or finished loops and other sounds are not restored.
func TestResumeCues(t *testing.T) {
	const sheet = `
voices: 8
buses: {music: {}}
sounds:
  rain: {loop: true, bus: music, gain: -6}
  wind: {loop: true}
  storm: {layers: [{sound: rain}, {sound: wind}]}
  bell: {}
list:
  - {cue: 1, play: rain, id: weather, gain: -3, protect: true}
  - {cue: 2, fade: weather, to: -12, over: 10s}
  - {cue: 3, play: wind, id: brief, for: 2s}
  - {cue: 4, play: wind, id: long, for: 20s, pitch: -2}
  - {cue: 5, play: storm, id: storm}
  - {cue: 6, play: wind, id: gone}
  - {cue: 7, play: bell, id: bell}
  - {cue: 8, play: wind, id: dying}
`
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet)
		for _, cue := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
			if err := r.Show().Go(cue); err != nil {
				t.Fatal(err)
			}
			time.Sleep(400 * time.Millisecond)
		}
		if _, err := r.Stop("gone", 0, room.Moment{}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Stop("dying", time.Minute, room.Moment{}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Set("long", room.VoiceChange{Pan: new(0.5)}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
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
		now := open(t, was.Text, func(o *room.Options) { o.Resume = &was })
		pans := map[string]float64{}
		var ids []string
		for _, v := range now.State().Voices {
			ids = append(ids, v.ID)
			pans[v.ID] = v.Pan
		}
		slices.Sort(ids)
		if want := []string{"long", "storm", "storm", "weather"}; !slices.Equal(ids, want) {
			t.Fatalf("%v play, want %v; the snapshot is %s", ids, want, text)
		}
		if pans["long"] != 0.5 {
			t.Errorf("pans %v", pans)
		}
		again := now.Snapshot().Loops
		for i, l := range was.Loops {
			if l.Order.ID == "brief" { // its time has passed
				was.Loops = slices.Delete(was.Loops, i, i+1)
				break
			}
		}
		if len(again) != len(was.Loops) {
			t.Fatalf("%d loops, then %d", len(was.Loops), len(again))
		}
		for i, l := range again {
			old := was.Loops[i]
			if l.Order.ID != old.Order.ID || l.Gain != old.Gain || l.Order.Pitch != old.Order.Pitch || l.Order.Protect != old.Order.Protect {
				t.Errorf("%+v, then %+v", old, l)
			}
			if l.Order.ID == "weather" && (l.Gain != -12 || !l.Order.Protect) {
				t.Errorf("the fade led to -12 dB: %+v", l)
			}
		}
		running := func() (cues []string) {
			for _, c := range now.Show().State().Running {
				cues = append(cues, c.Cue)
			}
			return cues
		}
		if got := running(); !slices.Equal(got, []string{"1", "4", "5"}) {
			t.Errorf("these cues run: %v", got)
		}
		if err := now.Show().StopCue("1", 0); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		if got := running(); !slices.Equal(got, []string{"4", "5"}) {
			t.Errorf("without the first these cues run: %v", got)
		}
		time.Sleep(20 * time.Second)
		if _, err := now.Stop("long", 0, room.Moment{}); kindOf(err) != room.NotFound {
			t.Errorf("what was to play for 20 s plays after more than that: %v", err)
		}
		now.Show().Stop(0)
		time.Sleep(100 * time.Millisecond)
		if st := now.State(); len(st.Voices) > 0 || len(st.Running) > 0 {
			t.Errorf("after a stop %+v, %+v", st.Voices, st.Running)
		}
	})
}

// TestResumePaused checks that a paused show is still paused after a restart and continues from there.
func TestResumePaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet)
		if err := r.Show().Go("2"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		r.Show().Pause(true)
		time.Sleep(time.Second)
		was := r.Snapshot()
		r.Close(0)
		time.Sleep(time.Hour)
		now := open(t, was.Text, func(o *room.Options) { o.Resume = was })
		at := func() float64 {
			v := now.State().Voices
			if len(v) != 1 || v[0].ID != "weather" {
				t.Fatalf("%+v", v)
			}
			return v[0].Position
		}
		time.Sleep(time.Second)
		if held := at(); held < was.Loops[0].Position-0.02 || held > was.Loops[0].Position+0.02 {
			t.Errorf("at %v s, and %v before", held, was.Loops[0].Position)
		}
		now.Show().Pause(false)
		time.Sleep(time.Second)
		if moved := at(); moved < was.Loops[0].Position+0.9 || moved > was.Loops[0].Position+1.1 {
			t.Errorf("a second after that at %v s, was %v", moved, was.Loops[0].Position)
		}
	})
}
