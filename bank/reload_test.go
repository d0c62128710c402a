package bank_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"voicepool/bank"
	"voicepool/bank/rules"
	"voicepool/mixer"
	"voicepool/sounds/library"
)

const before = `
master: {limiter: false}
buses: {sfx: {gain: 0}}
sounds:
  s: {file: sfx/d.wav, bus: sfx, pan: -1, limit: 2}
`

// reloaded opens a bank and returns it with its mixer and its folder.
func reloaded(t *testing.T) (*bank.Bank, *mixer.Mixer, *folder) { return reloading(t, before) }

func reloading(t *testing.T, text string) (*bank.Bank, *mixer.Mixer, *folder) {
	t.Helper()
	fsys := &folder{files: files(text)}
	b, err := bank.Open(fsys, "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return b, m, fsys
}

// folder is a file system that can change while it is read.
type folder struct {
	mu    sync.Mutex
	files fstest.MapFS
}

func (f *folder) Open(name string) (fs.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.files.Open(name)
}

func rewrite(f *folder, name string, data []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.files[name] = &fstest.MapFile{Data: data, ModTime: time.Now()}
}

// TestWatch checks that later starts use the changed file and sounds, that buses move promptly and without
// steps, and that a broken file is reported and has no effect.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, m, fsys := reloaded(t)
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var told []error
		go b.Watch(ctx, func(err error) { told = append(told, err) })
		level := func() float64 {
			m.StopAll(0)
			render(m, 200)
			start(t, b, "s", bank.Options{})
			return float64(render(m, 400)[300][0])
		}
		wait := func(want int) {
			t.Helper()
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if len(told) != want {
				t.Fatalf("told %d times: %v, want %d", len(told), told, want)
			}
		}
		near := func(want float64, what string) {
			t.Helper()
			if got := level(); math.Abs(got-want) > 1e-4 {
				t.Errorf("%s: the level is %v, want %v", what, got, want)
			}
		}
		near(0.5, "at first")
		wait(0)
		rewrite(fsys, "sounds.yaml", []byte(strings.Replace(before, "pan: -1", "pan: -1, gain: -20", 1)))
		wait(1)
		near(0.05, "with another gain")
		rewrite(fsys, "sounds.yaml", []byte("sounds: {s: {file: sfx/d.wav, gian: 3}}"))
		wait(2)
		if !errors.Is(told[1], rules.ErrFile) {
			t.Errorf("a broken file is told %v", told[1])
		}
		near(0.05, "with a broken file")
		rewrite(fsys, "sounds.yaml", []byte(before))
		wait(3)
		rewrite(fsys, "sfx/d.wav", tone(700, 0.25).Data)
		wait(4)
		near(0.25, "with another sound")
		rewrite(fsys, "sfx/d.wav", []byte("nothing"))
		wait(5)
		if !errors.Is(told[4], rules.ErrSound) {
			t.Errorf("a broken sound is told %v", told[4])
		}
		near(0.25, "with a broken sound")
		rewrite(fsys, "sfx/d.wav", tone(8000, 0.5).Data)
		wait(6)
		near(0.5, "with a whole sound again")
		h := start(t, b, "s", bank.Options{})
		render(m, 10)
		rewrite(fsys, "sounds.yaml", []byte(strings.Replace(before, "gain: 0", "gain: -20", 1)))
		wait(7)
		if _, step := heard(m, 100*time.Millisecond); step > 0.01 || h.State() != mixer.StatePlaying {
			t.Errorf("a gain of a bus steps by %v, the voice is %v", step, h.State())
		}
		if bus, _ := m.Bus("sfx"); bus.Gain() != -20 {
			t.Errorf("the bus is at %v dB", bus.Gain())
		}
		if told[0] != nil || told[2] != nil || told[3] != nil || told[6] != nil {
			t.Errorf("what is right is told as %v", told)
		}
		cancel()
		wait(7)
	})
}

// TestReload checks that limits keep counting playing voices, that random choices continue, and that changes
// the mixer cannot apply are reported.
func TestReload(t *testing.T) {
	b, m, fsys := reloaded(t)
	for range 2 {
		start(t, b, "s", bank.Options{})
	}
	rewrite(fsys, "sounds.yaml", []byte(before+"  r: {file: sfx/a.wav}\n"))
	if err := b.Reload(); err != nil {
		t.Fatal(err)
	}
	start(t, b, "s", bank.Options{})
	start(t, b, "r", bank.Options{})
	render(m, 10)
	if st := m.Stats(); st.Playing != 3 || st.Stolen != 1 {
		t.Errorf("after a reload %d play and %d were stolen, want 3 and 1", st.Playing, st.Stolen)
	}
	for _, c := range []struct{ from, to, want string }{
		{from: "buses: {sfx: {gain: 0}}", to: "virtual: 4\nbuses: {sfx: {voices: 3}}", want: "sounds.yaml:3:1: virtual: only a new mixer takes this; call NewMixer. Until then it stays as it was\n" +
			"sounds.yaml:4:15: voices: only a new mixer takes this; call NewMixer. Until then it stays as it was"},
		{from: "sfx", to: "sxf", want: `sounds.yaml:3:9: sxf: only a new mixer has this bus; call NewMixer. Until then its sounds are on the master`},
	} {
		rewrite(fsys, "sounds.yaml", []byte(strings.ReplaceAll(strings.ReplaceAll(before, c.from, c.to), "sxf/", "sfx/")))
		if err := b.Reload(); err == nil || err.Error() != c.want {
			t.Errorf("%s says %v\nwant %s", c.to, err, c.want)
		}
	}
	if _, err := b.Play("s", bank.Options{}); err != nil {
		t.Errorf("then Play says %v", err)
	}
}

// During development the game watches its files. In a release the file system never changes.
func ExampleBank_Watch() {
	b, err := bank.Open(os.DirFS("assets"), "sounds.yaml", library.NewLibrary(library.Options{}))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go b.Watch(ctx, func(err error) {
		if err != nil {
			fmt.Println(err) // sounds.yaml:12:9: gain: 40 is out of range ...
		}
	})
}
