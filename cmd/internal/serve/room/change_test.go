package room_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// TestBatch checks that all steps of a batch apply at one frame, or that the whole batch fails.
func TestBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet)
		frame, results, err := r.Batch(room.Moment{}, []room.Step{
			{Play: &room.PlayRequest{Sound: "bell", ID: "b"}},
			{Play: &room.PlayRequest{Sound: "rain", ID: "w"}},
			{Set: &room.VoiceChange{Gain: new(-6.0), Pause: yes()}, Target: "w"},
			{Bus: &room.BusChange{Gain: new(-12.0)}, Target: "music"},
			{Play: &room.PlayRequest{Sound: "bell"}},
		})
		if err != nil || len(results) != 5 {
			t.Fatalf("%v, %v", results, err)
		}
		for _, i := range []int{0, 1} {
			if v := results[i].Result; v == nil || v.Frame != frame || v.State != "playing" {
				t.Errorf("step %d at %d: %+v", i, frame, v)
			}
		}
		if v := results[2].Voices; len(v) != 1 || v[0] != results[1].Result.Voice {
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
			{room.Step{Play: &room.PlayRequest{Sound: "bell", Gain: 40}}, "commands[1].gain"},
			{room.Step{Stop: new(time.Duration), Target: "nobody"}, "commands[1].voice"},
			{room.Step{Play: &room.PlayRequest{Sound: "bell", Loop: yes()}}, "commands[1].loop"},
		} {
			_, _, err := r.Batch(room.Moment{}, []room.Step{{Bus: &room.BusChange{Gain: new(-1.0)}, Target: "sfx"}, c.step})
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

// TestChange checks that a sheet is changed in place or with a new player, and that manual gains are kept.
func TestChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet)
		v, err := r.Play(room.PlayRequest{Sound: "rain"})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Scene("quiet", 0); err != nil || r.State().Scene != "quiet" {
			t.Errorf("scene %q, %v", r.State().Scene, err)
		}
		if _, err := r.SetBus("music", room.BusChange{Gain: new(-9.0)}); err != nil {
			t.Fatal(err)
		}
		if _, err := r.SetBus("sfx", room.BusChange{Volume: new(-5.0)}); err != nil {
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
		if _, err := r.Play(room.PlayRequest{Sound: "gong"}); err != nil {
			t.Errorf("the new sound: %v", err)
		}
		if b := bus(r, "sfx"); b.Volume != -5 {
			t.Errorf("after a reload: %+v", b)
		}
		if err := r.Change(t.Context(), []byte(strings.Replace(sheet, "music: {},", "music: {}, speech: {},", 1))); err != nil {
			t.Fatal(err)
		}
		if b := bus(r, "sfx"); b.Volume != -5 || len(r.Snapshot().Buses) != 1 { // a volume leaves the gain to the sheet
			t.Errorf("after another player: %+v, %+v", b, r.Snapshot().Buses)
		}
		if b := bus(r, "music"); b.Gain != -9 || bus(r, "speech").Bus == "" {
			t.Errorf("after another player: %+v", b)
		}
		if _, err := r.Play(room.PlayRequest{Sound: "bell", Bus: "speech"}); err != nil {
			t.Errorf("on the new bus: %v", err)
		}
		// The manual gain overrides the gain of the restored scene.
		if _, err := r.Play(room.PlayRequest{Sound: "rain", Bus: "music"}); err != nil {
			t.Error(err)
		}
		peaks := [2]float64{}
		for i := range peaks {
			time.Sleep(2 * time.Second)
			peaks[i] = bus(r, "music").Peak
			if _, err := r.SetBus("music", room.BusChange{Gain: new(-9.0)}); err != nil {
				t.Fatal(err)
			}
		}
		if b := bus(r, "music"); math.Abs(peaks[0]-peaks[1]) > 3 || peaks[0] < -60 || b.Gain != -9 {
			t.Errorf("the peaks are %v dB, the gain %v dB", peaks, b.Gain)
		}
		if err := r.Change(t.Context(), []byte("rate: 44100\n"+sheet)); kindOf(err) != room.Refused {
			t.Errorf("another rate: %v", err)
		}
		if err := r.Change(t.Context(), []byte("sounds: [")); kindOf(err) != room.Range {
			t.Errorf("no sheet: %v", err)
		}
	})
}

// bus returns the state of a bus.
func bus(r *room.Room, name string) room.Bus {
	for _, b := range r.State().Buses {
		if b.Bus == name {
			return b
		}
	}
	return room.Bus{}
}

// TestAddSound checks that an uploaded sound file is decoded and played, and that other files are rejected.
func TestAddSound(t *testing.T) {
	data, err := embedded.FS().Open("click.flac") // the shortest: it is decoded 72 times
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if _, err := file.ReadFrom(data); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"sounds:\n  coin: {}\n", "sounds: {coin: {}}\n", `{"sounds": {"coin": {}}}`, "voices: 4\n"} {
		folder := t.TempDir()
		r := open(t, text, func(o *room.Options) { o.Folder = folder })
		for range 2 { // the second replaces the first
			s, info, err := r.AddSound(t.Context(), "ding", bytes.NewReader(file.Bytes()))
			if err != nil || s.Sound != "ding" || s.Seconds <= 0 || info.Format != "flac" {
				t.Fatalf("%q: %+v, %+v, %v", text, s, info, err)
			}
		}
		if _, err := r.Play(room.PlayRequest{Sound: "ding"}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		for _, name := range []string{"", ".x", "../x", "a/b", strings.Repeat("x", 256), "..", "a\\b", "a\x00b", "a\nb", "a\u0085b", "\xff"} {
			if _, _, err := r.AddSound(t.Context(), name, bytes.NewReader(file.Bytes())); kindOf(err) != room.Range {
				t.Errorf("%q: %v", name, err)
			}
		}
		for _, name := range []string{"bark.wav", "bark", "a b.flac", "café.ogg", "cafe\u0301", "雨", strings.Repeat("ü", 127), `"quoted"`, "a: b", "#1", "{x}", "-", "null", "7", "\u200b", "a\u2028b"} {
			s, info, err := r.AddSound(t.Context(), name, bytes.NewReader(file.Bytes()))
			if err != nil || s.Sound != name || info.File != name {
				t.Fatalf("%q in %q: %+v, %+v, %v", name, text, s, info, err)
			}
			if _, err := r.Play(room.PlayRequest{Sound: name}); kindOf(err) == room.NotFound {
				t.Errorf("%q: %v", name, err)
			}
			if now, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !bytes.Equal(now, file.Bytes()) {
				t.Errorf("%q has %d bytes, %v", name, len(now), err)
			}
		}
		if again := open(t, string(r.Text()), func(o *room.Options) { o.Folder = folder }); len(again.State().Sounds) != len(r.State().Sounds) {
			t.Errorf("%q: a room of its text has %d sounds, not %d", text, len(again.State().Sounds), len(r.State().Sounds))
		}
		if left, err := filepath.Glob(filepath.Join(folder, ".*")); err != nil || len(left) > 0 {
			t.Errorf("%q: %v is left, %v", text, left, err)
		}
		if _, _, err := r.AddSound(t.Context(), "noise", strings.NewReader("no sound")); kindOf(err) != room.Range {
			t.Errorf("what is no sound: %v", err)
		}
	}
}

// TestAddSoundFree checks that a room of a sheet in the server's folder accepts sounds in its folder of uploads. A
// sound of the sheet cannot be replaced, an uploaded one can, also in another format. Change reloads changed files.
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
	tone, err := library.Decode(t.Context(), "tone", bytes.NewReader(read("bell.flac")), library.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	show := t.TempDir()
	if err := os.WriteFile(filepath.Join(show, "own.flac"), read("bell.flac"), 0o600); err != nil {
		t.Fatal(err)
	}
	uploads := filepath.Join(t.TempDir(), "sounds", "main")
	r := open(t, "sounds: {own: {file: own.flac}}\n", func(o *room.Options) { o.AnyFile, o.Folder, o.Uploads = true, show, uploads })
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
	if _, err := r.Play(room.PlayRequest{Sound: "up"}); err != nil {
		t.Error(err)
	}
	if files, _ := os.ReadDir(show); len(files) != 1 {
		t.Errorf("the folder of the sheet has %v", files)
	}
	// A file of the sheet changes, and the sheet is reloaded.
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
func wavOf(c *library.Clip) []byte {
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

// TestTook checks that the state of a voice that stole its slot names the victim.
func TestTook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, "voices: 1\nsounds: {rain: {loop: true}, bell: {}}\n")
		for _, sound := range []string{"rain", "bell"} {
			if _, err := r.Play(room.PlayRequest{Sound: sound}); err != nil {
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

// TestWriteReport checks that a report written in pieces equals the whole report.
func TestWriteReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, "voices: 1\noverflow: reject\nsounds: {rain: {loop: true}}\n")
		refuse := func(n int) {
			for range n {
				if _, _, err := r.Batch(room.Moment{}, []room.Step{{Play: &room.PlayRequest{Sound: "rain"}}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		refuse(2500)
		var whole, pieces bytes.Buffer
		if _, err := r.Report(room.MinStoredEvents).WriteTo(&whole); err != nil {
			t.Fatal(err)
		}
		if err := r.WriteReport(&pieces); err != nil || !bytes.Equal(whole.Bytes(), pieces.Bytes()) || len(r.Report(room.MinStoredEvents).Events) < 2500 {
			t.Errorf("%d bytes and %d in pieces, %v", whole.Len(), pieces.Len(), err)
		}
	})
}

// TestPending checks that a scheduled start has the sound's name in the sheet instead of the name of its file.
func TestPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, "sounds: {drone: {file: \"tone:110\", loop: true}}\n")
		in := time.Second
		for range 40 {
			if _, err := r.Play(room.PlayRequest{Sound: "drone", When: room.Moment{At: &in}}); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := r.Batch(room.Moment{At: &in}, []room.Step{{Play: &room.PlayRequest{Sound: "drone"}}}); err != nil {
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
