package soundfaults

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// program is the path of the command, which is built once.
var program = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "soundfaults")
	if err != nil {
		return "", err
	}
	file := filepath.Join(folder, "voicepool")
	out, err := exec.Command("go", "build", "-C", "../../cmd", "-o", file, "./voicepool").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return file, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if file, err := program(); err == nil {
		os.RemoveAll(filepath.Dir(file))
	}
	os.Exit(code)
}

// show is a show of noise in progress.
type show struct {
	t       *testing.T
	process *exec.Cmd
	report  string
	begun   time.Time
	ended   chan struct{}

	mutex sync.Mutex
	lines []line
}

// line is a line on standard error with its time.
type line struct {
	text string
	at   time.Time
}

// sheet is the sheet of the show.
const sheet = `cues: [{at: 0s, play: "noise:white", loop: true, gain: -12}]`

// perform starts to play the show for a given length.
func (s *server) perform(length time.Duration, args ...string) *show {
	s.t.Helper()
	file, err := program()
	if err != nil {
		s.t.Fatal(err)
	}
	p := &show{t: s.t, report: filepath.Join(s.folder, "report.json"), ended: make(chan struct{})}
	p.process = s.ours(file, append([]string{"run", "-q", s.sheet(), "--length", length.String(), "--report", p.report}, args...)...)
	messages, err := p.process.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	p.begun = time.Now()
	if err := p.process.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { p.process.Process.Kill() })
	go func() {
		defer close(p.ended)
		for lines := bufio.NewScanner(messages); lines.Scan(); {
			p.mutex.Lock()
			p.lines = append(p.lines, line{lines.Text(), time.Now()})
			p.mutex.Unlock()
		}
	}()
	return p
}

// sheet writes the sheet and returns the name of the file.
func (s *server) sheet() string {
	name := filepath.Join(s.folder, "show.yaml")
	if err := os.WriteFile(name, []byte(sheet), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return name
}

// render returns the rendered samples of the show.
func (s *server) render(length time.Duration) []byte {
	s.t.Helper()
	file, err := program()
	if err != nil {
		s.t.Fatal(err)
	}
	name := filepath.Join(s.folder, "render.wav")
	if out, err := s.command(file, "render", "-q", s.sheet(), "--length", length.String(), "--format", "f32", "-o", name).CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
	data, err := os.ReadFile(name)
	at := bytes.Index(data, []byte("data"))
	if err != nil || at < 0 {
		s.t.Fatal(err, "no samples")
	}
	return data[at+8:]
}

// said waits until a line contains a text, up to a limit.
func (p *show) said(text string, limit time.Duration) (time.Time, string) {
	p.t.Helper()
	for began := time.Now(); took(began, time.Now()) < limit; time.Sleep(2 * time.Millisecond) {
		p.mutex.Lock()
		lines := p.lines
		p.mutex.Unlock()
		for _, l := range lines {
			if strings.Contains(l.text, text) {
				return l.at, l.text
			}
		}
	}
	p.t.Fatalf("%q was not said within %v; said was %q", text, limit, p.all())
	return time.Time{}, ""
}

func (p *show) all() (texts []string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, l := range p.lines {
		texts = append(texts, l.text)
	}
	return texts
}

// end waits for the end of the show and returns the exit code.
func (p *show) end() int {
	p.t.Helper()
	<-p.ended
	err := p.process.Wait()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return failed.ExitCode()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return 0
}

// told is the report's part about the device.
type told struct {
	Frames int64
	Totals struct {
		Unheard float64 `json:"unheard_seconds"`
	}
	Events []entry
}

type entry struct {
	Frame   int64
	Kind    string
	State   string
	Reason  string
	Seconds float64
}

func (p *show) told() *told {
	p.t.Helper()
	data, err := os.ReadFile(p.report)
	if err != nil {
		p.t.Fatal(err)
	}
	r := &told{}
	if err := json.Unmarshal(data, r); err != nil {
		p.t.Fatal(err)
	}
	var device []entry
	for _, e := range r.Events {
		if e.Kind == "device" {
			device = append(device, e)
		}
	}
	r.Events = device
	return r
}
