package wav_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/device/devicetest"
	"voicepool/device/wav"
	"voicepool/pcm"
)

// counter is a source whose frames are numbers.
type counter struct{ n int }

func (c *counter) Render(dst []pcm.Frame) {
	for i := range dst {
		dst[i] = pcm.Frame{float32(c.n), -float32(c.n)}
		c.n++
	}
}

func newWriter(t testing.TB, w io.Writer, c wav.Config) *wav.Writer {
	t.Helper()
	out, err := wav.NewWriter(w, c)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestContract(t *testing.T) {
	for _, c := range []struct {
		name   string
		config wav.Config
	}{
		{name: "wav"}, {name: "raw", config: wav.Config{Raw: true, Format: wav.F32}},
		{name: "wide", config: wav.Config{Outputs: 4}},
		{name: "widest, raw", config: wav.Config{Outputs: 16, Raw: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			devicetest.Run(t, func(t testing.TB) device.Device {
				return wav.NewDevice(newWriter(t, io.Discard, c.config))
			}, nil)
		})
	}
}

// TestDeviceRecords checks that a minute is recorded completely. Synctest makes it instant.
func TestDeviceRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got, want bytes.Buffer
		c := wav.Config{Rate: 512, Format: wav.F32}
		d := wav.NewDevice(newWriter(t, &got, c))
		if err := d.Start(&counter{}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute - 1)
		synctest.Wait()
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		frames := make([]pcm.Frame, 60*512)
		(&counter{}).Render(frames)
		write(t, &want, c, frames)
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("a minute gave %d bytes, not the %d wanted", got.Len(), want.Len())
		}
	})
}

func TestDeviceGoesOnWithoutSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := wav.NewDevice(newWriter(t, &full{room: 100000}, wav.Config{Rate: 1000, Format: wav.F32}))
		src := &counter{}
		if err := d.Start(src); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if err := d.Err(); !errors.Is(err, errFull) {
			t.Errorf("Err() = %v, want %v", err, errFull)
		}
		if err := d.Close(); !errors.Is(err, errFull) {
			t.Errorf("Close = %v, want %v", err, errFull)
		}
		if want := (60*1000/512 + 1) * 512; src.n != want {
			t.Errorf("%d frames were pulled in a minute, want %d", src.n, want)
		}
	})
}

// breakingSink panics from its second block on.
type breakingSink struct{ blocks int }

func (s *breakingSink) Rate() int { return 48000 }

func (s *breakingSink) Write([]pcm.Frame) error {
	if s.blocks++; s.blocks > 1 {
		panic("no disk")
	}
	return nil
}

func (s *breakingSink) Close() error { return nil }

// TestDeviceSinkPanics checks that a panic of the sink is an error of the device, which still pulls in time.
func TestDeviceSinkPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := wav.NewDevice(&breakingSink{})
		source := &counter{}
		if err := d.Start(source); err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
		if err := d.Err(); err == nil || !strings.Contains(err.Error(), "no disk") {
			t.Errorf("the device says %v", err)
		}
		if err := d.Close(); err == nil || !strings.Contains(err.Error(), "no disk") || source.n < 4800 {
			t.Errorf("Close says %v after %d frames", err, source.n)
		}
	})
}
