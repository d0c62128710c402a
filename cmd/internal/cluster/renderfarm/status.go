package renderfarm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/term"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/cmd/internal/cluster"
	"voicepool/internal/words"
)

// StatusCommand is the command farm status.
type StatusCommand struct {
	IDs  []string `arg:"" optional:"" name:"id" help:"Only these jobs: IDs, or their first digits."`
	JSON bool     `name:"json" help:"Print JSON."`
	cluster.Flags
}

// Run prints the state of the render farm's jobs: their number in each state, and a line for each job that is not done.
// The oldest job is first. If s.IDs is set, only these jobs are counted, and each has a line. If s.JSON is set, the
// output is JSON. Errors are from the connection, or a usage error for an unknown ID.
func (s *StatusCommand) Run(c *console.Console) error {
	interrupted := c.Listen()
	defer interrupted.Close()
	f, done, err := open(interrupted, c, s.Flags)
	if err != nil {
		return err
	}
	defer done()
	all, err := f.Jobs(interrupted)
	if err != nil {
		return err
	}
	if len(s.IDs) > 0 {
		if all, err = selectJobs(all, s.IDs); err != nil {
			return err
		}
	}
	slices.SortStableFunc(all, func(a, b *Job) int { return a.Queued.Compare(b.Queued) })
	counts := map[State]int{}
	for _, j := range all {
		counts[j.State]++
	}
	if s.JSON {
		return c.JSON(struct {
			Counts map[State]int `json:"counts"`
			Jobs   []*Job        `json:"jobs"`
		}{counts, append([]*Job{}, all...)})
	}
	var parts []string
	for _, state := range states {
		if counts[state] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[state], state))
		}
	}
	fmt.Fprintln(c.Out, strings.TrimSuffix(words.Count(len(all), "job")+": "+strings.Join(parts, ", "), ": "))
	for _, j := range all {
		if len(s.IDs) > 0 || j.State != Done {
			fmt.Fprintln(c.Out, line(j)+versionNote(j, f.version))
		}
	}
	return nil
}

// line describes the job j in one line for a person: its ID, state, command, sheet and arguments. Then follows the
// worker of a running job, the size and time of a done job, or the reason of a failure. A Running job must have a try.
func line(j *Job) string {
	text := fmt.Sprintf("%s  %-9s  %s %s", j.ID, j.State, j.Do, words.OneLine(strings.Join(append([]string{j.File}, j.Args...), " ")))
	switch {
	case j.State == Running:
		text += " on " + j.Tries[len(j.Tries)-1].Worker
	case j.State == Done:
		text += fmt.Sprintf(", %d bytes in %.2f s", j.Size, j.Seconds)
	case j.Reason != "":
		text += ": " + words.OneLine(j.Reason)
	}
	return text
}

// versionNote returns a note for the line of the job j if it waits for a worker with a program of another version. The
// parameter version is the version of this program. For other jobs the result is "".
func versionNote(j *Job, version string) string {
	if j.State != Queued || j.Version == version {
		return ""
	}
	return "; it waits for a worker of " + words.OneLine(j.Version)
}

// selectJobs returns the jobs whose IDs begin with the given prefixes. The parameter all has the jobs to choose from.
// The result is in the order of prefixes, and each job occurs once. If a prefix does not match exactly one job, the
// result is a usage error.
func selectJobs(all []*Job, prefixes []string) ([]*Job, error) {
	byID, ids, found := map[string]*Job{}, []string(nil), []*Job(nil)
	for _, j := range all {
		byID[j.ID], ids = j, append(ids, j.ID)
	}
	for _, one := range prefixes {
		id, err := match(one, ids)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(found, byID[id]) {
			found = append(found, byID[id])
		}
	}
	return found, nil
}

// match returns the only element of ids that begins with prefix. The prefix must be 1 to 32 hexadecimal digits. If it
// is invalid, or if several IDs or no ID match, the result is a usage error, which suggests IDs. If no ID matches, the
// error wraps ErrUnknown.
func match(prefix string, ids []string) (string, error) {
	if prefix == "" || len(prefix) > idLength || strings.Trim(prefix, "0123456789abcdef") != "" {
		return "", console.Usage("invalid job ID %q (want up to %d digits of 0-9 and a-f)", words.OneLine(prefix), idLength)
	}
	var found []string
	for _, id := range ids {
		if strings.HasPrefix(id, prefix) {
			found = append(found, id)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		if len(ids) == 0 {
			return "", console.Usage("%s: %w: the farm has no jobs", prefix, ErrUnknown)
		}
		return "", console.Usage("%s: %w; the nearest is %s, and voicepool farm status lists more", prefix, ErrUnknown, words.Nearest(prefix, ids))
	}
	slices.Sort(found)
	return "", console.Usage("%s matches the IDs of %d jobs, such as %s and %s: give more digits", prefix, len(found), found[0], found[1])
}

// find returns the record of the only job whose ID begins with prefix. If no job or several jobs match, or if prefix is
// not hexadecimal, the result is a usage error. Other errors are from NATS.
func (f *Farm) find(ctx context.Context, prefix string) (*Job, error) {
	if len(prefix) == idLength {
		if _, err := match(prefix, []string{prefix}); err != nil {
			return nil, err
		}
		if j, err := f.Job(ctx, prefix); !errors.Is(err, ErrUnknown) {
			return j, err
		}
	}
	lister, err := f.kv.ListKeys(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, cluster.Plain(err)
	}
	defer lister.Stop()
	var ids []string
	for id := range lister.Keys() {
		ids = append(ids, id)
	}
	id, err := match(prefix, ids)
	if err != nil {
		return nil, err
	}
	return f.Job(ctx, id)
}

// GetCommand is the command farm get.
type GetCommand struct {
	ID     string `arg:"" help:"ID of the job, or its first digits."`
	Output string `short:"o" required:"" placeholder:"FILE" help:"File to write; - is standard output."`
	cluster.Flags
}

// Run writes the result of the job g.ID to the file g.Output, or to standard output if that is "-". If the job does not
// exist or has no result, Run returns an error, and an existing file remains. A WAV is not written to a terminal. After
// an error, standard output may have a part of the result.
func (g *GetCommand) Run(c *console.Console) error {
	if err := outfiles.Of("-o", " ", g.Output).CheckDistinct(nil); err != nil {
		return err
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	file, err := outfiles.Open(interrupted, g.Output)
	if err != nil {
		return err
	}
	defer file.Discard()
	f, done, err := open(interrupted, c, g.Flags)
	if err != nil {
		return err
	}
	defer done()
	j, err := f.find(interrupted, g.ID)
	if err != nil {
		return err
	}
	switch {
	case j.State == Done:
	case j.State.ended():
		return fmt.Errorf("%s: the job is %s: %s; voicepool farm submit --again retries it", j.ID, strings.Replace(string(j.State), "failed", "a failure", 1), j.Reason)
	default:
		return fmt.Errorf("%s: the job is %s and has no result yet", j.ID, j.State)
	}
	if g.Output != "-" {
		return interrupted.Instead(c, file.Save(func(w io.Writer) error { return f.Blobs.Write(interrupted, j.Result, w) }))
	}
	if verbs[j.Do].file && term.IsTerminal(int(os.Stdout.Fd())) {
		return console.Usage("-o -: standard output is a terminal; send it to a file or a pipe")
	}
	return interrupted.Instead(c, f.Blobs.Write(interrupted, j.Result, c.Out))
}
