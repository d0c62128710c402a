package main

import (
	"net"
	"strings"
	"testing"
	"time"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/show/liveplay"
	"voicepool/internal/leak"
)

// TestRunSendsOSC checks that a sheet's messages arrive over UDP in the format of OSC 1.0, and
// appear with -v. A closed port and an unknown host are reported once, fail the run, and delay no
// other message.
func TestRunSendsOSC(t *testing.T) {
	defer leak.Check(t)
	for !sendsOSC(t) { // the machine was too busy for real time
	}
}

// sendsOSC runs the show of TestRunSendsOSC. It returns false if messages were dropped because they waited too long.
func sendsOSC(t *testing.T) bool {
	l, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	nobody, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	to, dead := l.LocalAddr().String(), nobody.LocalAddr().String()
	nobody.Close()
	sheet := strings.NewReplacer("TO", to, "DEAD", dead).Replace(`
cues:
  - {at: 0, play: blip}
  - {at: 20ms, every: 30ms, times: 4, osc: {to: "DEAD", address: /x}}
  - {at: 100ms, osc: {to: "TO", address: /eos/cue/12/fire, args: [1, 0.5, go, true]}}
  - {at: 700ms, osc: {to: "TO", address: /last}}
`)
	var out, messages strings.Builder
	c := &console.Console{Out: &console.Sticky{W: &out}, Err: &messages}
	flags := &liveFlags{sheetFlags: sheetFlags{Block: 512}, Device: liveplay.Device{Kind: "null"}}
	flags.Verbose = true
	interrupted := c.Listen()
	defer interrupted.Close()
	err = flags.perform(c, interrupted, parse(t, sheet), liveplay.Options{Title: "test"})
	if console.ExitCode(err) != console.ExitFailed {
		t.Errorf("it ended with %v", err)
	}
	said := messages.String()
	if strings.Contains(said, "messages waited for more than a second; they are left out") {
		return false
	}
	packet := make([]byte, 2000)
	for _, want := range []string{
		"/eos/cue/12/fire\x00\x00\x00\x00,ifsT\x00\x00\x00\x00\x00\x00\x01\x3f\x00\x00\x00go\x00\x00",
		"/last\x00\x00\x00,\x00\x00\x00",
	} {
		l.SetReadDeadline(time.Now().Add(hangs))
		if n, err := l.Read(packet); err != nil || string(packet[:n]) != want {
			t.Errorf("%q came, %v; want %q", packet[:n], err, want)
		}
	}
	for _, once := range []string{
		"voicepool: 0.100 s: osc /eos/cue/12/fire to " + to + "\n", "voicepool: 0.700 s: osc /last to " + to + "\n",
		"voicepool: osc to " + dead + ": connection refused; the show continues, and its exit code will be 1\n",
	} {
		if strings.Count(said, once) != 1 {
			t.Errorf("%q is not told once: %s", once, said)
		}
	}
	if !strings.Contains(out.String(), "asked 1 = started 1") {
		t.Errorf("printed: %q", out.String())
	}
	return true
}
