package audiotest_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"strings"
	"testing"

	"voicepool/audiotest"
	"voicepool/device/wav"
	"voicepool/mixer"
	"voicepool/sounds"
)

// chirp is a rising tone that starts at a multiple of 20 Hz.
func chirp(t testing.TB, name string, frames, k int) *sounds.Sound {
	t.Helper()
	s := sounds.Samples{Name: name, Rate: 1000, Channels: 1, Data: make([]float32, frames)}
	for i := range s.Data {
		x := float64(i) / 1000
		s.Data[i] = float32(0.5 * math.Cos(2*math.Pi*(20*float64(k)+50*x)*x))
	}
	out, err := sounds.NewSound(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestListen makes each assertion of a recording pass and fail.
func TestListen(t *testing.T) {
	f := newFake(t)
	bell, coin, other := chirp(t, "bell", 400, 1), chirp(t, "coin", 300, 5), chirp(t, "other", 300, 9)
	a := audiotest.New(t, mixer.Config{Rate: 1000, NoLimiter: true})
	a.Do(100*ms, func() { play(t, a, bell, mixer.Options{Pan: -1, Gain: -6}) })
	a.Do(300*ms, func() { play(t, a, coin, mixer.Options{Pan: 1, Gain: -6}) })
	a.Do(900*ms, func() { play(t, a, bell, mixer.Options{Pan: -1, Gain: -6}) })
	a.Step(1500 * ms)
	for _, format := range []wav.Format{wav.F32, wav.S24, wav.S16} {
		var file bytes.Buffer
		w, err := wav.NewWriter(&file, wav.Config{Rate: 1000, Format: format})
		if err == nil {
			err = w.Write(a.Mix())
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		r := audiotest.Listen(f, &file)
		r.Knows(bell, coin, other)
		for what, test := range map[string]struct {
			want string
			call func()
		}{
			"a bell":          {call: func() { r.Heard("bell").Times(2).At(100*ms).Left().Level(-18, 2) }},
			"the second":      {call: func() { r.Heard("bell").At(900 * ms).Left() }},
			"a coin":          {call: func() { r.Heard("coin").Times(1).At(300 * ms) }},
			"silence":         {call: func() { r.Silent(0, 100*ms) }},
			"never":           {call: func() { r.Never("other") }},
			"a wrong time":    {want: `"bell" is heard at 100ms (frame 100), 900ms (frame 900), want 101ms`, call: func() { r.Heard("bell").At(101 * ms) }},
			"never, heard":    {want: `"coin" is heard at 300ms (frame 300), want never`, call: func() { r.Never("coin") }},
			"all of it":       {call: func() { r.Sound().Near(100*ms, ms) }},
			"sound":           {want: `it is not silent from 0s to 200ms: the first sound is at 100ms (frame 100)`, call: func() { r.Silent(0, 200*ms) }},
			"silence too far": {want: `from 1s to 2s is not inside the 1.5s that were heard`, call: func() { r.Silent(1000*ms, 2000*ms) }},
		} {
			f.says(t, format.String()+", "+what, test.want, test.call)
		}
	}
}

func TestListenRaw(t *testing.T) {
	for _, test := range []struct {
		name string
		raw  audiotest.Raw
		data any
		want [2]float32 // of the second frame
	}{
		{name: "float32", raw: audiotest.Raw{}, data: []float32{0, 0, 0.5, -0.25}, want: [2]float32{0.5, -0.25}},
		{name: "float32, mono", raw: audiotest.Raw{Channels: 1}, data: []float32{0, 0.5}, want: [2]float32{0.5, 0.5}},
		{name: "int16", raw: audiotest.Raw{Int16: true}, data: []int16{0, 0, 16384, -32768}, want: [2]float32{0.5, -1}},
		{name: "int16, mono", raw: audiotest.Raw{Int16: true, Channels: 1}, data: []int16{0, -16384}, want: [2]float32{-0.5, -0.5}},
	} {
		var b bytes.Buffer
		binary.Write(&b, binary.LittleEndian, test.data)
		if got := audiotest.ListenRaw(t, &b, test.raw).Frames(); len(got) != 2 || got[1] != test.want {
			t.Errorf("%s: %v, want two frames, the second %v", test.name, got, test.want)
		}
	}
	f := newFake(t)
	for _, test := range []struct {
		name, want string
		raw        audiotest.Raw
		data       io.Reader
	}{
		{name: "half a frame", want: "12 bytes are not whole frames of 8", data: strings.NewReader("abcdabcdabcd")},
		{name: "six channels", raw: audiotest.Raw{Channels: 6}, want: "6 channels are not in 1..2", data: strings.NewReader("")},
		{name: "a rate", raw: audiotest.Raw{Rate: -1}, want: "a rate of -1 Hz is not in 1..768000", data: strings.NewReader("")},
		{name: "a broken pipe", want: "raw samples: io: read/write on closed pipe", data: closed()},
	} {
		f.says(t, test.name, test.want, func() { audiotest.ListenRaw(f, test.data, test.raw) })
	}
	empty := audiotest.ListenRaw(f, strings.NewReader(""), audiotest.Raw{})
	f.says(t, "nothing", "no sound is audible in 0s", func() { empty.Sound().At(0).Left() })
	f.says(t, "a sound in nothing", `"bell" is not heard: the best correlation is 0.00, want 0.5`, func() {
		r := audiotest.ListenRaw(f, strings.NewReader(""), audiotest.Raw{Rate: 1000})
		r.Knows(chirp(t, "bell", 100, 1))
		r.Heard("bell").Left()
	})
	f.says(t, "another rate", `"bell" is at 1000 Hz, the recording at 48000 Hz; load it at that rate to find it there`, func() {
		empty.Knows(chirp(t, "bell", 100, 1))
		empty.Heard("bell")
	})
	if said := f.failure(func() { audiotest.Listen(f, strings.NewReader("text")) }); strings.Count(said, "\n") != 0 || !strings.HasPrefix(said, "audiotest: ") {
		t.Errorf("of what is no audio it says %q", said)
	}
}

func closed() io.Reader {
	r, _ := io.Pipe()
	r.Close()
	return r
}
