package reader_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"testing"
	"testing/iotest"
	"time"

	"voicepool/device"
	"voicepool/device/reader"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// playing returns a mixer with a loud tone, which Int16 clips.
func playing(t testing.TB) *mixer.Mixer {
	t.Helper()
	clip := &library.Clip{Name: "tone", Channels: 1, Rate: 48000}
	for i := range 4800 {
		clip.Samples = append(clip.Samples, float32(math.Sin(float64(i)*math.Pi/50)))
	}
	s, err := library.Prepare(clip, library.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := mixer.New(mixer.Config{NoLimiter: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Play(s, mixer.Options{Gain: 6, Pan: 0.3, Loop: true}); err != nil {
		t.Fatal(err)
	}
	return m
}

func bytesOf(t testing.TB, m *mixer.Mixer, e reader.Encoding) *reader.Reader {
	t.Helper()
	r, err := reader.New(m, 48000, e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// encoded is the reference encoder: it encodes frame by frame.
func encoded(frames []pcm.Frame, e reader.Encoding) (out []byte) {
	for i, f := range frames {
		for c, x := range f {
			if e == reader.Float32 {
				out = binary.LittleEndian.AppendUint32(out, math.Float32bits(x))
				continue
			}
			y, _ := (pcm.Dither{}).Int16(x, uint64(2*i+c))
			out = append(out, byte(y), byte(y>>8))
		}
	}
	return out
}

// TestReader checks that calls of any length, even within a sample, return the bytes of the mix. The first call
// fills its buffer, later calls return at most 512 frames.
func TestReader(t *testing.T) {
	const frames = 80_000 // more than one Render mixes
	mix := make([]pcm.Frame, frames)
	playing(t).Render(mix)
	for _, e := range []reader.Encoding{reader.Float32, reader.Int16} {
		want := encoded(mix, e)
		size := len(want) / frames
		for _, first := range []int{1, 3, size, size + 1, 100*size - 1, 600 * size, 70_001*size + 1} {
			r := bytesOf(t, playing(t), e)
			got := make([]byte, len(want))
			for at, n := 0, first; at < len(got); n = (n*2 + 1) % 20_011 {
				part := got[at:min(at+n, len(got))]
				k, err := r.Read(part)
				least := min(len(part), 512*size)
				if at == 0 {
					least = len(part)
				}
				if k < least || at > 0 && k > 513*size || err != nil {
					t.Fatalf("encoding %d, first %d: Read of %d bytes at %d gives %d, %v", e, first, len(part), at, k, err)
				}
				at += k
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("encoding %d, first %d: byte %d is %d, want %d", e, first, i, got[i], want[i])
				}
			}
		}
	}
}

// TestReaderConforms checks that a Reader keeps the contract of package io.
func TestReaderConforms(t *testing.T) {
	for _, e := range []reader.Encoding{reader.Float32, reader.Int16} {
		want := make([]byte, 10001)
		if _, err := io.ReadFull(bytesOf(t, playing(t), e), want); err != nil {
			t.Fatal(err)
		}
		if err := iotest.TestReader(io.LimitReader(bytesOf(t, playing(t), e), int64(len(want))), want); err != nil {
			t.Errorf("encoding %d: %v", e, err)
		}
		if n, err := bytesOf(t, playing(t), e).Read(nil); n != 0 || err != nil {
			t.Errorf("encoding %d: Read of nothing gives %d, %v", e, n, err)
		}
	}
}

// TestLatency checks that the mixer reports the size of a player's reads, for Ebitengine's player with its
// default buffer and with a buffer of 40 ms.
func TestLatency(t *testing.T) {
	for _, c := range []struct {
		bytes int
		e     reader.Encoding
		want  time.Duration
	}{
		{bytes: 192_000, e: reader.Float32, want: 500 * time.Millisecond},
		{bytes: 96_000, e: reader.Int16, want: 500 * time.Millisecond},
		{bytes: 15_360, e: reader.Float32, want: 40 * time.Millisecond},
	} {
		m := playing(t)
		r := bytesOf(t, m, c.e)
		buffer := make([]byte, c.bytes)
		for range 10 { // oto asks for its whole buffer whenever a part of it is free
			r.Read(buffer)
		}
		if got := m.Latency().Block; got != c.want {
			t.Errorf("a player of %d bytes: %v at once, want %v", c.bytes, got, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	m := playing(t)
	for _, c := range []struct {
		name string
		src  device.Source
		rate int
		e    reader.Encoding
		want error
		text string
	}{
		{name: "no source", rate: 48000, want: device.ErrNoSource, text: "reader: device: no source to pull from"},
		{
			name: "another rate", src: m, rate: 44100, want: device.ErrRate,
			text: "reader: device: another rate: the source renders 48000 frames per second, the device plays 44100; " +
				"open the device at 48000, or make the source at 44100",
		},
		{name: "an encoding", src: m, rate: 48000, e: 7, text: "reader: there is no encoding 7, want Float32 or Int16"},
	} {
		r, err := reader.New(c.src, c.rate, c.e)
		if r != nil || err == nil || err.Error() != c.text || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.text)
		}
	}
}

func TestNoAllocation(t *testing.T) {
	for _, e := range []reader.Encoding{reader.Float32, reader.Int16} {
		r := bytesOf(t, playing(t), e)
		buffer := make([]byte, 9001)
		r.Read(buffer)
		if n := testing.AllocsPerRun(20, func() { r.Read(buffer); r.Read(buffer[:5]) }); n != 0 {
			t.Errorf("encoding %d: %v allocations", e, n)
		}
	}
}

// The mixer as bytes, for a player that reads: Ebitengine's context.NewPlayerF32, oto, a pipe.
func ExampleNew() {
	m, _ := mixer.New(mixer.Config{Rate: 48000})
	mix, err := reader.New(m, 48000, reader.Float32) // the rate of the player
	if err != nil {
		fmt.Println(err)
		return
	}
	n, _ := mix.Read(make([]byte, 15_360)) // the first read of a player with a buffer of 40 ms
	fmt.Println(n, m.Latency().Block)

	_, err = reader.New(m, 44100, reader.Float32)
	fmt.Println(errors.Is(err, device.ErrRate))
	// Output:
	// 15360 40ms
	// true
}
