package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// bell is the sheet of most rooms: short sounds on eight voices, and a loop.
const bell = `voices: %d
buses: {sfx: {}, music: {gain: -6}}
sounds:
  bell: {bus: sfx}
  step: {file: step1, bus: sfx, limit: 4}
  coin: {bus: sfx, cooldown: 5ms}
  hum: {file: "tone:220", loop: true, bus: music, gain: -30}
`

// server is a running `voicepool serve`.
type server struct {
	url, osc string
	folder   string
	cmd      *exec.Cmd
	log      *bytes.Buffer
	client   *http.Client
	names    []string
	alive    time.Time // when it first answered
}

// serve starts a server with the given numbers of rooms and voices, and waits until it is ready.
func serve(ctx context.Context, o *options, rooms, voices int, more ...string) (*server, error) {
	folder, err := os.MkdirTemp("", "voicepool-load-")
	if err != nil {
		return nil, err
	}
	s := &server{folder: folder, log: &bytes.Buffer{}, client: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 512, MaxIdleConns: 2048}}}
	var config strings.Builder
	config.WriteString("rooms:\n")
	for i := range rooms {
		name := fmt.Sprintf("room%d", i)
		s.names = append(s.names, name)
		fmt.Fprintf(&config, "  %s: {sheet: bell.yaml, device: none}\n", name)
	}
	if err := os.WriteFile(filepath.Join(folder, "bell.yaml"), fmt.Appendf(nil, bell, voices), 0o600); err != nil {
		return nil, err
	}
	path := filepath.Join(folder, "voicepool.yaml")
	if err := os.WriteFile(path, []byte(config.String()), 0o600); err != nil {
		return nil, err
	}
	port, err := free()
	if err != nil {
		return nil, err
	}
	s.url, s.osc = fmt.Sprintf("http://127.0.0.1:%d", port), fmt.Sprintf("127.0.0.1:%d", port+1)
	s.cmd = exec.Command(o.program, "serve", "--config", path, "--listen", fmt.Sprintf("127.0.0.1:%d", port), "--osc", s.osc)
	s.cmd.Args = append(s.cmd.Args, more...)
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(time.Minute + time.Duration(rooms)*200*time.Millisecond); ; time.Sleep(100 * time.Millisecond) {
		answer, err := s.client.Get(s.url + "/readyz")
		if err == nil {
			answer.Body.Close()
			if s.alive.IsZero() {
				s.alive = time.Now()
			}
			if answer.StatusCode == http.StatusOK {
				return s, nil
			}
		}
		if time.Now().After(end) || ctx.Err() != nil {
			s.kill()
			return nil, fmt.Errorf("the server is not ready: %s", s.log)
		}
	}
}

// free returns a free port whose successor is free too.
func free() (int, error) {
	for range 100 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return 0, err
		}
		port := l.Addr().(*net.TCPAddr).Port
		next, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port+1))
		l.Close()
		if err == nil {
			next.Close()
			return port, nil
		}
	}
	return 0, errors.New("no two free ports side by side")
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill() // it may have ended already
	_ = s.cmd.Wait()
	os.RemoveAll(s.folder)
}

// stop ends the server by SIGTERM. It returns an error if the server does not exit cleanly within ten seconds.
func (s *server) stop() error {
	defer os.RemoveAll(s.folder)
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	late := time.AfterFunc(10*time.Second, func() { s.cmd.Process.Kill() })
	defer late.Stop()
	if err := s.cmd.Wait(); err != nil {
		return fmt.Errorf("the server ended with %w: %s", err, s.log)
	}
	return nil
}

// call sends a request and returns the status and the body of the response.
func (s *server) call(ctx context.Context, method, path string, body any) (int, []byte, error) {
	var send io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		send = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, send)
	if err != nil {
		return 0, nil, err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, text, err
}

// metrics returns all metrics by name and labels, and their sums by name.
func (s *server) metrics(ctx context.Context) (map[string]float64, error) {
	status, text, err := s.call(ctx, http.MethodGet, "/metrics", nil)
	if err != nil || status != http.StatusOK {
		return nil, fmt.Errorf("/metrics: %d, %w", status, err)
	}
	all := map[string]float64{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		name, value, found := strings.Cut(lines.Text(), " ")
		if i := strings.Index(lines.Text(), "} "); i >= 0 {
			name, value = lines.Text()[:strings.Index(lines.Text(), "{")], lines.Text()[i+2:]
			if x, err := strconv.ParseFloat(value, 64); err == nil {
				all[lines.Text()[:i+1]] = x
			}
		}
		if x, err := strconv.ParseFloat(value, 64); found && err == nil && !strings.HasPrefix(name, "#") {
			all[name] += x
		}
	}
	return all, nil
}

// totals are the counters of a room.
type totals struct {
	Asked, Started, Rejected, Limited, Coalesced, Ended, Stopped, Stolen, Playing int64
}

// totals requests the counters of a room.
func (s *server) totals(ctx context.Context, room string) (totals, error) {
	status, text, err := s.call(ctx, http.MethodGet, "/v1/rooms/"+room+"/state", nil)
	if err != nil || status != http.StatusOK {
		return totals{}, fmt.Errorf("the state of %s: %d, %w", room, status, err)
	}
	var state struct{ Totals totals }
	err = json.Unmarshal(text, &state)
	return state.Totals, err
}

// processor returns the CPU time of the server in seconds.
func (s *server) processor() float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	rest := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, _ := strconv.ParseFloat(rest[11], 64)
	system, _ := strconv.ParseFloat(rest[12], 64)
	return (user + system) / 100
}
