package audiotest_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"voicepool/audiotest"
	"voicepool/mixer"
	"voicepool/sounds"
)

const ms = time.Millisecond

// fake is a testing.TB that may fail.
type fake struct {
	testing.TB
	said    []string
	logged  []string
	failed  bool
	cleanup []func()
}

type ended struct{}

func (f *fake) Helper()                      {}
func (f *fake) Name() string                 { return "TestGame/level 1" }
func (f *fake) Failed() bool                 { return f.failed }
func (f *fake) Skipped() bool                { return false }
func (f *fake) Cleanup(c func())             { f.cleanup = append(f.cleanup, c) }
func (f *fake) Logf(format string, v ...any) { f.logged = append(f.logged, fmt.Sprintf(format, v...)) }
func (f *fake) Errorf(format string, v ...any) {
	f.failed = true
	f.said = append(f.said, fmt.Sprintf(format, v...))
}

func (f *fake) Fatalf(format string, v ...any) {
	f.Errorf(format, v...)
	panic(ended{})
}

func (f *fake) Fatal(v ...any) { f.Fatalf("%s", fmt.Sprint(v...)) }

// end runs the cleanup functions.
func (f *fake) end() {
	for i := len(f.cleanup) - 1; i >= 0; i-- {
		f.cleanup[i]()
	}
	f.cleanup = nil
}

// failure returns the error text of a call, or "".
func (f *fake) failure(call func()) string {
	f.said = nil
	func() {
		defer func() {
			if r := recover(); r != nil && r != (ended{}) {
				panic(r)
			}
		}()
		call()
	}()
	return strings.Join(f.said, "\n")
}

// says checks the first line of the error text of a call; "" means no error.
func (f *fake) says(t *testing.T, what, want string, call func()) {
	t.Helper()
	got := f.failure(call)
	line, rest, _ := strings.Cut(got, "\n")
	if want != "" {
		want = "audiotest: " + want
	}
	if line != want {
		t.Errorf("%s says\n%s\nwant\n%s", what, line, want)
	}
	if strings.Contains(rest, "audiotest: ") {
		t.Errorf("%s says more than one line:\n%s", what, got)
	}
}

func newFake(t *testing.T) *fake {
	f := &fake{TB: t}
	t.Cleanup(f.end)
	return f
}

// tone returns a sine with an amplitude x at a rate of 1,000 Hz. The default frequency is 25 Hz.
func tone(t testing.TB, name string, frames int, x, hz float64) *sounds.Sound {
	t.Helper()
	s := sounds.Samples{Name: name, Rate: 1000, Channels: 1, Data: make([]float32, frames)}
	for i := range s.Data {
		s.Data[i] = float32(x * math.Sin(2*math.Pi*hz*float64(i)/1000))
	}
	power := float32(x * x / 2)
	s.Envelope.Hop = 20
	for range (frames + 19) / 20 {
		s.Envelope.Once = append(s.Envelope.Once, power)
	}
	out, err := sounds.NewSound(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func play(t testing.TB, a *audiotest.Audio, s *sounds.Sound, o mixer.Options) mixer.Handle {
	t.Helper()
	h, err := a.Mixer().Play(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
