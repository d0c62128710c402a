package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// newTerminal opens a pseudo-terminal: the side of its user, and the side of programs.
func newTerminal(t *testing.T) (looks, programs *os.File) {
	t.Helper()
	looks, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no terminals: %v", err)
	}
	t.Cleanup(func() { looks.Close() })
	if err := unix.IoctlSetPointerInt(int(looks.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(looks.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	programs, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { programs.Close() })
	return looks, programs
}

// fill writes to a terminal that is not read, until it is full.
func fill(t *testing.T, programs *os.File) {
	t.Helper()
	fd := int(programs.Fd()) // it makes the file blocking, so it is called once
	if err := unix.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	err := error(nil)
	for size := 0; err == nil && size < 1<<20; size++ {
		_, err = unix.Write(fd, []byte{'.'})
	}
	if err != unix.EAGAIN {
		t.Fatalf("a terminal that is not read takes 1 MiB: %v", err)
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		t.Fatal(err)
	}
}

// TestTerminalIsGone checks that closing a terminal, or not reading it, neither stops a show nor
// loses a file. Only a SIGHUP that is not ignored ends the show, in order.
func TestTerminalIsGone(t *testing.T) {
	t.Parallel()
	// The started processes must not inherit a nohup.
	hangUps := make(chan os.Signal, 1)
	signal.Notify(hangUps, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(hangUps) })
	const closed, unread = "standard output: input/output error", "standard output: the reader does not keep up"
	for _, c := range []struct {
		name  string
		flags string
		owns  bool // it is the controlling terminal, so closing it sends SIGHUP
		nohup bool
		stays bool // it stays open, but is not read
		code  int
		said  string
	}{
		{name: "closed under a view", code: 1, said: closed},
		{name: "closed under lines", flags: "-v", code: 1, said: closed},
		{name: "closed, quiet", flags: "-q"},
		{name: "closed with nohup", owns: true, nohup: true, code: 1, said: closed},
		{name: "hung up", owns: true, code: 129, said: closed},
		{name: "unread under a view", stays: true, code: 1, said: unread},
		{name: "unread under lines", flags: "-v", stays: true, code: 1, said: unread},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			looks, programs := newTerminal(t)
			folder := t.TempDir()
			length, whole := "1s", `"frames":48`
			if c.code == 129 {
				length, whole = "30s", `"frames":14400` // it ends early, even if a busy machine hangs up late
			}
			sheet := "length: " + length + "\ncues:\n- {at: 0s, play: clock, loop: true}\n- {at: 0s, play: click, every: 4ms, times: 240}\n"
			if err := os.WriteFile(filepath.Join(folder, "show.yaml"), []byte(sheet), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), hangs)
			defer cancel()
			line := "exec voicepool run show.yaml --device wav:heard.wav --report heard.json " + c.flags
			if c.nohup {
				line = "trap '' HUP; " + line
			}
			command := exec.CommandContext(ctx, "sh", "-c", line)
			var said bytes.Buffer
			command.Dir, command.Stdin, command.Stdout, command.Stderr = folder, programs, programs, &said
			command.SysProcAttr = &syscall.SysProcAttr{Setsid: c.owns, Setctty: c.owns}
			begin := time.Now()
			if c.stays {
				fill(t, programs) // a busy machine may draw too few pictures to fill it
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			programs.Close()
			waitForFile(t, filepath.Join(folder, "heard.wav"), 100000) // a third of a second
			if !c.stays {
				looks.Close()
			}
			err := command.Wait()
			code := 0
			if exit, ok := errors.AsType[*exec.ExitError](err); ok {
				code = exit.ExitCode()
			}
			if code != c.code || c.said != "" && strings.Count(said.String(), c.said) != 1 || c.said == "" && said.Len() > 0 {
				t.Errorf("after %v it exits with %d and says %q, want %d and %q", time.Since(begin), code, said.String(), c.code, c.said)
			}
			report, err := os.ReadFile(filepath.Join(folder, "heard.json"))
			if whole := bytes.Contains(report, []byte(whole)); err != nil || whole != (c.code != 129) {
				t.Errorf("the report tells of the whole show: %v; it begins %.80q, %v", whole, report, err)
			}
			sound, err := os.Stat(filepath.Join(folder, "heard.wav"))
			if err != nil || c.code != 129 && sound.Size() < 6*48000 {
				t.Errorf("of the sound %v", err)
			}
		})
	}
}

// TestTypedAhead checks that keys typed before the screen of a show appears, for example into a
// pager, are ignored, and that later keys work.
func TestTypedAhead(t *testing.T) {
	t.Parallel()
	looks, programs := newTerminal(t)
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "show.yaml"), []byte("list: [{cue: 1, play: click}, {cue: 2, play: click}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := looks.WriteString("  "); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	defer cancel()
	command := exec.CommandContext(ctx, "voicepool", "go", "show.yaml", "--device", "null", "--record-goes", "goes.txt")
	command.Dir, command.Stdin, command.Stdout, command.Stderr = folder, programs, programs, programs
	command.Env = append(os.Environ(), "TERM=xterm", "XDG_RUNTIME_DIR="+folder)
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	programs.Close()
	var screen bytes.Buffer
	for part := make([]byte, 4096); !strings.Contains(screen.String(), "GO: "); {
		n, err := looks.Read(part)
		if screen.Write(part[:n]); err != nil {
			t.Fatalf("%v after %q", err, screen.String())
		}
	}
	go io.Copy(io.Discard, looks) // until it is closed
	if _, err := looks.WriteString("g2\r "); err != nil {
		t.Fatal(err)
	}
	waitForFile(t, filepath.Join(folder, "goes.txt"), 0) // a quit before it would cancel the GO
	if _, err := looks.WriteString("qq"); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err != nil {
		t.Error(err)
	}
	goes, err := os.ReadFile(filepath.Join(folder, "goes.txt"))
	if text := strings.TrimSpace(string(goes)); err != nil || !strings.HasSuffix(text, "s 2") || strings.Contains(text, "\n") {
		t.Errorf("there were the GOs %q, want one of cue 2; %v", goes, err)
	}
}

// TestScreenTerminals checks that the screen of a show is drawn if standard input and standard
// output are a terminal, wherever messages go. Otherwise standard output explains how to run the
// show.
func TestScreenTerminals(t *testing.T) {
	t.Parallel()
	for bits := range 8 {
		in, out, err := bits&1 != 0, bits&2 != 0, bits&4 != 0
		for _, flag := range []string{"", "-v"} {
			name := fmt.Sprintf("in %t, out %t, err %t %s", in, out, err, flag)
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				looks, programs := newTerminal(t)
				folder := t.TempDir()
				write(t, filepath.Join(folder, "show.yaml"), "list: [{cue: 1, play: click}, {cue: 2, play: click}]")
				elsewhere, fail := os.Create(filepath.Join(folder, "log"))
				if fail != nil {
					t.Fatal(fail)
				}
				defer elsewhere.Close()
				ctx, cancel := context.WithTimeout(t.Context(), hangs)
				defer cancel()
				command := exec.CommandContext(ctx, "voicepool", strings.Fields("go show.yaml --device null --record-goes goes.txt --control unix:s "+flag)...)
				command.Dir, command.Env = folder, append(os.Environ(), "TERM=xterm", "XDG_RUNTIME_DIR="+folder)
				command.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: in}
				command.Stdout, command.Stderr = elsewhere, elsewhere
				if in {
					command.Stdin = programs
				}
				if out {
					command.Stdout = programs
				}
				if err {
					command.Stderr = programs
				}
				if fail := command.Start(); fail != nil {
					t.Fatal(fail)
				}
				programs.Close()
				const hint = "voicepool send unix:s go"
				drawn := in && out && flag == ""
				if out {
					want := hint
					if drawn {
						want = "GO: "
					}
					var screen bytes.Buffer
					for part := make([]byte, 4096); !strings.Contains(screen.String(), want); {
						n, fail := looks.Read(part)
						if screen.Write(part[:n]); fail != nil {
							t.Fatalf("the terminal has %q, not %q", screen.String(), want)
						}
					}
				} else {
					waitForFile(t, filepath.Join(folder, "s"), -1)
				}
				go io.Copy(io.Discard, looks)
				switch {
				case drawn:
					if _, fail := looks.WriteString(" "); fail != nil {
						t.Fatal(fail)
					}
					waitForFile(t, filepath.Join(folder, "goes.txt"), 0) // a quit before it would cancel the GO
					if _, fail := looks.WriteString("qq"); fail != nil {
						t.Fatal(fail)
					}
				default:
					quits := exec.CommandContext(ctx, "voicepool", "send", "unix:s", "quit")
					quits.Dir = folder
					if said, fail := quits.CombinedOutput(); fail != nil {
						t.Fatalf("%v: %s", fail, said)
					}
				}
				if fail := command.Wait(); fail != nil {
					t.Error(fail)
				}
				goes, fail := os.ReadFile(filepath.Join(folder, "goes.txt"))
				if fail != nil || bytes.HasSuffix(goes, []byte("s 1\n")) != drawn {
					t.Errorf("there were the GOs %q, %v", goes, fail)
				}
			})
		}
	}
}

// waitForFile waits until a file has more than some bytes.
func waitForFile(t *testing.T, path string, bytes int64) {
	t.Helper()
	for limit := time.Now().Add(hangs); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		if info, err := os.Stat(path); err == nil && info.Size() > bytes {
			return
		}
	}
	t.Fatalf("%s never came", path)
}

// TestServeLink checks that the login link shown on a terminal logs a browser in once.
func TestServeLink(t *testing.T) {
	t.Parallel()
	looks, programs := newTerminal(t)
	tokens := filepath.Join(t.TempDir(), "tokens")
	write(t, tokens, "operator stage-0123456789abcdef main\n")
	serves := exec.Command("voicepool", "serve", "--listen", "127.0.0.1:0", "--device", "none", "--token-file", tokens)
	serves.Stdout = programs
	if err := serves.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		serves.Process.Kill()
		serves.Wait()
	})
	late := time.AfterFunc(hangs, func() { serves.Process.Kill(); programs.Close() })
	defer late.Stop()
	link := ""
	for lines := bufio.NewScanner(looks); link == "" && lines.Scan(); {
		link, _ = strings.CutPrefix(strings.TrimSpace(lines.Text()), "log in once, within an hour: ")
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, Timeout: hangs}
	at, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, at.Scheme + "://" + at.Host + "/v1/rooms/main/state"} {
		answer, err := browser.Get(path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != 200 {
			t.Errorf("%s: %d", path, answer.StatusCode)
		}
	}
	answer, err := http.Get(link)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != 403 {
		t.Errorf("a second time: %d", answer.StatusCode)
	}
}
