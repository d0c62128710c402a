package soundfaults

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// server is a PulseAudio server in a folder of its own, with a null sink called proof.
type server struct {
	t       *testing.T
	folder  string
	process *exec.Cmd
}

func newServer(t *testing.T) *server {
	s := &server{t: t, folder: t.TempDir()}
	for _, name := range []string{"home", "run"} {
		if err := os.Mkdir(filepath.Join(s.folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(s.kill)
	return s
}

func (s *server) socket() string { return filepath.Join(s.folder, "native") }

// sink is the module of the sink. Without norewinds it swallows up to two seconds.
const sink = "module-null-sink sink_name=proof rate=48000 channels=2 format=float32le norewinds=1"

// start starts it, and waits until it has its sink.
func (s *server) start() {
	s.t.Helper()
	os.Remove(s.socket())
	s.process = s.command("pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disallow-exit=no",
		"--high-priority=no", "--realtime=no", "--log-level=error", "-L", "module-native-protocol-unix auth-anonymous=1 socket="+s.socket(), "-L", sink)
	if err := s.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	for range 500 {
		if sinks, _ := s.command("pactl", "list", "short", "sinks").Output(); strings.Contains(string(sinks), "proof") {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.t.Fatal("the server did not start")
}

// kill ends it as nothing that could be caught.
func (s *server) kill() {
	if s.process != nil {
		s.process.Process.Kill()
		s.process.Wait()
		s.process = nil
	}
}

func (s *server) signal(sig syscall.Signal) { s.process.Process.Signal(sig) }

// command returns a command that meets this server and no other.
func (s *server) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "HOME="+filepath.Join(s.folder, "home"), "XDG_RUNTIME_DIR="+filepath.Join(s.folder, "run"),
		"PULSE_SERVER=unix:"+s.socket(), "PULSE_COOKIE="+filepath.Join(s.folder, "cookie"), "PULSE_SINK=", "DISPLAY=", "DBUS_SESSION_BUS_ADDRESS=")
	return c
}

// control tells the server something.
func (s *server) control(args ...string) {
	s.t.Helper()
	if out, err := s.command("pactl", args...).CombinedOutput(); err != nil {
		s.t.Fatalf("pactl %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// deaf puts something in the place of the server that accepts and never answers. It returns
// what takes it away.
func (s *server) deaf() func() {
	s.t.Helper()
	os.Remove(s.socket())
	listener, err := net.Listen("unix", s.socket())
	if err != nil {
		s.t.Fatal(err)
	}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			defer c.Close()
		}
	}()
	return func() { listener.Close() }
}

// recorder records what the sink plays.
type recorder struct {
	process *exec.Cmd
	file    string
}

// record begins to, and returns when it does.
func (s *server) record() *recorder {
	s.t.Helper()
	r := &recorder{file: filepath.Join(s.folder, "recording")}
	os.Remove(r.file)
	file, err := os.Create(r.file)
	if err != nil {
		s.t.Fatal(err)
	}
	defer file.Close()
	r.process = s.command("parec", "--device=proof.monitor", "--rate=48000", "--channels=2", "--format=float32le", "--latency-msec=20")
	r.process.Stdout = file
	if err := r.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	for range 300 {
		if info, err := os.Stat(r.file); err == nil && info.Size() > 0 {
			return r
		}
		time.Sleep(10 * time.Millisecond)
	}
	s.t.Fatal("nothing is recorded")
	return nil
}

// stop ends it, and returns the samples.
func (r *recorder) stop() []byte {
	time.Sleep(200 * time.Millisecond) // what the monitor still holds
	r.process.Process.Signal(os.Interrupt)
	r.process.Wait()
	data, _ := os.ReadFile(r.file)
	return data
}
