package renderfarm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cluster"
	"voicepool/cmd/internal/cluster/blobstore"
	"voicepool/cmd/internal/cluster/placement"
	"voicepool/internal/words"
)

// ForgetCommand is the command farm forget.
type ForgetCommand struct {
	IDs   []string       `arg:"" optional:"" name:"id" help:"Ended jobs: IDs, or their first digits."`
	Older *time.Duration `placeholder:"TIME" help:"All jobs that ended at least this long ago, as 720h; 0s: all ended jobs."`
	cluster.Flags
}

// Run removes the records of the selected jobs from the render farm. Then it removes stored files that no job and no
// room needs, except recent ones. It prints the numbers of removed jobs and files, even after an error. Missing or
// contradicting flags are a usage error.
func (r *ForgetCommand) Run(c *console.Console) error {
	switch {
	case len(r.IDs) == 0 && r.Older == nil:
		return console.Usage("which jobs? Give IDs, or --older TIME, as in --older 720h")
	case len(r.IDs) > 0 && r.Older != nil:
		return console.Usage("--older and IDs exclude each other")
	case r.Older != nil && *r.Older < 0:
		return console.Usage("--older: %v is negative", *r.Older)
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	f, done, err := open(interrupted, c, r.Flags)
	if err != nil {
		return err
	}
	defer done()
	all, err := f.Jobs(interrupted)
	if err != nil {
		return err
	}
	over, err := r.jobsToForget(all)
	if err != nil {
		return err
	}
	jobs, err := f.forget(interrupted, over)
	var files int
	var bytes int64
	if err == nil {
		files, bytes, err = f.Sweep(interrupted, blobstore.Retention)
	}
	fmt.Fprintf(c.Out, "%s forgotten, %s of %d bytes removed\n", words.Count(jobs, "job"), words.Count(files, "file"), bytes)
	return interrupted.Instead(c, err)
}

// jobsToForget selects jobs by the flags of the command: jobs that ended at least r.Older ago, or jobs whose IDs begin
// with r.IDs. The parameter all has the jobs to choose from. The ID of a job that has not ended is a usage error, and
// so is a prefix that does not match exactly one job. If r.Older is set, the slice all is changed and reused for the
// result.
func (r *ForgetCommand) jobsToForget(all []*Job) ([]*Job, error) {
	if r.Older != nil {
		return slices.DeleteFunc(all, func(j *Job) bool { return !j.State.ended() || time.Since(j.Ended) < *r.Older }), nil
	}
	ended, err := selectJobs(all, r.IDs)
	for _, j := range ended {
		if !j.State.ended() {
			return nil, console.Usage("%s: the job is %s; only ended jobs can be forgotten", j.ID, j.State)
		}
	}
	return ended, err
}

// forget removes the records of the jobs in the parameter ended. A job that was queued again in the meantime, or is
// removed already, is skipped. The result is the number of removed records, even with an error.
func (f *Farm) forget(ctx context.Context, ended []*Job) (jobs int, err error) {
	for _, j := range ended {
		gone, err := f.ledger.forget(ctx, j.ID)
		if err != nil {
			return jobs, err
		}
		if gone {
			jobs++
		}
	}
	if err := f.kv.PurgeDeletes(ctx); err != nil { // removes the deletion marks of jobs forgotten earlier
		return jobs, cluster.Plain(err)
	}
	return jobs, nil
}

// Sweep removes stored files that no job and no room needs. A file that was stored or used within the duration
// retention is kept; the usual duration is blobstore.Retention. The results are the number of removed files and their
// size in bytes, even after an error.
func (f *Farm) Sweep(ctx context.Context, retention time.Duration) (files int, bytes int64, err error) {
	return f.Blobs.Sweep(ctx, retention, f.neededFiles)
}

// neededFiles returns the set of the hashes of all stored files that jobs and rooms need. These are results, bundles,
// which list the files of a sheet, and the files of the bundles. A missing bundle is skipped. If a bundle cannot be
// read for another reason, the result is an error, because its files would be removed otherwise.
func (f *Farm) neededFiles(ctx context.Context) (map[string]bool, error) {
	jobs, err := f.Jobs(ctx)
	if err != nil {
		return nil, err
	}
	needed, bundles := map[string]bool{}, map[string]bool{}
	for _, j := range jobs {
		needed[j.Result], bundles[j.Bundle] = true, true
	}
	if _, err := f.js.KeyValue(ctx, cluster.Placement); !errors.Is(err, jetstream.ErrBucketNotFound) { // there are rooms
		b, err := placement.Open(ctx, f.conn)
		if err != nil {
			return nil, err
		}
		sheets, err := placement.Sheets(ctx, b)
		if err != nil {
			return nil, err
		}
		for _, sum := range sheets {
			bundles[sum] = true
		}
	}
	for sum := range bundles {
		needed[sum] = true
		b, err := f.Blobs.Bundle(ctx, sum)
		if errors.Is(err, blobstore.ErrMissing) { // the job or room will report it
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, file := range b.Files {
			needed[file] = true
		}
	}
	return needed, nil
}
