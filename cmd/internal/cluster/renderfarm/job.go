// Package renderfarm runs voicepool on many machines. Renders and measurements are jobs in a NATS queue.
// A job is identified by its content, so a job with a result is never run again.
//
//	f, err := renderfarm.Open(ctx, conn, version)
//	job, err := f.Submit(ctx, renderfarm.Order{Spec: renderfarm.Spec{Do: "render", Bundle: sum}, File: "show.yaml"}, false)
//	err = f.Work(ctx, renderfarm.Options{Name: "stage-a", Slots: 4}) // on any machine
package renderfarm

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// maxTries is the number of tries, ended by a crash or a lost worker, after which a job is set
// aside.
const maxTries = 3

// Spec contains everything that determines the result of a job.
type Spec struct {
	Do      string   `json:"do"`             // the command
	Args    []string `json:"args,omitempty"` // as returned by CheckArgs
	Bundle  string   `json:"bundle"`         // hash of the bundle: the sheet and its files
	Version string   `json:"version"`        // of the program
}

// ID returns the ID of the job that s describes, as 32 hexadecimal digits. It is the first half of the SHA-256 of s as
// JSON, so equal Specs have equal IDs.
func (s *Spec) ID() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // marshaling strings cannot fail
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:idLength/2])
}

// idLength is the number of digits of a job's ID.
const idLength = 32

// Order is a message of the queue.
type Order struct {
	Spec
	File string `json:"file"` // path of the sheet on the machine that submitted it
}

// State is the state of a job.
type State string

// The states of jobs. The last three are final.
const (
	Queued   State = "queued"
	Running  State = "running"
	Done     State = "done"
	Failed   State = "failed"    // with an error that would be the same on every machine
	SetAside State = "set aside" // it has crashed or lost its worker too often
)

// states are all states in the order of the status output.
var states = [...]State{Queued, Running, Done, Failed, SetAside}

// ended reports whether the state is final: Done, Failed or SetAside.
func (s State) ended() bool { return s == Done || s == Failed || s == SetAside }

// Try is one run of a job that a worker has begun.
type Try struct {
	Worker string `json:"worker"`
	Error  string `json:"said,omitempty"` // the error; empty while the try runs, or if its worker has died
}

// Job is the record of a job.
type Job struct {
	ID string `json:"id"`
	Order
	State   State     `json:"state"`
	Tries   []Try     `json:"tries,omitempty"`
	Reason  string    `json:"reason,omitempty"` // why it is Failed or SetAside
	Result  string    `json:"result,omitempty"` // hash of the result
	Size    int64     `json:"size,omitempty"`   // of the result, in bytes
	Queued  time.Time `json:"queued,omitzero"`
	Started time.Time `json:"began,omitzero"` // the last try
	Ended   time.Time `json:"ended,omitzero"`
	Seconds float64   `json:"seconds,omitempty"` // duration of the final run

	Message uint64 `json:"message,omitempty"` // sequence of its message; 0: any message is accepted
	Run     string `json:"run,omitempty"`     // ID of the last try; a worker with another ID may not settle the job
}

// reason returns the text of Job.Reason for a job that is set aside. It has the number of tries, and for each try the
// worker and its error. A try without an error means that the worker died.
func (j *Job) reason() string {
	var all []string
	for _, t := range j.Tries {
		text := cmp.Or(t.Error, "the worker died or was cut off")
		all = append(all, fmt.Sprintf("on %s: %s", t.Worker, text))
	}
	return fmt.Sprintf("%d tries: %s", len(j.Tries), strings.Join(all, "; "))
}
