package bank_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// changingFiles is a file system whose bank changes.
type changingFiles struct {
	mutex sync.Mutex
	text  string
}

func (f *changingFiles) Open(name string) (fs.File, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return fstest.MapFS{"bank.yaml": {Data: []byte(f.text)}}.Open(name)
}

func (f *changingFiles) write(text string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.text = text
}

// card calls Render like a sound card: a goroutine renders a block periodically. A lost card stops rendering,
// and start replaces it with a mixer of another block length.
type card struct {
	stop chan struct{}
	done sync.WaitGroup
}

func (c *card) start(m *mixer.Mixer, rate, block int) {
	c.stop = make(chan struct{})
	c.done.Go(func() {
		frames := make([]pcm.Frame, block)
		for {
			select {
			case <-c.stop:
				return
			case <-time.After(time.Duration(block) * time.Second / time.Duration(rate)):
				m.Render(frames)
			}
		}
	})
}

func (c *card) lose() {
	close(c.stop)
	c.done.Wait()
}

// TestLossWithReload loses the card while a game plays and reloads its bank, and then closes the mixer. All
// calls must return, the sound must continue, and Play must fail once the mixer is closed.
func TestLossWithReload(t *testing.T) {
	for seed := range uint64(2) {
		synctest.Test(t, func(t *testing.T) { loseAndReload(t, seed) })
	}
}

func loseAndReload(t *testing.T, seed uint64) {
	const rate = 8000
	text := func(gain int) string {
		return fmt.Sprintf("rate: %d\nbuses: {sfx: {gain: %d, effects: [eq]}}\nsounds: {coin: {file: coin, bus: sfx}, two: {layers: [coin, {sound: coin, delay: 20ms}]}}\nscenes: {menu: {buses: {sfx: {gain: -9}}}}\n", rate, gain)
	}
	files := &changingFiles{text: text(0)}
	b, err := bank.Open(files, "bank.yaml", library.NewLibrary(library.Options{Rate: rate}), embedded.Sources()...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	var c card
	c.start(m, rate, 80)
	stop := make(chan struct{})
	var games sync.WaitGroup
	play := func(turn int) {
		h, err := b.Play([]string{"coin", "two"}[turn%2], bank.Options{})
		if err == nil {
			_, _ = h.SetGain(-3), m.Engine().At(m.Now()+5).Stop(mixer.TargetVoice(h.Handle), 0)
		} else if !errors.Is(err, mixer.ErrClosed) && !errors.Is(err, mixer.ErrBusy) {
			t.Errorf("a play fails: %v", err)
		}
	}
	for _, job := range []func(turn int){
		play, play,
		func(turn int) {
			files.write(text(-turn % 9))
			if err := b.Reload(); err != nil && !errors.Is(err, mixer.ErrBusy) {
				t.Errorf("a reload fails: %v", err)
			}
		},
		func(turn int) { _ = b.Scene([]string{"", "menu"}[turn%2], 50*time.Millisecond) },
	} {
		games.Go(func() {
			for turn := 0; ; turn++ {
				select {
				case <-stop:
					return
				case <-time.After(41 * time.Millisecond):
				}
				job(turn)
			}
		})
	}
	r := rand.New(rand.NewPCG(seed, 1))
	for range 2 {
		time.Sleep(time.Duration(r.IntN(2000)) * time.Millisecond)
		c.lose()
		time.Sleep(time.Duration(1000+r.IntN(1000)) * time.Millisecond)
		started := m.Stats().Started
		c.start(m, rate, 8+r.IntN(400))
		time.Sleep(3 * time.Second)
		if now := m.Stats().Started; now < started+20 {
			t.Errorf("%d voices started in 3 s on the next card, want 20 at least", now-started)
		}
	}
	c.lose()
	m.Close()
	time.Sleep(100 * time.Millisecond)
	close(stop)
	games.Wait()
	if _, err := b.Play("coin", bank.Options{}); !errors.Is(err, mixer.ErrClosed) {
		t.Errorf("a play after Close: %v, want %v", err, mixer.ErrClosed)
	}
}
