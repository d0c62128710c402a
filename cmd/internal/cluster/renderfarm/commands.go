package renderfarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cluster"
	"voicepool/cue"
	"voicepool/internal/words"
)

// Command is the command farm.
type Command struct {
	Submit SubmitCommand `cmd:"" help:"Put jobs into the queue, and print the ID of each. A known job is not run again."`
	Work   WorkCommand   `cmd:"" help:"Run jobs of the queue."`
	Status StatusCommand `cmd:"" help:"Count jobs, and list the unfinished ones."`
	Get    GetCommand    `cmd:"" help:"Write the result of a job to a file."`
	Forget ForgetCommand `cmd:"" help:"Remove jobs that have ended, and files that are no longer needed."`
}

// open connects to the NATS servers of flags and opens the render farm there, for the version of this program. The
// caller must call the function close, which ends the connection. After an error close is nil. Invalid flags are a
// usage error. If the connection is lost later, a message is printed on c.
func open(ctx context.Context, c *console.Console, flags cluster.Flags) (f *Farm, close func(), err error) {
	if err := flags.Check(); err != nil {
		return nil, nil, console.Usage("%w", err)
	}
	version, err := Version()
	if err != nil {
		return nil, nil, err
	}
	conn, err := cluster.Dial(ctx, flags, func(err error) {
		if err != nil && ctx.Err() == nil {
			c.Say("the connection to NATS is lost: %s; reconnecting", words.Plain(cluster.Plain(err)))
		}
	})
	if err == nil {
		if f, err = Open(ctx, conn, version); err == nil {
			return f, conn.Close, nil
		}
		conn.Close()
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return nil, nil, err
}

// SubmitCommand is the command farm submit.
type SubmitCommand struct {
	Files []string `arg:"" name:"file" predictor:"sheet" help:"Cue sheets (YAML or JSON)."`
	Do    string   `default:"render" placeholder:"COMMAND" help:"Command to run on each sheet: render, compare, tune or stealbench (${default})."`
	Args  []string `name:"arg" sep:"none" placeholder:"FLAG" help:"Flag for the command, as in --arg=--seed=3; may be repeated. Flags that name files are refused."`
	Again bool     `help:"Retry jobs that have failed or were set aside."`
	cluster.Flags
}

// maxSubmits is the maximum number of sheets that are submitted at the same time.
const maxSubmits = 16

// Run puts a job for each sheet into the queue, up to 16 at once, and prints the IDs of the jobs in the order of the
// sheets. A sheet that fails does not affect the others. Its error is printed, and the exit code is then not 0. A
// signal ends Run; jobs that were submitted before stay in the queue.
func (s *SubmitCommand) Run(c *console.Console) error {
	args, err := CheckArgs(s.Do, s.Args)
	if err != nil {
		return console.Usage("%w", err)
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	f, done, err := open(interrupted, c, s.Flags)
	if err != nil {
		return err
	}
	defer done()
	type submitted struct {
		id  string
		err error
	}
	results, slots := make([]chan submitted, len(s.Files)), make(chan struct{}, maxSubmits)
	for i := range results {
		results[i] = make(chan submitted, 1)
	}
	go func() {
		for i, file := range s.Files {
			slots <- struct{}{}
			go func() {
				defer func() { <-slots }()
				job, err := f.submit(interrupted, s.Do, args, file, s.Again)
				if err != nil {
					results[i] <- submitted{err: err}
					return
				}
				results[i] <- submitted{id: job.ID}
			}()
		}
	}()
	var wrong []error
	for i := range results {
		select {
		case one := <-results[i]:
			if wrong = append(wrong, one.err); one.err == nil {
				fmt.Fprintln(c.Out, one.id)
			}
		case <-interrupted.Done():
			return interrupted.Cause()
		}
	}
	return c.Outcome(wrong...)
}

// submit submits a job for the sheet in file and returns the record of the job. Before that it stores the sheet and the
// files that the sheet plays in f.Blobs. The parameter do is the command of the job, and args are its arguments in
// canonical form. If again is true, a job that has failed or was set aside is queued again. "-" as file is a usage
// error.
func (f *Farm) submit(ctx context.Context, do string, args []string, file string, again bool) (*Job, error) {
	if file == "-" {
		return nil, console.Usage("-: a job needs a sheet with a name; save it to a file")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", words.OneLine(file), words.Cause(err))
	}
	sheet, err := cue.Parse(file, text)
	if err != nil {
		return nil, err
	}
	sum, err := f.Blobs.Pack(ctx, &sheet.Rules, text, filepath.Base(file), func(path string) (io.ReadCloser, error) {
		return os.Open(filepath.Join(filepath.Dir(file), filepath.FromSlash(path)))
	})
	if err != nil {
		return nil, err
	}
	job, err := f.Submit(ctx, Order{Spec: Spec{Do: do, Args: args, Bundle: sum}, File: file}, again)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", words.OneLine(file), err)
	}
	return job, nil
}

// WorkCommand is the command farm work.
type WorkCommand struct {
	Drain    bool          `help:"End when the queue is empty and no job is under way."`
	Slots    *int          `placeholder:"N" help:"Jobs at once; default: as many as there are processors."`
	Name     string        `placeholder:"NAME" help:"Name of this worker; default: the machine's name."`
	Patience time.Duration `placeholder:"TIME" help:"Time without a sign of life after which another worker takes the job, for all workers: 1s or more; 30s at first."`
	Quiet    bool          `short:"q" help:"Print errors only."`
	cluster.Flags
}

// Run runs jobs of the queue on this machine until a signal arrives. If w.Drain is set, it also returns when the queue
// is empty. It prints a line for each job that has ended, unless w.Quiet is set. After SIGTERM the result is nil. After
// another signal it is a console.Interruption.
func (w *WorkCommand) Run(c *console.Console) error {
	o := Options{Name: w.Name, Slots: runtime.GOMAXPROCS(0), Drain: w.Drain, Patience: w.Patience, Log: func(line string) { c.Say("%s", line) }}
	if w.Slots != nil {
		o.Slots = *w.Slots
	}
	switch {
	case o.Slots < 1 || o.Slots > 4096:
		return console.Usage("--slots: %d jobs at once are not in 1..4096", o.Slots)
	case o.Patience != 0 && (o.Patience < time.Second || o.Patience > 24*time.Hour):
		return console.Usage("--patience: %v is not in 1s..24h", w.Patience)
	}
	o.Name = cmp.Or(o.Name, host())
	if err := cluster.CheckName(o.Name); err != nil {
		return console.Usage("--name: %w", err)
	}
	if !w.Quiet {
		o.OnJob = func(j *Job) { fmt.Fprintln(c.Out, line(j)) }
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	f, done, err := open(interrupted, c, w.Flags)
	if err != nil {
		return err
	}
	defer done()
	if err := f.Work(interrupted, o); err != nil {
		return err
	}
	if by, ok := errors.AsType[console.Interruption](interrupted.Cause()); ok && by.Signal != syscall.SIGTERM {
		return by
	}
	return nil
}

// host returns the name of this machine in the form of a worker's name. The result has at most 64 bytes, and "-" in
// place of invalid characters. If the system does not give a name, the result is "worker".
func host() string {
	name, err := os.Hostname()
	if err != nil {
		return "worker"
	}
	name = strings.Map(func(r rune) rune {
		if cluster.CheckName(string(r)) != nil {
			return '-'
		}
		return r
	}, name)
	return name[:min(len(name), 64)]
}
