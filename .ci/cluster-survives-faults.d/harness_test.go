package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) { Main(m) }

func TestServers(t *testing.T) {
	t.Parallel() // mostly waits
	n := Servers(t, 3)
	ctx := t.Context()
	put := func(value string) error {
		once, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		kv, err := n.Bucket(once, "ready")
		if err == nil {
			_, err = kv.PutString(once, "key", value)
		}
		return err
	}
	Await(t, hangs, "three take a put", func() bool { return put("three") == nil })
	n.Kill(0)
	n.Ready()
	n.Kill(1)
	Await(t, hangs, "one of three takes no put", func() bool { return put("one") != nil })
	n.Start(0)
	n.Start(1)
	n.Ready()
	Await(t, hangs, "three take a put again", func() bool { return put("three again") == nil })
	kv, err := n.Bucket(ctx, "ready")
	if err != nil {
		t.Fatal(err)
	}
	if entry, err := kv.Get(ctx, "key"); err != nil || string(entry.Value()) != "three again" {
		t.Fatalf("read %v, %v", entry, err)
	}
}

func TestServerAlone(t *testing.T) {
	n := Setup{MQTT: true}.Servers(t, 1)
	n.Stop(0)
	n.Continue(0)
	n.Ready()
	n.Kill(0)
	n.Start(0)
	n.Ready()
	conn, err := (*Space)(nil).Dial("tcp", n.MQTT(0))
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

func TestSplitNetwork(t *testing.T) {
	t.Parallel() // mostly waits
	w := Split(t, 3)
	n := Setup{Net: w}.Servers(t, 3)
	meta := -1
	Await(t, hangs, "a leader", func() bool { meta = n.Meta(0); return meta >= 0 })
	w.Cut(meta)
	conn, err := w.Space(meta).Dial("tcp", strings.TrimPrefix(n.URLOf(meta), "nats://"))
	if err != nil {
		t.Fatalf("from inside what is cut off: %v", err)
	}
	conn.Close()
	if conn, err := w.Space((meta+1)%3).Dial("tcp", strings.TrimPrefix(n.URLOf(meta), "nats://")); err == nil {
		conn.Close()
		t.Fatal("what is cut off was reached")
	}
	n.Ready()
	Await(t, hangs, "another leader", func() bool { m := n.Meta((meta + 1) % 3); return m >= 0 && m != meta })
	w.Heal(meta)
	Await(t, hangs, "the old leader knows the new", func() bool { m := n.Meta(meta); return m >= 0 && m == n.Meta((meta+1)%3) })
}

// TestNothingIsLeft checks that no process or namespace is left after a failure, a timeout or a signal. The
// test with the fault runs in a child process.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel() // mostly waits
	end := os.Getenv("VOICEPOOL_END")
	if end != "" {
		p := Command{Path: "sleep", Args: []string{"120"}, Space: Split(t, 2).Space(1)}.Run(t)
		fmt.Println("it sleeps:", p.PID())
		if end != "failure" {
			time.Sleep(time.Minute)
		}
		t.Fatal("on purpose")
	}
	Split(t, 1)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"failure", "timeout", "signal"} {
		// On a busy machine the child needs seconds until it sleeps, so the time limit is generous.
		p := Command{Path: self, Args: []string{"-test.run", "^TestNothingIsLeft$", "-test.timeout", "40s"}, Env: []string{"VOICEPOOL_END=" + end}}.Run(t)
		asleep := p.Line(`it sleeps: (\d+)`, hangs)[1]
		if end == "signal" {
			p.Kill()
		}
		if code := p.Wait(hangs); code == 0 {
			t.Errorf("%s: it ended well", end)
		}
		Await(t, 5*time.Second, end+": all is removed", func() bool {
			left, err := filepath.Glob(fmt.Sprintf("/run/netns/vp%d-*", p.PID()))
			_, alive := os.Stat("/proc/" + asleep)
			return err == nil && len(left) == 0 && alive != nil
		})
	}
}

func TestProcess(t *testing.T) {
	p := Command{Path: "sh", Args: []string{"-c", "trap 'echo bye; exit 3' TERM; echo hello 5; while :; do sleep 0.05; done"}}.Run(t)
	if got := p.Line(`^hello (\d)$`, hangs); got[1] != "5" {
		t.Fatalf("got %q", got)
	}
	p.Pause()
	p.Term()
	time.Sleep(200 * time.Millisecond)
	if p.Ended() {
		t.Fatal("a paused process has ended")
	}
	p.Continue()
	if code := p.Wait(hangs); code != 3 {
		t.Fatalf("it ended with %d", code)
	}
	p.Line("^bye", time.Second)
	if p := Run(t, "--version"); p.Wait(hangs) != 0 {
		t.Fatalf("voicepool: %s", p.Stderr)
	}
}
