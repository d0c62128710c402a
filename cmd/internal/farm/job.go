// Package farm runs voicepool on many machines: renders and measurements are jobs of a queue of NATS. A job
// is known by what it does, so one that was done is never done again.
//
//	f, err := farm.Open(ctx, conn, version)
//	job, err := f.Submit(ctx, farm.Order{Spec: farm.Spec{Do: "render", Bundle: sum}, File: "show.yaml"}, false)
//	err = f.Work(ctx, farm.Options{Name: "stage-a", Slots: 4}) // on any machine
package farm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// mostTries is how often a job may crash or lose its worker before it is set aside.
const mostTries = 3

// Spec is all that the result of a job depends on.
type Spec struct {
	Do      string   `json:"do"`             // the command
	Args    []string `json:"args,omitempty"` // as CheckArgs returns them
	Bundle  string   `json:"bundle"`         // the sum of the sheet and all that it plays
	Version string   `json:"version"`        // of the program
}

// ID returns what a job is called: the first half of the SHA-256 of its Spec, as JSON.
func (s *Spec) ID() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings alone
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:idLength/2])
}

// idLength is the number of digits of a job's ID.
const idLength = 32

// Order is a message of the queue.
type Order struct {
	Spec
	File string `json:"file"` // the sheet's, as who submitted it calls it
}

// State is how far a job is.
type State string

// The states of jobs. The last three are ends.
const (
	Queued  State = "queued"
	Running State = "running"
	Done    State = "done"
	Failed  State = "failed"    // the program says why, and would so anywhere
	Aside   State = "set aside" // it has crashed, or lost its worker, too often
)

// states are all of them, in the order of lists.
var states = [...]State{Queued, Running, Done, Failed, Aside}

// ended reports whether nothing will be done any more.
func (s State) ended() bool { return s == Done || s == Failed || s == Aside }

// Try is one run of a job that a worker has begun.
type Try struct {
	Worker string `json:"worker"`
	Said   string `json:"said,omitempty"` // how it went wrong; empty: it goes on, or its worker has died
}

// Job is what is known of a job.
type Job struct {
	ID string `json:"id"`
	Order
	State   State     `json:"state"`
	Tries   []Try     `json:"tries,omitempty"`
	Reason  string    `json:"reason,omitempty"` // of an end that is not Done
	Result  string    `json:"result,omitempty"` // its sum
	Size    int64     `json:"size,omitempty"`   // of the result, in bytes
	Queued  time.Time `json:"queued,omitzero"`
	Began   time.Time `json:"began,omitzero"` // the last try
	Ended   time.Time `json:"ended,omitzero"`
	Seconds float64   `json:"seconds,omitempty"` // of the run that ended it

	Message uint64 `json:"message,omitempty"` // its number in the queue; 0: the next one that comes
	Run     string `json:"run,omitempty"`     // of the last try: who else finishes the job is too late
}

// reason says why a job is set aside.
func (j *Job) reason() string {
	var all []string
	for _, t := range j.Tries {
		said := t.Said
		if said == "" {
			said = "the worker died or was cut off"
		}
		all = append(all, fmt.Sprintf("on %s: %s", t.Worker, said))
	}
	return fmt.Sprintf("%d tries: %s", len(j.Tries), strings.Join(all, "; "))
}
