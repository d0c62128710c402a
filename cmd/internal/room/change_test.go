package room_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/room"
	"voicepool/sounds"
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

// TestAddSoundFree: the room of a sheet that somebody has named takes sounds, too, beside that sheet's own
// files. A sound is replaced by one of another format, and files that change are read anew.
func TestAddSoundFree(t *testing.T) {
	read := func(name string) []byte {
		file, err := embedded.FS().Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		text, err := io.ReadAll(file)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	tone, err := sounds.Decode(t.Context(), "tone", bytes.NewReader(read("bell.flac")), sounds.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	show := t.TempDir()
	if err := os.WriteFile(filepath.Join(show, "own.flac"), read("bell.flac"), 0o600); err != nil {
		t.Fatal(err)
	}
	uploads := filepath.Join(t.TempDir(), "sounds", "main")
	r := open(t, "sounds: {own: {file: own.flac}}\n", func(o *room.Options) { o.Free, o.Folder, o.Uploads = true, show, uploads })
	if _, _, err := r.AddSound(t.Context(), "own", bytes.NewReader(read("bell.flac"))); kindOf(err) != room.Refused {
		t.Errorf("the sheet's own sound is replaced: %v", err)
	}
	lengths := map[float64]bool{}
	for _, name := range []string{"bell.flac", "coin.flac", "bell.flac"} {
		s, _, err := r.AddSound(t.Context(), "up", bytes.NewReader(read(name)))
		if err != nil {
			t.Fatal(err)
		}
		lengths[s.Seconds] = true
	}
	wav := wavOf(tone)
	s, info, err := r.AddSound(t.Context(), "up", bytes.NewReader(wav))
	if err != nil || info.Format != "wav" || len(lengths) != 2 || !lengths[s.Seconds] {
		t.Errorf("%+v, %+v, %v; lengths %v", s, info, err, lengths)
	}
	if _, err := r.Play(room.Order{Sound: "up"}); err != nil {
		t.Error(err)
	}
	if files, _ := os.ReadDir(show); len(files) != 1 {
		t.Errorf("the folder of the sheet has %v", files)
	}
	// The sheet's own file changes, and the sheet is read anew.
	before := r.State().Sounds
	if err := os.WriteFile(filepath.Join(show, "own.flac"), read("coin.flac"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.Change(t.Context(), r.Text()); err != nil {
		t.Fatal(err)
	}
	for i, s := range r.State().Sounds {
		if (s.Seconds == before[i].Seconds) == (s.Sound == "own") {
			t.Errorf("%+v, was %+v", s, before[i])
		}
	}
}

// wavOf returns a sound as a WAV file of 32-bit floats.
func wavOf(c *sounds.Clip) []byte {
	b := []byte("RIFF\x00\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x03\x00")
	b = binary.LittleEndian.AppendUint16(b, uint16(c.Channels))
	b = binary.LittleEndian.AppendUint32(b, uint32(c.Rate))
	b = binary.LittleEndian.AppendUint32(b, uint32(4*c.Channels*c.Rate))
	b = binary.LittleEndian.AppendUint16(b, uint16(4*c.Channels))
	b = append(b, 32, 0, 'd', 'a', 't', 'a')
	b = binary.LittleEndian.AppendUint32(b, uint32(4*len(c.Samples)))
	for _, x := range c.Samples {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	return b
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
		for bus, f := range map[string]room.Fader{"master": {Mute: yes()}, "sfx": {Solo: yes(), Duck: &room.Duck{When: "music", By: 6}}} {
			if _, err := r.SetBus(bus, f); err != nil {
				t.Fatal(err)
			}
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

// TestResumeCues: loops that a GO has begun go on as they were: faded, panned, with their ids and what is
// left of their time. What was stopped, has come to its end by now, or is no loop stays away.
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
		if _, err := r.Set("long", room.Move{Pan: new(0.5)}); err != nil {
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
			if l.Order.ID == "brief" { // it is over by now
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
		if err := now.Show().Cease("1", 0); err != nil {
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

// TestResumePaused: a show that stands still does so after a restart, and goes on from there.
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
		if n := len(r.Report(100).Events); n != 3 {
			t.Errorf("%d events", n)
		}
	})
}

// TestWriteReport: a report that is written piece by piece is the report.
func TestWriteReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, "voices: 1\noverflow: reject\nsounds: {rain: {loop: true}}\n")
		refuse := func(n int) {
			for range n {
				if _, _, err := r.Batch(room.Moment{}, []room.Step{{Play: &room.Order{Sound: "rain"}}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		refuse(2500)
		var whole, pieces bytes.Buffer
		if _, err := r.Report(room.Kept).WriteTo(&whole); err != nil {
			t.Fatal(err)
		}
		if err := r.WriteReport(&pieces); err != nil || !bytes.Equal(whole.Bytes(), pieces.Bytes()) || len(r.Report(room.Kept).Events) < 2500 {
			t.Errorf("%d bytes and %d in pieces, %v", whole.Len(), pieces.Len(), err)
		}
	})
}

// TestPending: a start for later is called what the sheet calls it, whatever its file is.
func TestPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, "sounds: {drone: {file: \"tone:110\", loop: true}}\n")
		in := time.Second
		for range 40 {
			if _, err := r.Play(room.Order{Sound: "drone", When: room.Moment{At: &in}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := r.Batch(room.Moment{At: &in}, []room.Step{{Play: &room.Order{Sound: "drone"}}}); err != nil {
			t.Fatal(err)
		}
		all := r.State().Voices
		if len(all) != 41 {
			t.Errorf("%d voices", len(all))
		}
		for _, v := range all {
			if v.State != "pending" || v.Sound != "drone" {
				t.Fatalf("%+v", v)
			}
		}
		time.Sleep(2 * time.Second)
		if v := r.State().Voices; len(v) == 0 || v[0].Sound != "drone" {
			t.Errorf("%+v", v)
		}
	})
}
