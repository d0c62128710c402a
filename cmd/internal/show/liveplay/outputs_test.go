package liveplay

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/cli/console"
	"voicepool/device"
	"voicepool/device/auto"
	"voicepool/pcm"
)

// wide is a source with several outputs. The left sample of a frame encodes its output.
type wide struct{ outputs int }

func (w wide) Rate() int    { return 1000 }
func (w wide) Outputs() int { return w.outputs }

func (w wide) Render(dst []pcm.Frame) {
	for i := range dst {
		dst[i] = pcm.Frame{float32(i%w.outputs+1) / 32, 0.5}
	}
}

// quietly returns a console that prints its notes to w.
func quietly(w io.Writer) *console.Console {
	return &console.Console{Out: &console.Sticky{W: io.Discard}, Err: w}
}

// TestWideDevices checks that file devices and the null device accept exactly the configured number
// of outputs, through a gate and a meter.
func TestWideDevices(t *testing.T) {
	for _, outputs := range []int{1, 2, 4, 16} {
		for _, kind := range []string{"null", "wav", "raw", "raw16"} {
			t.Run(fmt.Sprint(kind, outputs), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "out")
				synctest.Test(t, func(t *testing.T) {
					o := Options{Device: Device{Kind: kind, Name: path}, Block: 64}
					if kind == "null" {
						o.Device.Name = ""
					}
					d, err := o.open(quietly(io.Discard), 1000, outputs, 1)
					if err != nil {
						t.Fatal(err)
					}
					source := &gate{source: device.NewLoadMeter(wide{outputs}, 1000)}
					other := &gate{source: device.NewLoadMeter(wide{outputs + 1}, 1000)}
					if err := d.Start(other); !errors.Is(err, device.ErrOutputs) {
						t.Errorf("%d outputs on a device of %d: %v", outputs+1, outputs, err)
					}
					if err := d.Start(source); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Second)
					if err := d.Close(); err != nil {
						t.Error(err)
					}
				})
				if kind == "null" {
					return
				}
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				channels, sample := 2*outputs, map[string]int{"wav": 3, "raw": 4, "raw16": 2}[kind]
				if at := bytes.Index(data, []byte("fmt ")); kind == "wav" && int(binary.LittleEndian.Uint16(data[at+10:])) != channels {
					t.Errorf("the header tells of %d channels, want %d", binary.LittleEndian.Uint16(data[at+10:]), channels)
				}
				if frames := len(data) / channels / sample; frames < 1000 || frames > 1600 {
					t.Errorf("%d frames in a second at 1000 Hz", frames)
				}
			})
		}
	}
}

// TestNarrowCard checks that a card with two channels is an error with a remedy, not silence.
func TestNarrowCard(t *testing.T) {
	o := Options{Device: Device{Kind: "oto"}}
	d, err := o.open(quietly(io.Discard), 48000, 4, 1)
	const want = "--device oto: oto is not tried: it plays 2 channels, 4 outputs need 8; fold them into one for it (--fold)"
	if d.Device != nil || err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if !slices.Contains(auto.Drivers(), "pulse") {
		return
	}
	t.Setenv("PULSE_SERVER", "/nowhere/native")
	var said strings.Builder
	o.Device.Kind = "auto"
	d, err = o.open(quietly(&said), 48000, 4, 1)
	if err != nil || !strings.Contains(said.String(), "no sound server at /nowhere/native; oto is not tried") {
		t.Fatalf("%v, %q", err, said.String())
	}
	d.Close()
}
