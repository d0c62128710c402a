package board

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// build builds voicepool and returns its path.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "serve")
	c := exec.Command("go", "build", "-o", program, "./cmd/voicepool")
	c.Dir, c.Env = "../..", append(os.Environ(), "GOWORK=")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// server is a running server.
type server struct {
	address string // of its page
	kill    func()
}

// serve runs a server with a sheet or a configuration until the test ends or kill is called. Its rooms have no
// sound card.
func serve(t *testing.T, program, listen string, more ...string) *server {
	t.Helper()
	c := exec.Command(program, append([]string{"serve", "--listen", listen, "--host", "board.test"}, more...)...)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	killed := false
	s := &server{kill: func() {
		if !killed {
			killed = true
			c.Process.Kill()
			c.Wait()
		}
	}}
	t.Cleanup(s.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	_, address, found := strings.Cut(strings.TrimSpace(line), "the board: ")
	if !found {
		t.Fatalf("it begins with %q, not with its address", line)
	}
	s.address = address
	return s
}
