package soundfaults

import (
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// server is a sound server in its own folder, with a null sink called proof.
type server struct {
	t          *testing.T
	kind       string // pulseaudio or pipewire
	folder     string
	process    *exec.Cmd   // the process that clients connect to
	beneath    []*exec.Cmd // other processes it needs; they keep running
	controlled time.Time   // the end of the last command; see control
}

// kinds are the tested servers.
var kinds = []string{"pulseaudio", "pipewire"}

func newServer(t *testing.T, kind string) *server {
	folder, err := os.MkdirTemp("", "soundfaults") // not t.TempDir: D-Bus addresses end at a comma
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	s := &server{t: t, kind: kind, folder: folder}
	for _, name := range []string{"home", "run", "run/pulse"} {
		if err := os.Mkdir(filepath.Join(s.folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	conf := filepath.Join(s.folder, "home/.config/pipewire/pipewire.conf.d")
	if err := os.MkdirAll(conf, 0o700); err != nil {
		t.Fatal(err)
	}
	quantum := []byte("context.properties = { default.clock.quantum = 1024 default.clock.min-quantum = 1024 }\n")
	if err := os.WriteFile(filepath.Join(conf, "quantum.conf"), quantum, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.end)
	return s
}

func (s *server) socket() string { return filepath.Join(s.folder, "run/pulse/native") }

// sink is the module of the sink. Without norewinds PulseAudio drops up to two seconds.
const sink = "module-null-sink sink_name=proof rate=48000 channels=2 format=float32le norewinds=1"

// load adds the sink.
func (s *server) load() {
	s.t.Helper()
	s.control(append([]string{"load-module"}, strings.Fields(sink)...)...)
}

// loadOther adds a second sink.
func (s *server) loadOther() {
	s.t.Helper()
	s.control(append([]string{"load-module"}, strings.Fields(strings.Replace(sink, "proof", "other", 1))...)...)
}

// unload removes a sink.
func (s *server) unload(name string) {
	s.t.Helper()
	modules, err := s.command("pactl", "list", "short", "modules").Output()
	if err != nil {
		s.t.Fatal(err)
	}
	for module := range strings.Lines(string(modules)) {
		if number, rest, _ := strings.Cut(module, "\t"); strings.Contains(rest, "sink_name="+name+" ") {
			s.control("unload-module", number)
			return
		}
	}
	s.t.Fatalf("no module has the sink %s: %s", name, modules)
}

// start starts the server and waits until its sink is ready.
func (s *server) start() {
	s.t.Helper()
	os.Remove(s.socket())
	switch s.kind {
	case "pulseaudio":
		s.process = s.run("pulseaudio", "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=-1", "--disallow-exit=no",
			"--high-priority=no", "--realtime=no", "--log-level=error", "-L", "module-native-protocol-unix auth-anonymous=1 socket="+s.socket())
	case "pipewire":
		if s.beneath == nil {
			s.beneath = append(s.beneath, s.run("dbus-daemon", "--session", "--nofork", "--nopidfile", "--address="+s.bus()))
			for range 500 {
				if _, err := os.Stat(strings.TrimPrefix(s.bus(), "unix:path=")); err == nil {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			s.beneath = append(s.beneath, s.run("pipewire"), s.run("wireplumber"))
		}
		s.process = s.run("pipewire-pulse")
	}
	for range 500 {
		// While PipeWire is still starting, it reports that the module timed out, but loads it nevertheless.
		if sinks, err := s.command("pactl", "list", "short", "sinks").Output(); err == nil && strings.Contains(string(sinks), "proof") {
			return
		} else if err == nil {
			s.command("pactl", append([]string{"load-module"}, strings.Fields(sink)...)...).Run()
			continue
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.t.Fatal("the server did not start")
}

// bus returns the D-Bus address of the PipeWire programs.
func (s *server) bus() string { return "unix:path=" + filepath.Join(s.folder, "bus") }

// run starts a program that must not be late.
func (s *server) run(name string, args ...string) *exec.Cmd {
	s.t.Helper()
	c := s.prompt(name, args...)
	if err := c.Start(); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// kill ends the server with SIGKILL.
func (s *server) kill() {
	if s.process != nil {
		s.process.Process.Kill()
		s.process.Wait()
		s.process = nil
	}
}

// end ends all started processes.
func (s *server) end() {
	s.kill()
	for _, c := range s.beneath {
		c.Process.Kill()
		c.Wait()
	}
	s.beneath = nil
}

func (s *server) signal(sig syscall.Signal) { s.process.Process.Signal(sig) }

// command returns a command that can connect only to this server.
func (s *server) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), "HOME="+filepath.Join(s.folder, "home"), "XDG_RUNTIME_DIR="+filepath.Join(s.folder, "run"),
		"PULSE_SERVER=unix:"+s.socket(), "PULSE_COOKIE="+filepath.Join(s.folder, "cookie"), "PULSE_SINK=", "DISPLAY=", "DBUS_SESSION_BUS_ADDRESS="+s.bus())
	return c
}

// allowed reports whether a program may have the priority of a desktop's sound server.
var allowed = sync.OnceValue(func() bool { return exec.Command("chrt", "-f", "10", "true").Run() == nil })

// prompt is command for programs that must not be late. The PipeWire programs wake each other in every quantum,
// and lose it if other processes run first.
func (s *server) prompt(name string, args ...string) *exec.Cmd {
	if s.kind != "pipewire" || !allowed() {
		return s.command(name, args...)
	}
	return s.command("chrt", append([]string{"-f", "10", name}, args...)...)
}

// ours is command for programs in Go. They would hang under SCHED_FIFO: Go threads wait for each other by
// yielding. If every processor has a spinning thread, the thread they wait for never runs.
func (s *server) ours(name string, args ...string) *exec.Cmd {
	if !allowed() {
		return s.command(name, args...)
	}
	return s.command("nice", append([]string{"-n", "-11", name}, args...)...)
}

// control sends a command to the server by pactl. It sets s.controlled to the time when the server had executed it.
func (s *server) control(args ...string) {
	s.t.Helper()
	if out, err := s.command("pactl", args...).CombinedOutput(); err != nil {
		s.t.Fatalf("pactl %s: %v: %s", strings.Join(args, " "), err, out)
	}
	s.controlled = time.Now()
}

// deaf replaces the server by a listener that accepts connections and never answers. It returns a function that
// removes the listener.
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

// recorder records the output of the sink.
type recorder struct {
	process *exec.Cmd
	file    string
}

// record starts a recording and returns when samples arrive.
func (s *server) record() *recorder {
	s.t.Helper()
	for range 8 {
		if r := s.try(); r != nil {
			return r
		}
	}
	s.t.Fatal("nothing is recorded")
	return nil
}

// warm waits until the sink plays. In PipeWire, a sink that was loaded too early never plays.
func (s *server) warm() error {
	s.t.Helper()
	for range 8 {
		if r := s.try(); r != nil {
			r.stop()
			return nil
		}
		s.unload("proof")
		s.load()
	}
	return errors.New("the server does not play")
}

// try starts a recording, and returns nil if no samples arrive within two seconds.
func (s *server) try() *recorder {
	s.t.Helper()
	r := &recorder{file: filepath.Join(s.folder, "recording")}
	file, err := os.Create(r.file)
	if err != nil {
		s.t.Fatal(err)
	}
	defer file.Close()
	r.process = s.prompt("parec", "--device=proof.monitor", "--rate=48000", "--channels=2", "--format=float32le", "--latency-msec=20")
	r.process.Stdout = file
	if err := r.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	for range 200 {
		if info, err := file.Stat(); err == nil && info.Size() > 0 {
			return r
		}
		time.Sleep(10 * time.Millisecond)
	}
	r.process.Process.Kill()
	r.process.Wait()
	return nil
}

// stop ends the recording and returns the samples.
func (r *recorder) stop() []byte {
	time.Sleep(200 * time.Millisecond) // for the rest in the monitor's buffer
	r.process.Process.Signal(os.Interrupt)
	r.process.Wait()
	data, _ := os.ReadFile(r.file)
	return data
}
