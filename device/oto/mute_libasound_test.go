//go:build linux && !android && !nooto && (amd64 || arm64)

package oto

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	driver "github.com/ebitengine/oto/v3"

	"voicepool/device"
)

// TestMuteLibasound looks for a missing card in its own process. libasound, if installed, would print 25 lines and
// more.
func TestMuteLibasound(t *testing.T) {
	const child = "VOICEPOOL_HUSH_TEST"
	if os.Getenv(child) == "" {
		quiet(t, "/nowhere/native")
		cmd := exec.Command(os.Args[0], "-test.run=^TestMuteLibasound$")
		cmd.Env = append(os.Environ(), child+"=1")
		var said strings.Builder
		cmd.Stderr = &said
		if out, err := cmd.Output(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if strings.Contains(said.String(), "ALSA lib") {
			t.Errorf("libasound printed:\n%s", said.String())
		}
		return
	}
	restore := muteLibasound()
	ctx, ready, err := newContext(&driver.NewContextOptions{SampleRate: 48000, ChannelCount: 2})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-ready:
	case <-time.After(2 * time.Minute): // a busy machine can stall a test for a minute
		t.Fatal("the driver does not become ready")
	}
	restore()
	if ctx.Err() == nil {
		t.Error("a driver without a card has no error")
	}
	// Now the card is taken, as with Ebitengine's audio context.
	_, _, err = newContext(&driver.NewContextOptions{SampleRate: 48000, ChannelCount: 2})
	if err = refused(err); !errors.Is(err, device.ErrUnavailable) || !errors.Is(err, ErrSpent) || !strings.HasPrefix(err.Error(), "oto: "+rule) {
		t.Errorf("a second context: %v", err)
	}
}

func TestMessage(t *testing.T) {
	long := withoutPrefix(errors.New("oto: a: oto: b\n  c" + strings.Repeat("é", 200)))
	want := "a: b c" + strings.Repeat("é", 117) + " ..."
	if long.Error() != want {
		t.Errorf("got  %q\nwant %q", long, want)
	}
}
