package bank_test

import (
	"errors"
	"io/fs"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/sounds/library"
)

// slow is a file system that takes a minute to open a certain file while asleep is set.
type slow struct {
	fs.FS
	mu     sync.Mutex
	asleep string // the slow file
	fails  bool
}

var errDisk = errors.New("the disk has died")

func (s *slow) Open(name string) (fs.File, error) {
	s.mu.Lock()
	waits, fails := s.asleep == name, s.fails
	s.mu.Unlock()
	if waits {
		time.Sleep(time.Minute)
		if fails {
			return nil, errDisk
		}
	}
	return s.FS.Open(name)
}

func (s *slow) sleep(name string, fails bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asleep, s.fails = name, fails
}

const slowly = `
master: {limiter: false}
sounds:
  music: {files: [sfx/a.wav, sfx/a.wav], stream: true, loop: true, pick: round, pan: -1}
  calm: {file: sfx/a.wav, stream: true, loop: true, pan: -1, parameters: {x: {from: 0, to: 1, at: 1, gain: [[0, -20], [1, 0]]}}}
  scene: {layers: [step, music]}
  late: {layers: [step, music, step]}
  step: {files: [sfx/b.wav, sfx/c.wav, sfx/d.wav], pick: round}
`

func slowBank(t *testing.T) (*bank.Bank, *mixer.Mixer, *slow) {
	t.Helper()
	fsys := &slow{FS: files(slowly)}
	b, err := bank.Open(fsys, "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
	if err != nil {
		t.Fatal(err)
	}
	m, err := b.NewMixer()
	if err != nil {
		t.Fatal(err)
	}
	return b, m, fsys
}

// TestASlowDiskHoldsUpNothingElse checks that other starts, parameters and scenes work while a stream is
// being opened.
func TestASlowDiskHoldsUpNothingElse(t *testing.T) {
	for _, name := range []string{"music", "calm", "scene"} {
		synctest.Test(t, func(t *testing.T) {
			b, m, fsys := slowBank(t)
			fsys.sleep("sfx/a.wav", false)
			began := time.Now()
			played := make(chan error)
			go func() {
				_, err := b.Play(name, bank.Options{})
				played <- err
			}()
			synctest.Wait()
			start(t, b, "step", bank.Options{})
			if err := errors.Join(b.Set("x", 0.5), b.Scene("", 0)); err != nil {
				t.Error(err)
			}
			if d := time.Since(began); d != 0 {
				t.Errorf("%s: others wait for %v", name, d)
			}
			if err := <-played; err != nil || time.Since(began) != time.Minute {
				t.Errorf("%s: %v after %v", name, err, time.Since(began))
			}
			m.Close()
		})
	}
}

// TestAParameterReachesWhatIsBeingOpened checks that a parameter set meanwhile applies to a stream being
// opened.
func TestAParameterReachesWhatIsBeingOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, m, fsys := slowBank(t)
		defer m.Close()
		fsys.sleep("sfx/a.wav", false)
		done := make(chan struct{})
		go func() {
			start(t, b, "calm", bank.Options{})
			close(done)
		}()
		synctest.Wait()
		if err := b.Set("x", 0); err != nil {
			t.Fatal(err)
		}
		<-done
		m.Prepare()
		if got := float64(render(m, 400)[399][0]); math.Abs(got-0.125*0.1) > 1e-4 {
			t.Errorf("the level is %v, want %v", got, 0.125*0.1)
		}
	})
}

// TestSlowPlaysOfANameTakeTurns checks a play that fails after a minute: it takes its choices back, and a
// play requested meanwhile chooses as if it had not existed. A reload waits for both.
func TestSlowPlaysOfANameTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, m, fsys := slowBank(t)
		defer m.Close()
		start(t, b, "scene", bank.Options{}) // uses the first of three files
		fsys.sleep("sfx/a.wav", true)
		failed := make(chan error)
		go func() {
			_, err := b.Play("scene", bank.Options{})
			failed <- err
		}()
		synctest.Wait()
		fsys.sleep("", false)
		second := make(chan bank.Handle)
		go func() { second <- start(t, b, "scene", bank.Options{}) }()
		reloaded := make(chan error)
		go func() { reloaded <- b.Reload() }()
		synctest.Wait()
		if err := <-failed; !errors.Is(err, errDisk) {
			t.Errorf("the play says %v", err)
		}
		if got := (<-second).Sound().Name(); got != "c" {
			t.Errorf("the second that succeeds takes %q, want \"c\"", got)
		}
		if err := <-reloaded; err != nil {
			t.Error(err)
		}
		if got := start(t, b, "scene", bank.Options{}).Sound().Name(); got != "d" {
			t.Errorf("the third takes %q, want \"d\"", got)
		}
	})
}

// TestStopDuringASlowStart checks that Bank.Stop ends a play that is opening a stream: its later voices do not start,
// its voices fade out as long as requested, and it takes back its random choices.
func TestStopDuringASlowStart(t *testing.T) {
	for _, name := range []string{"music", "calm", "late"} {
		synctest.Test(t, func(t *testing.T) {
			b, m, fsys := slowBank(t)
			defer m.Close()
			fsys.sleep("sfx/a.wav", false)
			played := make(chan error)
			go func() {
				_, err := b.Play(name, bank.Options{})
				played <- err
			}()
			synctest.Wait()
			render(m, 10)
			if err := b.Stop(name, time.Minute); err != nil {
				t.Fatal(err)
			}
			fsys.sleep("", false)
			if err := <-played; err != mixer.ErrGone {
				t.Errorf("%s: the stopped play returns %v", name, err)
			}
			synctest.Wait() // the decoder of the stopped stream has filled its buffer
			render(m, 200)
			want := int64(0)
			if name == "late" {
				want = 1 // its first layer
			}
			if st := m.Stats(); st.Playing != want || st.Pending != 0 {
				t.Errorf("%s: %d voices play and %d are pending, want %d and 0", name, st.Playing, st.Pending, want)
			}
			h := start(t, b, name, bank.Options{})
			if name == "late" && h.Sound().Name() != "b" {
				t.Errorf("the next play takes %q, want \"b\"", h.Sound().Name())
			}
			render(m, 200)
			if h.State() != mixer.StatePlaying {
				t.Errorf("%s: the next play is %v", name, h.State())
			}
		})
	}
}

// TestMusicCallsTakeTurns checks that a stop and a second transition wait while the first opens a stream, and that
// Position does not.
func TestMusicCallsTakeTurns(t *testing.T) {
	const text = "music: {theme: {segments: {calm: {file: intro.wav, loop: true}, slow: {file: combat.wav, stream: true}, last: explore.wav}}}"
	for _, stop := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			fsys := &slow{FS: themeFiles(text)}
			b, err := bank.Open(fsys, "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
			if err != nil {
				t.Fatal(err)
			}
			m, err := b.NewMixer()
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			mu, err := b.Music("theme")
			if err != nil {
				t.Fatal(err)
			}
			if err := mu.Play(bank.Options{}); err != nil {
				t.Fatal(err)
			}
			render(m, 10)
			fsys.sleep("combat.wav", false)
			done := make(chan error, 2)
			go func() { done <- mu.Go("slow") }()
			synctest.Wait()
			go func() {
				if stop {
					done <- mu.Stop(0)
				} else {
					done <- mu.Go("last")
				}
			}()
			synctest.Wait()
			began := time.Now()
			if p := mu.Position(); p.Segment != "calm" || time.Since(began) != 0 {
				t.Errorf("%+v after %v", p, time.Since(began))
			}
			if err := errors.Join(<-done, <-done); err != nil {
				t.Error(err)
			}
			synctest.Wait()
			render(m, 6000) // the exit is at 4000, and each segment lasts 8000
			want := "last"
			if stop {
				want = ""
			}
			if p := mu.Position(); p.Segment != want {
				t.Errorf("%+v, want the segment %q", p, want)
			}
		})
	}
}
