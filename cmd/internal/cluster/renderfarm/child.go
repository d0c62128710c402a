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

// run runs the command of s as a child process, waits until it ends, and classifies the end. program is the path of the
// executable, sheet the path of the unpacked sheet, and folder the folder for temporary files and the result. It kills
// the process if ctx ends (interrupted) or if folder gets too large. The outcome has the path of the result or the
// reason of the failure, and the run time.
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

// withColon returns ": " followed by text, or "" if text is empty.
func withColon(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// limitSize adds up the sizes of the files directly in folder every second until ctx ends. If they exceed
// maxResultBytes, it calls end with an error and returns. It runs on its own goroutine.
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

// Write keeps p if it belongs to the first 8 KiB, and otherwise its end, in place of older data. It always returns
// len(p) and nil.
func (e *headAndTail) Write(p []byte) (int, error) {
	n := min(len(p), edgeBytes-len(e.first))
	e.first = append(e.first, p[:n]...)
	e.last = append(e.last, p[max(n, len(p)-edgeBytes):]...)
	e.last = e.last[max(0, len(e.last)-edgeBytes):]
	return len(p), nil
}

// String returns the kept data: the first 8 KiB and then the last 8 KiB, without a mark where data are missing.
func (e *headAndTail) String() string { return string(e.first) + string(e.last) }

// panicked returns the first line of text, the output of a Go program, that reports a panic, a fatal error or a signal,
// or "" without such a line.
func panicked(text string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") || strings.HasPrefix(line, "runtime: out of memory") || strings.HasPrefix(line, "SIG") {
			return words.OneLine(strings.TrimSpace(line))
		}
	}
	return ""
}

// lastLines returns the last n lines of text that are not empty, joined by "; ". text is the output of a voicepool
// program; its name in front of a line is omitted, and a line is cut to 1000 bytes.
func lastLines(text string, n int) string {
	var lines []string
	for line := range bytes.Lines([]byte(text)) {
		if one := strings.TrimPrefix(strings.TrimSpace(string(line)), "voicepool: "); one != "" {
			lines = append(lines, words.OneLine(one[:min(len(one), 1000)]))
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}
