package auto

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
	"voicepool/sounds"
	"voicepool/sounds/embedded"
)

// folder is a file system whose bank changes.
type folder struct {
	mutex sync.Mutex
	text  string
}

func (f *folder) Open(name string) (fs.File, error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return fstest.MapFS{"bank.yaml": {Data: []byte(f.text)}}.Open(name)
}

func (f *folder) write(text string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.text = text
}

// TestLossWithReload loses the card in every way while a game plays and reloads its bank, and then closes the device
// and the mixer in the middle of that. All calls return, the sound comes back, and Play fails once it is closed.
func TestLossWithReload(t *testing.T) {
	for seed := range uint64(2) {
		synctest.Test(t, func(t *testing.T) { loseAndReload(t, seed) })
	}
}

func loseAndReload(t *testing.T, seed uint64) {
	text := func(gain int) string {
		return fmt.Sprintf("rate: %d\nbuses: {sfx: {gain: %d, effects: [eq]}}\nsounds: {coin: {file: coin, bus: sfx}, two: {layers: [coin, {sound: coin, delay: 20ms}]}}\nscenes: {menu: {buses: {sfx: {gain: -9}}}}\n", rate, gain)
	}
	files := &folder{text: text(0)}
	b, err := bank.Open(files, "bank.yaml", sounds.NewLibrary(sounds.Options{Rate: rate}), embedded.Sources()...)
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	s := &server{}
	d := begin(Config{Rate: rate, Block: 8}, []*driver{s.driver()})
	synctest.Wait()
	if err := d.Start(m); err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var games sync.WaitGroup
	play := func(turn int) {
		h, err := b.Play([]string{"coin", "two"}[turn%2], bank.Options{})
		if err == nil {
			_, _ = h.SetGain(-3), m.At(m.Now()+5).Stop(mixer.TargetVoice(h.Handle), 0)
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
		f := faults[r.IntN(len(faults))]
		time.Sleep(time.Duration(r.IntN(2000)) * time.Millisecond)
		s.set(func() { f.strike(s) })
		time.Sleep(time.Duration(1000+r.IntN(1000)) * time.Millisecond)
		s.set(func() { f.mend(s) })
		time.Sleep(3 * time.Second)
		if d.Driver() != "fake" {
			t.Errorf("after %q it plays on %v", f.name, d)
		}
	}
	if st := m.Stats(); st.Started < 100 {
		t.Errorf("%d voices started, too few to prove anything", st.Started)
	}
	f := faults[r.IntN(len(faults))]
	s.set(func() { f.strike(s) })
	d.Close()
	m.Close()
	time.Sleep(100 * time.Millisecond)
	close(stop)
	games.Wait()
	if _, err := b.Play("coin", bank.Options{}); !errors.Is(err, mixer.ErrClosed) {
		t.Errorf("after Close a play says %v", err)
	}
}
