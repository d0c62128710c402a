package renderfarm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"voicepool/internal/words"
)

// maxResultBytes is the maximum number of bytes that a job may write.
const maxResultBytes = 16 << 30

// runEnd classifies the end of a run.
type runEnd uint8

const (
	succeeded   runEnd = iota // with a result
	inputError                // with an error that would be the same on every machine
	crashExit                 // killed by a signal, a panic or the system
	interrupted               // the worker ends
)

// outcome is the result of a run.
type outcome struct {
	end      runEnd
	message  string // the error, unless end is succeeded
	file     string // path of the result
	duration time.Duration
}

// run runs the command of the job s as a child process, waits for its end, and classifies the end. The executable has
// the path program, and the unpacked sheet the path sheet. Temporary files and the result are written to folder.
//
// If ctx ends, the process is killed, and the end is interrupted. If the files directly in folder exceed 16 GiB, it is
// killed as well, and the end is inputError. The outcome has the run time, and the path of the result or the reason of
// the failure.
func run(ctx context.Context, program, folder, sheet string, s *Spec) (o outcome) {
	start := time.Now()
	o = outcome{file: filepath.Join(folder, "result")}
	defer func() { o.duration = time.Since(start) }()
	fail := func(how runEnd, format string, args ...any) outcome {
		if ctx.Err() != nil {
			how, format, args = interrupted, "the worker was ended", nil
		}
		o.end, o.message = how, fmt.Sprintf(format, args...)
		return o
	}
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	name := filepath.Base(sheet)
	if strings.HasPrefix(name, "-") {
		name = "./" + name
	}
	v, output := verbs[s.Do], &headAndTail{}
	args := []string{s.Do, "-q", name}
	if v.file {
		o.file += ".wav"
		args = append(args, "-o", o.file)
	}
	child := exec.CommandContext(within, program, append(args, s.Args...)...)
	child.Args[0], child.Dir, child.Stderr = "voicepool", filepath.Dir(sheet), output
	child.Env = append(slices.DeleteFunc(os.Environ(), func(one string) bool { return strings.HasPrefix(one, "VOICEPOOL_NATS") }), "TMPDIR="+folder, "GOTRACEBACK=single")
	child.WaitDelay = 2 * time.Second
	setProcessGroup(child)
	if !v.file {
		out, err := os.Create(o.file)
		if err != nil {
			return fail(crashExit, "%v", words.Cause(err))
		}
		defer out.Close()
		child.Stdout = out
	}
	if err := child.Start(); err != nil {
		return fail(crashExit, "the program does not start: %v", words.Cause(err))
	}
	go limitSize(within, folder, cancel)
	err := child.Wait()
	if tooMuch := context.Cause(within); tooMuch != nil && ctx.Err() == nil {
		return fail(inputError, "%v", tooMuch)
	}
	exit, exited := errors.AsType[*exec.ExitError](err)
	text := output.String()
	switch {
	case err == nil:
		if _, err := os.Stat(o.file); err != nil {
			return fail(crashExit, "the job wrote no result: %v", words.Cause(err))
		}
		return o
	case !exited:
		return fail(crashExit, "%v", words.Cause(err))
	case panicked(text) != "":
		return fail(crashExit, "%s", panicked(text))
	case exit.ExitCode() < 0 || exit.ExitCode() > 2:
		return fail(crashExit, "%v%s", exit, withColon(lastLines(text, 1)))
	}
	if lines := lastLines(text, 3); lines != "" {
		return fail(inputError, "%s", lines)
	}
	return fail(crashExit, "%v, without a message", exit)
}

// withColon returns ": " followed by text. If text is empty, the result is "".
func withColon(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// limitSize watches the total size of the files directly in folder, once per second, until ctx ends. If it exceeds
// 16 GiB, limitSize calls the function end with an error and returns. It runs on its own goroutine.
func limitSize(ctx context.Context, folder string, end context.CancelCauseFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		size := int64(0)
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
				size += info.Size()
			}
		}
		if size > maxResultBytes {
			end(fmt.Errorf("it writes more than %d GiB", int64(maxResultBytes)>>30))
			return
		}
	}
}

// headAndTail is a writer that keeps the first and the last 8 KiB of the data written to it.
type headAndTail struct{ first, last []byte }

const edgeBytes = 8 << 10

// Write keeps the beginning and the end of all data written to e: the first 8 KiB and the last 8 KiB. Data between them
// are dropped. The result is always len(p) and nil.
func (e *headAndTail) Write(p []byte) (int, error) {
	n := min(len(p), edgeBytes-len(e.first))
	e.first = append(e.first, p[:n]...)
	e.last = append(e.last, p[max(n, len(p)-edgeBytes):]...)
	e.last = e.last[max(0, len(e.last)-edgeBytes):]
	return len(p), nil
}

// String returns the data that e has kept: the first 8 KiB and then the last 8 KiB. No mark shows where data are
// missing.
func (e *headAndTail) String() string { return string(e.first) + string(e.last) }

// panicked looks for a crash in text, the output of a Go program. It returns the first line that reports a panic, a
// fatal error or a signal. Without such a line the result is "".
func panicked(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "runtime: out of memory") || strings.HasPrefix(line, "SIG") {
			return words.OneLine(strings.TrimSpace(line))
		}
	}
	return ""
}

// lastLines returns the last n lines of text that are not empty, joined by "; ". text is the output of a voicepool
// program. The program's name at the start of a line is removed, and a line is cut to 1000 bytes.
func lastLines(text string, n int) string {
	var lines []string
	for line := range bytes.Lines([]byte(text)) {
		if one := strings.TrimPrefix(strings.TrimSpace(string(line)), "voicepool: "); one != "" {
			lines = append(lines, words.OneLine(one[:min(len(one), 1000)]))
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}
