package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// debian is the path of the NATS server of Debian 12.
const debian = "/usr/sbin/nats-server"

// permissions are the permissions that docs/cluster.md lists.
const permissions = `{publish: ["$JS.API.>", "$JS.ACK.>", "$JS.FC.>", "$KV.voicepool_placement.>", "$KV.voicepool_farm.>", "$O.voicepool_objects.>", "voicepool.>", "_INBOX.>"], subscribe: ["voicepool.>", "_INBOX.>"]}`

// configured starts a NATS server with a configuration and returns its URL. An empty path means the server of
// this module.
func configured(t *testing.T, path, text string) (url string) {
	t.Helper()
	port, folder := Port(t), t.TempDir()
	file := filepath.Join(folder, "nats.conf")
	text = fmt.Sprintf("listen: 127.0.0.1:%d\n%s\n", port, strings.ReplaceAll(text, "STORE", filepath.Join(folder, "js")))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if path != "" {
		Command{Path: path, Args: []string{"-c", file}}.Run(t).Line("Server is ready", time.Minute)
		return fmt.Sprintf("127.0.0.1:%d", port)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	Command{Path: self, Env: []string{fmt.Sprintf(`%s={"File": %q}`, serverEnv, file)}}.Run(t).Line(begun, time.Minute)
	return fmt.Sprintf("127.0.0.1:%d", port)
}

// TestUnsuitable checks the messages about missing features of a NATS server and missing permissions of a user.
func TestUnsuitable(t *testing.T) {
	sheet := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(sheet, []byte("cues: [{at: 0s, play: theme}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	says := func(url, want string, code int, args ...string) {
		t.Helper()
		p := Command{Args: args, Env: []string{"VOICEPOOL_NATS=" + url}}.Run(t)
		if got := p.Wait(hangs); got != code || !strings.Contains(p.Stderr.String()+p.Stdout.String(), want) {
			t.Errorf("%s ends with %d and says %s%s, want %d and %q", strings.Join(args, " "), got, p.Stdout, p.Stderr, code, want)
		}
	}
	serve := func(url string) *Process {
		t.Helper()
		return Command{Args: []string{"serve", sheet, "--node", "a", "--listen", fmt.Sprintf("127.0.0.1:%d", Port(t))}, Env: []string{"VOICEPOOL_NATS=" + url}}.Run(t)
	}
	if version, err := exec.Command(debian, "--version").Output(); err != nil || !strings.Contains(string(version), " v2.9.") {
		t.Fatalf("%s is %q, %v; this test needs version 2.9, which Debian 12 has", debian, version, err)
	}

	old := configured(t, debian, `jetstream {store_dir: "STORE"}`)
	const needs = "needs 2.10.0 or newer"
	says("nats://"+old, needs, 1, "rooms")
	says("nats://"+old, needs, 1, "farm", "status")
	says("nats://"+old, needs, 1, "serve", sheet, "--listen", fmt.Sprintf("127.0.0.1:%d", Port(t)))

	none := configured(t, "", "")
	says("nats://"+none, "this NATS server has no JetStream; start it with -js", 1, "rooms")
	says("nats://"+none, "this NATS server has no JetStream; start it with -js", 1, "farm", "status")

	denied := configured(t, "", `jetstream {store_dir: "STORE"}
authorization {users: [{user: a, password: b, permissions: {publish: ["foo"], subscribe: [">"]}}, {user: c, password: d, permissions: {publish: [">"], subscribe: ["foo"]}}, {user: e, password: f, permissions: `+permissions+`}]}`)
	says("nats://a:b@"+denied, "NATS does not permit this user to publish to $JS.API.", 1, "rooms")
	says("nats://a:b@"+denied, "NATS does not permit this user to publish to $JS.API.", 1, "farm", "status")
	says("nats://c:d@"+denied, "NATS does not permit this user to subscribe to _INBOX.", 1, "rooms")

	// The permissions of the page suffice for a node, a call and the farm.
	node := serve("nats://e:f@" + denied)
	node.Line("the board: .*", time.Minute)
	Await(t, hangs, "the room plays", func() bool {
		p := Command{Args: []string{"rooms"}, Env: []string{"VOICEPOOL_NATS=nats://e:f@" + denied}}.Run(t)
		return p.Wait(hangs) == 0 && strings.Contains(p.Stdout.String(), "playing")
	})
	says("nats://e:f@"+denied, "", 0, "send", "--to", "nats://e:f@"+denied+"/main", "state")
	says("nats://e:f@"+denied, "", 0, "farm", "submit", sheet)
	says("nats://e:f@"+denied, "", 0, "farm", "work", "--drain")
	says("nats://e:f@"+denied, "1 done", 0, "farm", "status")
	node.Term()
	node.Wait(hangs)

	small := configured(t, "", "max_payload: 2048\njetstream {store_dir: \"STORE\"}")
	says("nats://"+small, "", 0, "farm", "submit", sheet)
	says("nats://"+small, "raise max_payload", 0, "farm", "work", "--drain")
	says("nats://"+small, "1 failed", 0, "farm", "status")

	full := configured(t, "", `jetstream {store_dir: "STORE", max_file: 64}`)
	node = serve("nats://" + full)
	node.Line("the storage of JetStream is full; raise max_file_store", time.Minute)
	if strings.Contains(node.Stderr.String(), "choose another name") {
		t.Errorf("it says %s", node.Stderr)
	}
}
