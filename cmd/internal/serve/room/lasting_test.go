package room_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/serve/room"
	"voicepool/sounds/library"
)

// TestResumeAfterDays checks that a loop is resumed however long ago it was saved.
func TestResumeAfterDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet)
		if _, err := r.Play(room.PlayRequest{Sound: "rain", ID: "w", Speed: 16}); err != nil {
			t.Fatal(err)
		}
		s := r.Snapshot()
		r.Close(0)
		for _, days := range []int{1, 2, 400} {
			was := *s
			was.Time = was.Time.Add(-time.Duration(days) * 24 * time.Hour)
			now := open(t, was.Text, func(o *room.Options) { o.Resume = &was })
			if st := now.State(); len(st.Voices) != 1 || st.Voices[0].ID != "w" {
				t.Errorf("after %d days: %+v, %v", days, st.Voices, st.Said)
			}
			now.Close(0)
		}
	})
}

// TestSnapshotOfLoops checks that a pause of a target and a seek make snapshots differ.
func TestSnapshotOfLoops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet)
		if _, err := r.Play(room.PlayRequest{Sound: "rain", ID: "w"}); err != nil {
			t.Fatal(err)
		}
		loop := func() room.Loop {
			time.Sleep(100 * time.Millisecond)
			all := r.Snapshot().Loops
			if len(all) != 1 {
				t.Fatalf("%+v", all)
			}
			return all[0]
		}
		first := loop()
		if err := r.Show().Do("pause w"); err != nil {
			t.Fatal(err)
		}
		if l := loop(); !l.Paused || first.Paused {
			t.Errorf("a pause of a target: %+v", l)
		}
		if err := r.Show().Do("resume w"); err != nil {
			t.Fatal(err)
		}
		if l := loop(); l.Paused || l.Seeks != first.Seeks {
			t.Errorf("it goes on: %+v", l)
		}
		if _, err := r.Set("w", room.VoiceChange{Seek: new(2 * time.Second)}); err != nil {
			t.Fatal(err)
		}
		if l := loop(); l.Seeks == first.Seeks || l.Position < 2 {
			t.Errorf("a seek: %+v", l)
		}
	})
}

// TestFaderLater checks that the state of a bus shows its current values instead of scheduled ones. A failed
// batch moves no bus.
func TestFaderLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet)
		if _, err := r.Play(room.PlayRequest{Sound: "rain"}); err != nil { // this wakes the room
			t.Fatal(err)
		}
		want := func(when string, gain float64, mute bool) {
			t.Helper()
			if b := bus(r, "music"); b.Gain != gain || b.Mute != mute {
				t.Errorf("%s: %+v", when, b)
			}
			if n := len(r.Snapshot().Buses); (n > 0) != (gain != 0) {
				t.Errorf("%s: %d buses are kept", when, n)
			}
		}
		_, _, err := r.Batch(room.Moment{}, []room.Step{
			{Bus: &room.BusChange{Gain: new(-40.0), Mute: yes()}, Target: "music"},
			{Set: &room.VoiceChange{Gain: new(9.0)}, Target: "nobody"},
		})
		if kindOf(err) != room.NotFound {
			t.Errorf("a batch with a voice that is not there: %v", err)
		}
		want("after a batch that fails", 0, false)
		at := r.Summary().Frame + 48000
		if _, err := r.SetBus("music", room.BusChange{Gain: new(-12.0), Mute: yes(), When: room.Moment{Frame: at}}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := r.Batch(room.Moment{Frame: at + 48000}, []room.Step{{Bus: &room.BusChange{Gain: new(-6.0)}, Target: "music"}}); err != nil {
			t.Fatal(err)
		}
		want("before", 0, false)
		time.Sleep(900 * time.Millisecond)
		want("still before", 0, false)
		time.Sleep(200 * time.Millisecond)
		want("then", -12, true)
		time.Sleep(time.Second)
		want("after the batch", -6, true)
	})
}

// TestUploadWaitsForNobody checks that a room can be changed and closed during a slow upload.
func TestUploadWaitsForNobody(t *testing.T) {
	r := open(t, "", func(o *room.Options) { o.Folder = t.TempDir() })
	in, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		_, _, err := r.AddSound(t.Context(), "slow", in)
		ended <- err
	}()
	if _, err := out.Write([]byte("RIFF")); err != nil {
		t.Fatal(err)
	}
	if err := r.Change(t.Context(), []byte("sounds: {bell: {}}\n")); err != nil {
		t.Error(err)
	}
	if err := r.Close(0); err != nil {
		t.Error(err)
	}
	out.CloseWithError(errors.New("the client has gone"))
	if err := <-ended; err == nil {
		t.Error("a room that has ended takes a sound")
	}
}

// TestUploadOfAFileOfTheSheet checks that an upload replaces a file that a sound of the sheet uses, and that
// the sound plays it. A sound with another file is not replaced. After an error the folder and the room are
// unchanged.
func TestUploadOfAFileOfTheSheet(t *testing.T) {
	folder := t.TempDir()
	of := func(frames int) []byte {
		return wavOf(&library.Clip{Channels: 1, Rate: 48000, Samples: make([]float32, frames)})
	}
	file := filepath.Join(folder, "bell.wav")
	if err := os.WriteFile(file, of(4800), 0o600); err != nil {
		t.Fatal(err)
	}
	const text = "sounds: {door: {file: bell.wav}}\n"
	r := open(t, text, func(o *room.Options) { o.Folder = folder })
	s, info, err := r.AddSound(t.Context(), "bell.wav", bytes.NewReader(of(480)))
	if err != nil || s.Sound != "door" || s.Seconds != 0.01 || info.File != "bell.wav" || string(r.Text()) != text {
		t.Errorf("%+v, %+v, %v: %s", s, info, err, r.Text())
	}
	if _, _, err := r.AddSound(t.Context(), "door", bytes.NewReader(of(480))); kindOf(err) != room.Refused {
		t.Errorf("a sound that has another file: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"bell.wav", "new.wav"} {
		if _, _, err := r.AddSound(ctx, name, bytes.NewReader(of(9600))); err == nil {
			t.Errorf("%s: an upload that is cancelled succeeds", name)
		}
	}
	if now, err := os.ReadFile(file); err != nil || len(now) != len(of(480)) || string(r.Text()) != text {
		t.Errorf("it has %d bytes, %v: %s", len(now), err, r.Text())
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 {
		t.Errorf("%v, %v", left, err)
	}
}

// TestUploadOfOlderPrograms checks that an upload replaces a file that an older program named with an
// extension.
func TestUploadOfOlderPrograms(t *testing.T) {
	folder := t.TempDir()
	wav := wavOf(&library.Clip{Channels: 1, Rate: 48000, Samples: make([]float32, 4800)})
	if err := os.WriteFile(filepath.Join(folder, "laugh.wav"), wav, 0o600); err != nil {
		t.Fatal(err)
	}
	r := open(t, `sounds: {"laugh": {file: "laugh.wav"}}`, func(o *room.Options) { o.Folder = folder })
	s, info, err := r.AddSound(t.Context(), "laugh", bytes.NewReader(wav))
	if err != nil || s.Sound != "laugh" || info.File != "laugh.wav" {
		t.Errorf("%+v, %+v, %v", s, info, err)
	}
}

// TestHeartOfACard checks that the device of a room requests frames while the show is paused.
func TestHeartOfACard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := open(t, sheet, func(o *room.Options) { o.Device = "null" })
		if _, err := r.Play(room.PlayRequest{Sound: "rain"}); err != nil {
			t.Fatal(err)
		}
		if err := r.Show().Do("pause"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		before := r.Summary()
		time.Sleep(time.Second)
		after := r.Summary()
		if after.RequestedFrames <= before.RequestedFrames || after.Frame != before.Frame {
			t.Errorf("%+v, then %+v", before, after)
		}
		begun := time.Now()
		r.Close(0)
		if took := time.Since(begun); took > 500*time.Millisecond {
			t.Errorf("a paused room takes %v to end", took)
		}
	})
}

// TestOutputsWithoutACard checks that a sheet with several outputs plays silently without a sound card.
func TestOutputsWithoutACard(t *testing.T) {
	t.Setenv("PULSE_SERVER", "unix:/nowhere/native")
	t.Setenv("PIPEWIRE_RUNTIME_DIR", "/nowhere")
	r := open(t, "outputs: {house: 1-2, fold: 3-4}\nsounds: {bell: {}}\n", func(o *room.Options) { o.Device = "auto" })
	b := r.Summary()
	if b.Lost == "" {
		t.Skip("a sound card of this machine has four outputs")
	}
	if _, err := r.Play(room.PlayRequest{Sound: "bell"}); err != nil {
		t.Errorf("a play: %v", err)
	}
}
