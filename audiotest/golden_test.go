package audiotest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicepool/audiotest"
	"voicepool/mixer"
	"voicepool/pcm"
)

// level1 plays a bell, and a coin with a given gain.
func level1(t *testing.T, gain float64) (*fake, *audiotest.Audio) {
	f := newFake(t)
	a := audiotest.New(f, mixer.Config{Rate: 1000, NoLimiter: true})
	play(t, a, tone(t, "bell", 80, 0.5, 25), mixer.Options{Pan: -1})
	a.Do(50*ms, func() { play(t, a, tone(t, "coin", 40, gain, 25), mixer.Options{Pan: -1}) })
	a.Step(100 * ms)
	return f, a
}

func TestGolden(t *testing.T) {
	dir := filepath.ToSlash(t.TempDir())
	file, got := dir+"/new/level 1.wav", dir+"/new/level 1.got.wav"
	exists := func(name string) bool { _, err := os.Stat(name); return err == nil }
	f, a := level1(t, 0.25)
	f.says(t, "no file", "there is no "+file+", which go test -audiotest.update writes; the mix is in "+got, func() { a.Golden(file) })
	if !exists(got) || exists(file) {
		t.Error("the mix is not left beside the file")
	}
	a.Update(true)
	f.says(t, "to update", "", func() { a.Golden(file) })
	a.Update(false)
	f.says(t, "the same", "", func() { a.Golden(file) })
	if exists(got) || !exists(file) {
		t.Error("the file is not written, or what was left is still there")
	}
	f, b := level1(t, 0.5)
	f.says(t, "another gain", "the mix differs from "+file+` at 51ms (frame 51) first, by -12.0 dB at most; "coin" #2, "bell" #1 sounded there; the mix is in `+got, func() { b.Golden(file) })
	if !exists(got) {
		t.Error("of a difference the mix is not left")
	}
	b.Step(10 * ms)
	f, a = level1(t, 0.25)
	a.Step(10 * ms)
	f.says(t, "another length", "the mix has 110 frames and "+file+" has 100, the same up to there; the mix is in "+got, func() { a.Golden(file) })
	fast := audiotest.New(f, mixer.Config{Rate: 2000})
	f.says(t, "another rate", file+" is at 1000 Hz, the mix at 2000; the mix is in "+got, func() { fast.Golden(file) })
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := f.failure(func() { a.Golden(file) }); !strings.Contains(said, file) || !strings.Contains(said, "; the mix is in "+got+"\n") {
		t.Errorf("of what is no audio it says %s", said)
	}
	f.says(t, "a hash", `the mix has the hash 468060844c1493944ad8c5e1beda65f473415e7d397a459d36935a1816a5a29e, want "a1"`, func() { a.GoldenHash("a1") })
}

// TestSave checks that a failed test saves its output, and a passed test does not.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []string{"TestGame_level 1", "TestGame_level 1-2"} {
		f, a := level1(t, 0.25)
		a.Save(dir)
		mix, stem, timeline := a.Mix(), a.Stem("coin"), a.Timeline()
		a.Never("coin")
		f.end()
		own := filepath.Join(dir, want)
		if want := fmt.Sprintf("in %s; for a picture: voicepool timeline -o timeline.png %q", own, filepath.Join(own, "report.json")); len(f.logged) != 1 || !strings.HasSuffix(f.logged[0], want) {
			t.Errorf("it says %q, want the end %s", f.logged, want)
		}
		for name, frames := range map[string][]pcm.Frame{"mix.wav": mix, "stems/coin.wav": stem} {
			file, err := os.Open(filepath.Join(own, name))
			if err != nil {
				t.Fatal(err)
			}
			r := audiotest.Listen(t, file)
			file.Close()
			for i, x := range r.Frames() {
				if x != frames[i] || len(r.Frames()) != len(frames) {
					t.Fatalf("%s, frame %d is %v of %d, want %v of %d", name, i, x, len(r.Frames()), frames[i], len(frames))
				}
			}
		}
		if text, err := os.ReadFile(filepath.Join(own, "timeline.txt")); string(text) != timeline {
			t.Errorf("%v: timeline.txt is %s, want %s", err, text, timeline)
		}
		var head struct {
			Frames int64
			Totals struct{ Started int64 }
			Events []struct{ Kind, Sound string }
		}
		text, err := os.ReadFile(filepath.Join(own, "report.json"))
		if err == nil {
			err = json.Unmarshal(text, &head)
		}
		if err != nil || head.Frames != 100 || head.Totals.Started != 2 || len(head.Events) != 4 || head.Events[0].Sound != "bell" {
			t.Errorf("%v: report.json is %s", err, text)
		}
	}
	f, a := level1(t, 0.25)
	a.Save(dir + "/none")
	f.end()
	if _, err := os.Stat(dir + "/none"); err == nil || len(f.logged) > 0 {
		t.Error("a test that passes leaves something")
	}
}
